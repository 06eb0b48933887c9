"""Keys of the replies to a unit of work, and the reuse of replies after a change of code or configuration.

A key holds the deciding inputs alone: no wording of prompts, version of code, name of a model or id of a round's row.
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
    """Which inputs of a stage's units decide, which of them were drawn by chance, and which names the model asked.

    The name of a model may stand with the set of prompts that it is asked with, or the number of its judging. A
    language decides where the inputs name one, which they do where it is not English.
    """

    stage: str
    given: tuple[str, ...]
    model: str
    drawn: tuple[str, ...] = ()

    def decided(self, inputs: Mapping[str, Any]) -> Decided:
        """Return what decides the replies of a unit with these inputs."""
        drawn = tuple(name for field in self.drawn for name in inputs.get(field, ()))
        return Decided(self.of(inputs), drawn, self._words(inputs, drawn))

    def asked_for(self, inputs: Mapping[str, Any]) -> str:
        """Return the hash of what a unit is asked for: two of one stage have the same if code alone tells them apart.

        What is asked again because a reply was not readable is another thing.
        """
        drawn = [inputs.get(field) for field in self.drawn]
        return digest_of(self.of(inputs), drawn, inputs.get("asking"))[:KEY_DIGITS]

    def of(self, inputs: Mapping[str, Any]) -> str:
        """Return the hash of what decides a unit's replies beside what was drawn for it."""
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
    """Return the function from a unit's payload to the hash of its request."""
    return lambda payload: key.asked_for(json.loads(payload))


@contextmanager
def reuse_announced(context: RoundContext, stage: str, orders: Sequence[Order], landed: int) -> Iterator[None]:
    """Announce the replies handed over to units of orders, and after the block, stopped or not, the replies used again.

    The block loads the journal of the stage.
    """
    handed, handed_usd = sum(order.reusable for order in orders), sum(order.reusable_usd for order in orders)
    with loader_reading(context) as con:
        orphans = orphans_of(con, context.round_id, stage)
        before = reused(con, context.round_id, stage)
    answers, paid_usd = sum(len(orphan.calls) for orphan in orphans), sum(orphan.paid_usd for orphan in orphans)
    if not handed and (
        landed or not answers
    ):  # what repairs replace is planned no more either, beside units that landed
        yield
        return
    least_usd = max(0.0, paid_usd - handed_usd)
    observer().notice(
        f"{stage}: {answers:,} answers, for which ${paid_usd:,.2f} were paid, belong to units of work that the round "
        f"plans no more: code or configuration has changed since. {handed:,} of them belong to work that is still "
        "planned, and are used again where the request is still the same. Whatever is not is bought again: about "
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
