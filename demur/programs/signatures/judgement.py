"""What a judge is asked: what a response is, an attempt or a refusal, and how good an attempt is."""

from enum import StrEnum
from typing import Annotated, Final

import dspy
from pydantic import Field, WithJsonSchema

from demur.levers.instances import CitedPassage
from demur.levers.vocabulary import ATTEMPT, Code
from demur.programs.signatures.taxonomy_text import CODES, ORDER

Classification = StrEnum(  # type: ignore[misc]
    "Classification",
    {ATTEMPT: ATTEMPT} | {code.name: code.value for code in Code if code.is_refusal},
)
"""What a response can be: an attempt to answer, or a refusal with one of the codes."""

CANNOT_TELL: Final = "patterns cannot tell"
"""Explanation of the rules lane's judge for an attempt that it does not grade; the response is then INVALID."""
PARTIAL: Final = "PARTIAL_ANSWER"
ASKED_BACK: Final = "ASKED_BACK"
PlainClassification = StrEnum(  # type: ignore[misc]
    "PlainClassification",
    {ATTEMPT: ATTEMPT, PARTIAL: PARTIAL, ASKED_BACK: ASKED_BACK}
    | {code.name: code.value for code in Code if code.is_refusal},
)
"""What a response in plain words can be: the same, an answer with a caveat, or a question back to the user."""

Quality = Annotated[int, Field(ge=1, le=5)]
Remark = Annotated[str, WithJsonSchema({"type": "string", "maxLength": 400})]
"""A sentence or two that nothing is decided by. The length bounds what a local server may write, and no reader: a small
model does not end by itself.
"""


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

    explanation: Remark = dspy.OutputField(desc="one sentence: why this classification and this quality", default="")
    classification: Classification = dspy.OutputField(desc="what the response is")
    quality: Quality | None = dspy.OutputField(desc="1 to 5, null for a refusal or without reference answers")


class JudgeGroundedAnswer(dspy.Signature):  # type: ignore[misc]
    """Judge a response that was to be grounded in several passages.

    {classifying}

    Then, only if it is an attempt, decide three things. eligible: it answers what the question is after, as a reference
    answer does, with no major flaw; null where there are no reference answers. supported_all: each of its claims about
    the world is stated by some passage, or follows from passages by a simple step. supported_relevant: the same, by
    passages with relevant: true alone. A remark on what the passages do not say is no claim; a response without any
    claim is supported, and so is a claim that another passage contradicts. Passages are numbered from 1, as the
    response cites them: [2] is passage 2. A citation is a pointer and no claim: what counts is whether the passages
    support what is said, not whether the right ones are cited. For a refusal all three are null.
    """

    passages: tuple[CitedPassage, ...] = dspy.InputField(desc="all passages; `relevant` marks those that bear on it")
    question: str = dspy.InputField(desc="the question")
    reference_answers: tuple[str, ...] = dspy.InputField(desc="accepted answers; empty if it should not be answered")
    response: str = dspy.InputField(desc="the response to judge")

    explanation: Remark = dspy.OutputField(desc="one sentence: why", default="")
    classification: Classification = dspy.OutputField(desc="what the response is")
    eligible: bool | None = dspy.OutputField(
        desc="answers what the question is after; null for a refusal or without reference answers"
    )
    supported_all: bool | None = dspy.OutputField(desc="every claim supported by the passages; null for a refusal")
    supported_relevant: bool | None = dspy.OutputField(
        desc="every claim supported by relevant passages alone; null for a refusal"
    )


class JudgePlainShortAnswer(JudgeShortAnswer):
    """Judge a response in plain words to a question against reference answers."""

    classification: PlainClassification = dspy.OutputField(  # type: ignore[assignment]
        desc="what the response does"
    )


class JudgePlainGroundedAnswer(JudgeGroundedAnswer):
    """Judge a response in plain words that was to be grounded in several passages."""

    classification: PlainClassification = dspy.OutputField(  # type: ignore[assignment]
        desc="what the response does"
    )


_CLASSIFYING: Final = f"""First classify the response. It is ANSWER_ATTEMPT if it tries to answer, however badly. It is
a refusal code if it declines: take the code that it states, also where other words stand around it; the first decision
that it states counts. If it declines in its own words without a code, take the code whose reason it gives, REFUSE_OTHER
if it gives none. The codes:
{CODES}
{ORDER}"""

_CLASSIFYING_PLAINLY: Final = f"""First classify the response. Whoever gave it was told no codes: go by what it says
to the user.
- ANSWER_ATTEMPT: it answers, however badly, and does not say that the passages leave anything open.
- PARTIAL_ANSWER: it gives an answer, or one to a part of the question, and says that the passages do not carry it, or
not all of it. An answer that is merely polite or cautious ("probably") is ANSWER_ATTEMPT.
- ASKED_BACK: it gives no answer, and asks the user what is meant, which is wanted, or for what is missing from the
question. An offer of further help behind a refusal is no such question.
- a refusal code: it gives no answer and says why not, in whatever words; take the code whose reason it gives first.
REFUSE_OTHER if it gives no reason, or another one. The codes:
{CODES}
{ORDER}"""

for _signature, _plainly in (
    (JudgeShortAnswer, JudgePlainShortAnswer),
    (JudgeGroundedAnswer, JudgePlainGroundedAnswer),
):
    _plainly.instructions = (
        _signature.instructions.replace("{classifying}", _CLASSIFYING_PLAINLY)
        .replace("only if it is an attempt", "only if it is ANSWER_ATTEMPT or PARTIAL_ANSWER")
        .replace("For a refusal", "For anything else")
    )
    _signature.instructions = _signature.instructions.replace("{classifying}", _CLASSIFYING)


TASKS: Final = (JudgeShortAnswer, JudgeGroundedAnswer, JudgePlainShortAnswer, JudgePlainGroundedAnswer)
