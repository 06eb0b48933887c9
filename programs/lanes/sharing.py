"""What all engines of one model share within a process: its limiter and its breaker."""

import threading
from dataclasses import dataclass
from typing import Final

from programs.lanes.breaker import Breaker
from programs.lanes.limiter import Limiter
from programs.lanes.spec import ModelSpec


@dataclass(frozen=True, slots=True)
class Shared:
    """One model's limiter and breaker."""

    limiter: Limiter
    breaker: Breaker


_IDENTITY: Final = {
    *("provider", "via", "region", "project", "model", "base_url", "api_key_env", "api_key_block", "limits"),
}
_lock: Final = threading.Lock()
_known: Final[dict[str, Shared]] = {}


def shared(spec: ModelSpec) -> Shared:
    """Return what a model's engines share; the same model under two names with the same limits is one model."""
    identity = spec.model_dump_json(include=_IDENTITY)
    with _lock:
        return _known.setdefault(identity, Shared(Limiter(spec.limits), Breaker(spec.limits)))


def reset_breakers() -> None:
    """Give models that did not answer another chance: a stage begins."""
    with _lock:
        for known in _known.values():
            known.breaker.reset()
