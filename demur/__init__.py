"""Generates, verifies, evaluates, grades and freezes refusal benchmarks.

    import demur

    results = demur.run_round(home="work", bases=8)     # or demur.open("work", round_id="embedded")
    results.leaderboard()                               # a DataFrame
    demur.evaluate("embedded/1", ["always-refuses"])    # models on a frozen release
    demur.score(frame)                                  # metrics of anybody's responses, with intervals
    demur.trainer_reward("safety@1.json")               # a reward as trainers take it

Heavy libraries are imported when a function is called first.
"""

from importlib import import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

from demur.telemetry import switch_off

if TYPE_CHECKING:
    from demur.api import Results, evaluate, run_round, score
    from demur.api import open_home as open
    from demur.exchange.rewarding.trainer import trainer_reward

__all__ = ["Results", "evaluate", "open", "run_round", "score", "trainer_reward"]
__version__ = _version("demur")
switch_off()

_API = "demur.api"
_NAMED = {name: (_API, name) for name in __all__} | {
    "open": (_API, "open_home"),
    "trainer_reward": ("demur.exchange.rewarding.trainer", "trainer_reward"),
}


def __getattr__(name: str) -> Any:
    """Return a part of the Python API, loaded when it is asked for."""
    if name in _NAMED:
        module, found = _NAMED[name]
        return getattr(import_module(module), found)
    raise AttributeError(f"module 'demur' has no attribute {name!r}; it has {', '.join(__all__)}")
