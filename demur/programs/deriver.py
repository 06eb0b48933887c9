"""The deriver gives an answer that no passage states, with the places behind the answer. A judge checks derivations.

Code checks the places, and a judge compares the derived answer with the accepted ones.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from demur.levers.instances import Passage, UsedStatement
from demur.levers.vocabulary import ATTEMPT, INVALID, Code
from demur.programs.checks.derivation import rests_on
from demur.programs.errors import ReplyError
from demur.programs.journal import note_unreadable
from demur.programs.judge import ATTEMPTS
from demur.programs.model import Model, SingleCall
from demur.programs.prompt_sizes import TYPICAL_RESPONSE, Prompt, PromptSample
from demur.programs.signatures.deriving import DeriveAnswer, JudgeDerivation
from demur.programs.signatures.response import numbered


class Deriver(SingleCall):
    """Asks for an answer that can be checked step by step."""

    def __init__(self) -> None:
        super().__init__("derive", DeriveAnswer)


class DerivationJudge(SingleCall):
    """Asks whether a derived answer is an accepted one, and whether the passages carry the accepted one."""

    def __init__(self) -> None:
        super().__init__("judge_derivation", JudgeDerivation)


@dataclass(frozen=True, slots=True)
class Derivation:
    """A screener's reply: the answer, and all that it rests on.

    `answer` is None if the passages lack something. `other_answers` are those by other definitions or places.
    """

    answer: str | None
    definitions: tuple[str, ...]
    used: tuple[UsedStatement, ...]
    steps: str
    lacking: tuple[str, ...]
    other_answers: tuple[str, ...]

    def predicted(self, passages: Sequence[Passage]) -> str:
        """Return what the derivation is: an attempt, a refusal code, or INVALID if its quotes do not hold."""
        if self.answer is None or self.lacking:
            return Code.MISSING.value
        if self.other_answers:
            return Code.AMBIGUOUS.value
        return ATTEMPT if rests_on(self.used, [passage.text for passage in passages]) else INVALID


async def derive(program: Deriver, model: Model, question: str, passages: Sequence[Passage]) -> Derivation:
    """Return a model's derivation of an answer. The model does not see the accepted answers.

    Raises:
        ReplyError, LaneError: as `Model.run`.
    """
    reply = await model.run(program, question=question, passages=numbered(one.text for one in passages))
    return Derivation(
        (reply.answer or "").strip() or None,
        _filled(reply.definitions),
        tuple(reply.used),
        reply.steps,
        _filled(reply.lacking),
        _filled(reply.other_answers),
    )


def _filled(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(text.strip() for text in texts if text.strip())


async def is_proved(
    program: DerivationJudge,
    model: Model,
    question: str,
    accepted_answers: Sequence[str],
    derivation: Derivation,
    passages: Sequence[Passage],
) -> bool:
    """Return whether a judge finds that a derivation proves an accepted answer; False if no judgement can be read.

    Raises:
        LaneError: no reply came.
    """
    problem = ""
    for _ in range(ATTEMPTS):
        try:
            reply = await model.run(
                program,
                passages=numbered(one.text for one in passages),
                question=question,
                accepted_answers=tuple(accepted_answers),
                answer=derivation.answer,
                definitions=derivation.definitions,
                used=derivation.used,
                steps=derivation.steps,
            )
        except ReplyError as exc:
            problem = exc.problem
            continue
        return bool(reply.same and reply.settled and not _filled(reply.not_carried))
    note_unreadable(problem)
    return False


_PLACE: Final = (UsedStatement(taken="1904", quote="The pier opened in 1904."),)


def deriver_prompts(sample: PromptSample) -> Iterator[Prompt]:
    """Yield a typical prompt for a screener."""
    texts = numbered(passage.text for passage in sample.base.passages)
    yield DeriveAnswer, {"question": sample.base.question, "passages": texts}


def derivation_judge_prompts(sample: PromptSample) -> Iterator[Prompt]:
    """Yield a typical prompt for the judge."""
    base = sample.base
    yield (
        JudgeDerivation,
        {
            "passages": numbered(passage.text for passage in base.passages),
            "question": base.question,
            "accepted_answers": base.answers,
            "answer": TYPICAL_RESPONSE,
            "definitions": (),
            "used": _PLACE,
            "steps": TYPICAL_RESPONSE,
        },
    )
