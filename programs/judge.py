"""The judge: says what a response is, an attempt or a refusal, and how good an attempt is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Final

import dspy
from pydantic import Field

from demur.levers.vocabulary import ATTEMPT, CORRECT_FROM, INVALID, Code
from demur.programs.codes import codes_in, other_codes
from demur.programs.errors import ReplyError
from demur.programs.explained import CODES, ORDER
from demur.programs.instances import CitedPassage, Passage, cited
from demur.programs.lanes.factory import Model
from demur.programs.predict import Predict

ATTEMPTS: Final = 3
"""A judgement that cannot be read is asked for again at most twice; then the response is INVALID."""
_SUPPORT: Final = ("supported_all", "supported_relevant")

Classification = StrEnum(  # type: ignore[misc]
    "Classification",
    {ATTEMPT: ATTEMPT} | {code.name: code.value for code in Code if code.is_refusal},
)
"""What a response can be: an attempt to answer, or a refusal with one of the codes."""

Quality = Annotated[int, Field(ge=1, le=5)]


class JudgeShortAnswer(dspy.Signature):  # type: ignore[misc]
    """Judge a response to a question against reference answers.

    {classifying}

    Then, only if it is an attempt and there are reference answers, rate it from 1 to 5:
    5 says what a reference answer says, answers the question with it, and adds nothing that was not asked for;
    4 does so with needless facts or words. Asked when the pier opened, reference "1904", "In 1904." and "The pier
    opened in 1904." are 5, "In 1904, at a cost of 3,000 pounds." is 4. 3 answers the question but gets something
    wrong; 2 contains a reference answer but does not answer the question with it; 1 neither. For a refusal, or without
    reference answers, the quality is null.
    """

    question: str = dspy.InputField(desc="the question")
    reference_answers: tuple[str, ...] = dspy.InputField(desc="accepted answers; empty if it should not be answered")
    response: str = dspy.InputField(desc="the response to judge")

    explanation: str = dspy.OutputField(desc="one sentence: why this classification and this quality")
    classification: Classification = dspy.OutputField(desc="what the response is")
    quality: Quality | None = dspy.OutputField(desc="1 to 5, null for a refusal or without reference answers")


class JudgeGroundedAnswer(dspy.Signature):  # type: ignore[misc]
    """Judge a response that was to be grounded in several passages.

    {classifying}

    Then, only if it is an attempt, decide three things. eligible: it answers what the question is after, as a reference
    answer does, with no major flaw; null where there are no reference answers. supported_all: each of its claims about
    the world is stated by some passage, or follows from passages by a simple step. supported_relevant: the same, by
    passages with relevant: true alone. Passages are numbered from 1, as the response cites them: [2] is passage 2. A
    citation is a pointer and no claim: what counts is whether the passages support what is said, not whether the right
    ones are cited. For a refusal all three are null.
    """

    passages: tuple[CitedPassage, ...] = dspy.InputField(desc="all passages; `relevant` marks those that bear on it")
    question: str = dspy.InputField(desc="the question")
    reference_answers: tuple[str, ...] = dspy.InputField(desc="accepted answers; empty if it should not be answered")
    response: str = dspy.InputField(desc="the response to judge")

    explanation: str = dspy.OutputField(desc="one sentence: why")
    classification: Classification = dspy.OutputField(desc="what the response is")
    eligible: bool | None = dspy.OutputField(
        desc="answers what the question is after; null for a refusal or without reference answers"
    )
    supported_all: bool | None = dspy.OutputField(desc="every claim supported by the passages; null for a refusal")
    supported_relevant: bool | None = dspy.OutputField(
        desc="every claim supported by relevant passages alone; null for a refusal"
    )


_CLASSIFYING: Final = f"""First classify the response. It is ANSWER_ATTEMPT if it tries to answer, however badly. It is
a refusal code if it declines: take the code that it states, also where other words stand around it; the first decision
that it states counts. If it declines in its own words without a code, take the code whose reason it gives, REFUSE_OTHER
if it gives none. The codes:
{CODES}
{ORDER}"""

for _signature in (JudgeShortAnswer, JudgeGroundedAnswer):
    _signature.instructions = _signature.instructions.replace("{classifying}", _CLASSIFYING)


class Judge(dspy.Module):  # type: ignore[misc]
    """Asks for a judgement, with the criteria for one passage or for several."""

    def __init__(self) -> None:
        super().__init__()
        self.short = Predict(JudgeShortAnswer)
        self.grounded = Predict(JudgeGroundedAnswer)

    async def aforward(
        self, *, question: str, reference_answers: tuple[str, ...], response: str, passages: tuple[Passage, ...]
    ) -> dspy.Prediction:
        """Return classification, explanation, and quality or the three several-document criteria."""
        if len(passages) == 1:
            return await self.short.acall(question=question, reference_answers=reference_answers, response=response)
        return await self.grounded.acall(
            question=question, reference_answers=reference_answers, response=response, passages=cited(passages)
        )

    def forward(
        self, *, question: str, reference_answers: tuple[str, ...], response: str, passages: tuple[Passage, ...]
    ) -> dspy.Prediction:
        """Return the same for DSPy's synchronous callers."""
        if len(passages) == 1:
            return self.short(question=question, reference_answers=reference_answers, response=response)
        return self.grounded(
            question=question, reference_answers=reference_answers, response=response, passages=cited(passages)
        )


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a response is and how good: the fields of one layout are set, the others None.

    `predicted` is ANSWER_ATTEMPT, a refusal code, or INVALID where no judgement could be read. `eligible` and `correct`
    are set for attempts on answerable instances only. `several_codes` says that the response states more than one
    code; `other_codes` are those that it names beside the one it decides on.
    """

    predicted: str
    several_codes: bool = False
    quality: int | None = None
    eligible: bool | None = None
    supported_all: bool | None = None
    supported_relevant: bool | None = None
    correct: bool | None = None
    explanation: str = ""
    other_codes: tuple[Code, ...] = ()


async def judge(
    program: Judge,
    model: Model,
    question: str,
    reference_answers: Sequence[str],
    response: str,
    passages: Sequence[Passage],
) -> Judgement:
    """Return the judgement of a response; no reference answers means that it should have been refused.

    Raises:
        LaneError: no reply came.
    """
    problem = ""
    codes = len(codes_in(response)) > 1, other_codes(response)
    for _ in range(ATTEMPTS):
        try:
            reply = await model.run(
                program,
                question=question,
                reference_answers=tuple(reference_answers),
                response=response,
                passages=tuple(passages),
            )
            judgement = _judgement(reply, answerable=bool(reference_answers), several=len(passages) > 1)
        except ReplyError as exc:
            problem = exc.problem
            continue
        return replace(judgement, several_codes=codes[0], other_codes=codes[1])
    unread = f"no judgement could be read: {problem}"
    return Judgement(INVALID, several_codes=codes[0], other_codes=codes[1], explanation=unread)


def _judgement(reply: dspy.Prediction, *, answerable: bool, several: bool) -> Judgement:
    """Return the judgement of a reply.

    Raises:
        ReplyError: it rates nothing that needs a rating.
    """
    predicted = str(reply.classification)
    if predicted != Classification.ANSWER_ATTEMPT:  # type: ignore[attr-defined]
        return Judgement(predicted=predicted, explanation=reply.explanation)
    if several:
        wanted = ("eligible", *_SUPPORT) if answerable else _SUPPORT
        if unrated := [name for name in wanted if getattr(reply, name) is None]:
            raise ReplyError(f"an attempt was not rated: {', '.join(unrated)}", reply=str(reply.explanation))
        eligible = reply.eligible if answerable else None
        return Judgement(
            predicted=predicted,
            eligible=eligible,
            supported_all=reply.supported_all,
            supported_relevant=reply.supported_relevant,
            correct=eligible and reply.supported_relevant,
            explanation=reply.explanation,
        )
    quality = reply.quality if answerable else None
    if answerable and quality is None:
        raise ReplyError("an attempt on an answerable question was given no quality", reply=str(reply.explanation))
    correct = quality >= CORRECT_FROM if quality is not None else None
    return Judgement(predicted=predicted, quality=quality, correct=correct, explanation=reply.explanation)
