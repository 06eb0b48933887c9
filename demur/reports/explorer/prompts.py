"""The prompts of requests, in a form for display."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from demur.configuration.settings import keys_of
from demur.engine.state.shared import shared_state
from demur.lanes.masking import Mask
from demur.warehouse.home import Home


@dataclass(frozen=True, slots=True)
class ShownPrompt:
    """A sent prompt. API keys are masked, turns are pairs of role and text, and `schema` is a JSON Schema or None."""

    system: str
    turns: tuple[tuple[str, str], ...]
    schema: str | None


def prompts_of(home: Home, calls: Sequence[Mapping[str, Any]]) -> dict[str, ShownPrompt]:
    """Return prompts by call id. `calls` are rows of the explorer's SQL statement `calls`.

    Raises:
        LandingError: the store of calls cannot be read.
    """
    state = shared_state(home)
    hidden = Mask(None, keys_of(()).values()).error
    shown = {}
    for row in calls:
        sent = state.prompt(row["round_id"], row["stage"], row["shard"], row["call_id"])
        if sent is not None:
            turns = tuple((role, hidden(text)) for role, text in sent.turns)
            schema = None if sent.wanted is None else _schema(sent.wanted)
            shown[row["call_id"]] = ShownPrompt(hidden(sent.system), turns, schema)
    return shown


def _schema(wanted: str) -> str:
    return json.dumps(json.loads(wanted)["schema"], ensure_ascii=False, indent=1)
