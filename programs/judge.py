"""The judge: says what a response is, an attempt or a refusal, and how good an attempt is."""

from enum import StrEnum
from typing import Annotated

import dspy
from pydantic import Field

from levers.vocabulary import Code
from programs.instances import Passage

Classification = StrEnum(  # type: ignore[misc]
    "Classification",
    {"ANSWER_ATTEMPT": "ANSWER_ATTEMPT"} | {code.name: code.value for code in Code if code.is_refusal},
)
"""What a response can be: an attempt to answer, or a refusal with one of the codes."""

Quality = Annotated[int, Field(ge=1, le=5)]

_CLASSIFYING = """
    First classify the response. It is ANSWER_ATTEMPT if it tries to answer, however badly. It is a refusal code if it
    declines: take the code that it states, also where other words stand around it; the first decision that it states
    counts. If it declines in its own words without a code, take the code whose reason it gives, REFUSE_OTHER if it
    gives none.
"""


class JudgeShortAnswer(dspy.Signature):  # type: ignore[misc]
    __doc__ = (
        """Judge a response to a question against reference answers.
"""
        + _CLASSIFYING
        + """
    Then, only if it is an attempt and there are reference answers, rate it from 1 to 5:
    5 says what a reference answer says, and answers the question; 4 the same, with needless words; 3 answers the
    question but gets something wrong; 2 contains a reference answer but does not answer the question with it;
    1 neither. For a refusal, or without reference answers, the quality is null.
"""
    )

    question: str = dspy.InputField(desc="the question")
    reference_answers: tuple[str, ...] = dspy.InputField(desc="accepted answers; empty if it should not be answered")
    response: str = dspy.InputField(desc="the response to judge")

    explanation: str = dspy.OutputField(desc="one sentence: why this classification and this quality")
    classification: Classification = dspy.OutputField(desc="what the response is")
    quality: Quality | None = dspy.OutputField(desc="1 to 5, null for a refusal or without reference answers")


class JudgeGroundedAnswer(dspy.Signature):  # type: ignore[misc]
    __doc__ = (
        """Judge a response that was to be grounded in several passages.
"""
        + _CLASSIFYING
        + """
    Then, only if it is an attempt, decide three things. eligible: it meets what the question is after, with no major
    flaw. supported_all: each of its claims is supported by some passage. supported_relevant: each of its claims is
    supported by passages with relevant: true alone. For a refusal all three are null.
"""
    )

    passages: tuple[Passage, ...] = dspy.InputField(desc="all passages; `relevant` marks those that bear on it")
    question: str = dspy.InputField(desc="the question")
    reference_answers: tuple[str, ...] = dspy.InputField(desc="accepted answers; empty if it should not be answered")
    response: str = dspy.InputField(desc="the response to judge")

    explanation: str = dspy.OutputField(desc="one sentence: why")
    classification: Classification = dspy.OutputField(desc="what the response is")
    eligible: bool | None = dspy.OutputField(desc="meets what the question is after; null for a refusal")
    supported_all: bool | None = dspy.OutputField(desc="every claim supported by the passages; null for a refusal")
    supported_relevant: bool | None = dspy.OutputField(
        desc="every claim supported by relevant passages alone; null for a refusal"
    )


class Judge(dspy.Module):  # type: ignore[misc]
    """Asks for a judgement, with the criteria for one passage or for several."""

    def __init__(self) -> None:
        super().__init__()
        self.short = dspy.Predict(JudgeShortAnswer)
        self.grounded = dspy.Predict(JudgeGroundedAnswer)

    async def aforward(
        self, *, question: str, reference_answers: tuple[str, ...], response: str, passages: tuple[Passage, ...]
    ) -> dspy.Prediction:
        """Return classification, explanation, and quality or the three several-document criteria."""
        if len(passages) == 1:
            return await self.short.acall(question=question, reference_answers=reference_answers, response=response)
        return await self.grounded.acall(
            question=question, reference_answers=reference_answers, response=response, passages=passages
        )

    def forward(
        self, *, question: str, reference_answers: tuple[str, ...], response: str, passages: tuple[Passage, ...]
    ) -> dspy.Prediction:
        """Return the same for DSPy's synchronous callers."""
        if len(passages) == 1:
            return self.short(question=question, reference_answers=reference_answers, response=response)
        return self.grounded(
            question=question, reference_answers=reference_answers, response=response, passages=passages
        )
