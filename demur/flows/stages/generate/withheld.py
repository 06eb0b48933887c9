"""Withheld passages: the passages that answer are not there, and the nearest other passages are. Nothing is edited.

Code makes these perturbations in the place of a generator. The round's prover tests each of them: it must find no
answer in what is left, neither an accepted answer nor another one.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from demur.engine.context import RoundContext
from demur.engine.instances import perturbation_of
from demur.flows.stages.ask.sources import round_passages
from demur.levers.instances import BaseInstance
from demur.levers.models import Lever
from demur.levers.vocabulary import Layout
from demur.programs.checks.questions import gives_answer
from demur.programs.generator import Generated
from demur.programs.model import Model
from demur.programs.prover import Prover, prove
from demur.text.support import says_yes_or_no
from demur.warehouse.connection import Connection


def can_withhold(context: RoundContext, instances: Mapping[str, BaseInstance]) -> bool:
    """Return whether passages can be withheld: the round has a prover, and base instances of several passages."""
    several = any(base.layout is Layout.MULTI for base in instances.values())
    return several and context.config.roles.prover is not None


class OtherPassages:
    """Finds passages that can stand in the place of those that answer, among texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        from demur.corpora.documents.nearest import NearestPassages

        self._index = NearestPassages((text, text) for text in dict.fromkeys(texts))

    @classmethod
    def of(cls, context: RoundContext, con: Connection, instances: Mapping[str, BaseInstance]) -> "OtherPassages":
        """Return the passages of the round's documents or, without documents, of its base instances."""
        if context.config.documents is not None:
            return cls(one.shown for one in round_passages(context, con).values())
        return cls(passage.text for base in instances.values() for passage in base.passages)

    def instead(self, base: BaseInstance) -> list[dict[str, Any]]:
        """Return a text for each signal passage, as (index, text): the nearest to the question, without an answer.

        The list is empty if there are too few other passages.
        """
        own = {passage.text for passage in base.passages}
        answers = tuple(answer for answer in base.answers if not says_yes_or_no(answer))
        signal = [passage.index for passage in base.passages if passage.relevant]
        found = self._index.nearest(
            base.question,
            len(signal),
            lambda text: text not in own and not gives_answer(text, answers, base.language),
        )
        if len(found) < len(signal):
            return []
        return [{"index": index, "text": text} for index, text in zip(signal, found, strict=True)]


async def withhold(prover: Model, base: BaseInstance, lever: Lever, changed: Sequence[Mapping[str, Any]]) -> Generated:
    """Return the perturbation with the changed passages, or a decline if the prover finds an answer.

    Raises:
        ReplyError, LaneError: as `Model.run`.
    """
    if not changed:
        return Generated(None, f"{lever.name}: no_suitable_span (no other passages are left)", "", "")
    made = perturbation_of(base.question, changed, lever.name)
    proof = await prove(Prover(), prover, base.question, [passage.text for passage in made.passages(base)])
    if found := "; ".join(answer for answer in (proof.answer, *proof.other_answers) if answer):
        return Generated(None, f"{lever.name}: answer_would_remain (the prover answers)", f"The prover: {found}", "")
    return Generated(made, None, proof.reading, "The prover finds no answer in what is left.")
