"""The prompts of requests, in a form for display."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from demur.configuration.settings import keys_of
from demur.lanes.masking import Mask
from demur.warehouse.home import Home
from demur.warehouse.prompts import sent_prompts


@dataclass(frozen=True, slots=True)
class ShownPrompt:
    """A sent prompt. API keys are masked, turns are pairs of role and text, and `schema` is a JSON Schema or None."""

    system: str
    turns: tuple[tuple[str, str], ...]
    schema: str | None


def prompts_of(home: Home, calls: Sequence[Mapping[str, Any]]) -> dict[str, ShownPrompt]:
    """Return prompts by call id. `calls` are rows of the explorer's SQL statement `calls`.

    Raises:
        WarehouseError, StoreError: a journal cannot be read.
    """
    journals = defaultdict(list)
    for row in calls:
        if row["journal"] is not None:
            journals[row["round_id"], row["stage"], row["journal"]].append(row["call_id"])
    hidden = Mask(None, keys_of(()).values()).error
    return {
        call_id: ShownPrompt(
            hidden(sent.system),
            tuple((role, hidden(text)) for role, text in sent.turns),
            None if sent.wanted is None else _schema(sent.wanted),
        )
        for place, call_ids in journals.items()
        for call_id, sent in sent_prompts(home, *place, call_ids).items()
    }


def _schema(wanted: str) -> str:
    return json.dumps(json.loads(wanted)["schema"], ensure_ascii=False, indent=1)
