"""Keys by which replies are found for reuse after a change of code or configuration.

A key is a hash of the deciding inputs of a unit. The key does not depend on the wording of prompts, versions of code,
names of models or ids of rows.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from demur.engine.context import RoundContext, digest_of, loader_reading
from demur.engine.progress import observer
from demur.errors import StageStopped
from demur.programs.journal import Decided
from demur.warehouse.units import Order, orphans_of, reused

BASE: Final = ("question", "answers", "passages")
STRATUM: Final = ("class", "intensity")
COMPLETION: Final = ("policy", "behaviour", "prompt", "grounding")
KEY_DIGITS: Final = 16
_SHOWN: Final = (*STRATUM, "behaviour", "label", "lever_id")


@dataclass(frozen=True, slots=True)
class ReplyKey:
    """The deciding inputs of a stage's units.

    If the inputs have a language, the language is a deciding input too.

    Attributes:
        stage: The name of the stage.
        given: Names of the deciding inputs.
        model: The name of the input with the label of the asked model. A label can include the set of prompts ("name
            (set)") or the number of a repeated judgement ("name#2"). The set of prompts and this number are deciding
            inputs too.
        drawn: Names of inputs that were drawn at random.
    """

    stage: str
    given: tuple[str, ...]
    model: str
    drawn: tuple[str, ...] = ()

    def decided(self, inputs: Mapping[str, Any]) -> Decided:
        """Return the key, the drawn values and a short description of a unit."""
        drawn = tuple(name for field in self.drawn for name in inputs.get(field, ()))
        return Decided(self.of(inputs), drawn, self._words(inputs, drawn))

    def asked_for(self, inputs: Mapping[str, Any]) -> str:
        """Return the hash of a unit's request.

        The hash covers the deciding inputs, the drawn values, and the number of a repeated judgement (`asking`). Units
        with the same hash may still differ in versions of code, wording of prompts, names of models and ids of rows.
        """
        drawn = [inputs.get(field) for field in self.drawn]
        return digest_of(self.of(inputs), drawn, inputs.get("asking"))[:KEY_DIGITS]

    def of(self, inputs: Mapping[str, Any]) -> str:
        """Return the hash of a unit's deciding inputs without drawn values."""
        label = str(inputs.get(self.model, ""))
        _, _, prompts = label.partition(" (")
        _, _, judging = label.partition("#")
        given = [inputs.get(field) for field in self.given]
        given += [inputs["language"]] if inputs.get("language") else []
        return digest_of(self.stage, given, prompts.rstrip(")"), judging)[:KEY_DIGITS]

    def _words(self, inputs: Mapping[str, Any], drawn: tuple[str, ...]) -> str:
        question = str(inputs.get("question") or inputs.get("prompt") or "")
        words = [f"{self.stage} of {json.dumps(question[:80], ensure_ascii=False)}"]
        words += [str(inputs[field]) for field in _SHOWN if inputs.get(field)]
        words += [", ".join(drawn)] if drawn else []
        words += [f"base {inputs['base_id']}"] if inputs.get("base_id") else []
        return ", ".join(words)


def asked_for_by(key: ReplyKey) -> Callable[[str], str]:
    """Return the function that takes a unit's payload and returns the hash of the unit's request."""
    return lambda payload: key.asked_for(json.loads(payload))


@contextmanager
def reuse_announced(context: RoundContext, stage: str, orders: Sequence[Order], landed: int) -> Iterator[None]:
    """Announce how many replies may be reused, run the block, and announce how many replies were reused.

    The second notice is given even if the block raises StageStopped. The block must load the journals of the stage.
    """
    handed, handed_usd = sum(order.reusable for order in orders), sum(order.reusable_usd for order in orders)
    with loader_reading(context) as con:
        orphans = orphans_of(con, context.round_id, stage)
        before = reused(con, context.round_id, stage)
    answers, paid_usd = sum(len(orphan.calls) for orphan in orphans), sum(orphan.paid_usd for orphan in orphans)
    if not handed and (landed or not answers):  # once units have landed, repairs too replace units
        yield
        return
    least_usd = max(0.0, paid_usd - handed_usd)
    observer().notice(
        f"{stage}: {answers:,} answers, for which ${paid_usd:,.2f} were paid, belong to units of work that are no "
        f"longer planned, because code or configuration has changed. {handed:,} of them belong to changed units "
        "that are still planned, and are used again if the request is unchanged. The others are bought again: about "
        f"${least_usd:,.2f} at least, ${paid_usd:,.2f} at most"
    )
    stopped: StageStopped | None = None
    try:
        yield
    except StageStopped as exc:
        stopped = exc
    with loader_reading(context) as con:
        now = reused(con, context.round_id, stage)
    observer().notice(
        f"{stage}: {now.replies - before.replies:,} of {answers:,} answers were used again, which saved "
        f"${now.saved_usd - before.saved_usd:,.2f}"
    )
    if stopped is not None:
        raise stopped
