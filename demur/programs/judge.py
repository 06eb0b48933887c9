"""The judge: classifies a response as an attempt or a refusal, and grades attempts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

import dspy

from demur.levers.instances import Passage, cited
from demur.levers.vocabulary import ATTEMPT, CORRECT_FROM, ENGLISH, INVALID, Code, Layout, Reaction
from demur.programs.adapter.contract import contract
from demur.programs.call_scope import note_reply, note_unreadable
from demur.programs.errors import ReplyError
from demur.programs.language_variants import in_language
from demur.programs.model import Model, Predict, Program
from demur.programs.prompt_sizes import TYPICAL_RESPONSE, Prompt, PromptSample
from demur.programs.replies.refusal_codes import codes_in, other_codes, read_reply, sole_code
from demur.programs.signatures.judgement import (
    ASKED_BACK,
    CANNOT_TELL,
    PARTIAL,
    JudgeGroundedAnswer,
    JudgePlainGroundedAnswer,
    JudgePlainShortAnswer,
    JudgeShortAnswer,
    PlainClassification,
)
from demur.programs.signatures.other_languages import language_input

BY_CODE: Final = "code"
BY_JUDGE: Final = "judge"
BY_REPLY: Final = "reply"
"""By what a response is classified: by its code if it is exactly one, by a judge, or by its reply.

A reply decides if nothing of it counts, or if the provider refused.
"""
_SUPPORT: Final = ("supported_all", "supported_relevant")
ATTEMPTS: Final = 3
"""An unreadable judgement is requested again at most twice; then the response is INVALID."""


class Judge(Program):
    """Asks for a judgement. The criteria of a grade depend on whether there is one passage or several.

    A response to a question without reference answers gets no grade, so its class is asked for without the passages.

    If `plain` is true, the responses are in plain words, without refusal codes.
    """

    def __init__(self, *, plain: bool = False) -> None:
        super().__init__()
        self.short = Predict(JudgePlainShortAnswer if plain else JudgeShortAnswer)
        self.grounded = Predict(JudgePlainGroundedAnswer if plain else JudgeGroundedAnswer)

    def chosen(self, inputs: dict[str, Any]) -> tuple[Predict, dict[str, Any]]:
        """Return the predictor and its inputs. Only the predictor of grounded answers gets the passages."""
        passages: tuple[Passage, ...] = inputs["passages"]
        judged = {name: value for name, value in inputs.items() if name != "passages"}
        if not is_grounded(inputs["reference_answers"], passages):
            return self.short, judged
        return self.grounded, {**judged, "passages": cited(passages)}


def is_grounded(reference_answers: Sequence[str], passages: Sequence[Passage]) -> bool:
    """Return whether an attempt is graded by several passages."""
    return len(passages) > 1 and bool(reference_answers)


class Contradiction(StrEnum):
    """In what a judge contradicts itself: its explanation states another code, or it grades a refusal."""

    CODE = "code"
    GRADE = "grade"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A response's classification and grade.

    `predicted` is ANSWER_ATTEMPT, a refusal code, or INVALID if no judgement could be read. Grades are None for
    refusals and for unanswerable items. Grades that do not belong to the item's layout are None.

    `is_mixed` is true if the response answers before it states a code. `several_codes` is true if the response states
    more than one code. `other_codes` are the codes that the response names, without the first code that it states.
    `reaction` is None unless responses are in plain words. A question back is classified as a refusal because of
    ambiguity, and a partial answer as an attempt. `judged_by` is BY_JUDGE if a judge was asked.
    `contradiction` says in what the judge contradicts itself; None if it does not.
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
    reaction: Reaction | None = None
    judged_by: str = BY_JUDGE
    is_mixed: bool = False
    contradiction: Contradiction | None = None


def settled_judgement(
    response: str, *, parses: bool, invalid_reason: str | None, refused_by_provider: bool
) -> dict[str, str] | None:
    """Return the fields of the judgement of a response about which no judge is asked; None for other responses.

    If nothing of the reply counts, the response is INVALID. A refusal by the provider is a refusal without a reason.
    With `parses`, a response that is exactly one refusal code is this refusal.
    """
    if refused_by_provider:
        said = "the provider refused in place of the model"
        return {"predicted": Code.OTHER.value, "explanation": said, "judged_by": BY_REPLY}
    if invalid_reason is not None:
        return {"predicted": INVALID, "explanation": invalid_reason, "judged_by": BY_REPLY}
    code = sole_code(response) if parses else None
    if code is None:
        return None
    return {"predicted": code.value, "explanation": "the response is this code alone", "judged_by": BY_CODE}


def judge_prompts(sample: PromptSample) -> Iterator[Prompt]:
    """Yield the prompts about an answerable and an unanswerable item in the layout of the sample."""
    base = sample.base
    judged = {"question": base.question, "reference_answers": base.answers, "response": TYPICAL_RESPONSE}
    yield JudgeShortAnswer, {**judged, "reference_answers": ()}
    if is_grounded(base.answers, base.passages):
        yield JudgeGroundedAnswer, {**judged, "passages": cited(base.passages)}
    else:
        yield JudgeShortAnswer, judged


def judge_instructions(layout: Layout) -> str:
    """Return a judge's instructions for items of a layout."""
    return contract(JudgeShortAnswer if layout is Layout.SINGLE else JudgeGroundedAnswer).system


async def judge(
    program: Judge,
    model: Model,
    question: str,
    reference_answers: Sequence[str],
    response: str,
    passages: Sequence[Passage],
    language: str = ENGLISH,
) -> Judgement:
    """Return a model's judgement of a response. Without reference answers the response should be a refusal.

    Raises:
        LaneError: no reply came.
    """
    problem = ""
    read: dict[str, Any] = {
        "several_codes": len(codes_in(response)) > 1,
        "other_codes": other_codes(response),
        "is_mixed": read_reply(response).is_mixed,
    }
    for _ in range(ATTEMPTS):
        try:
            reply = await model.run(
                in_language(program, language),
                question=question,
                reference_answers=tuple(reference_answers),
                response=response,
                passages=tuple(passages),
                **language_input(language),
            )
        except ReplyError as exc:
            problem = exc.problem
            continue
        try:
            grounded = is_grounded(reference_answers, passages)
            judgement = _judgement(reply, answerable=bool(reference_answers), grounded=grounded)
            judgement = replace(judgement, contradiction=_contradiction(reply, judgement.predicted))
        except ReplyError as exc:
            problem = exc.problem
            note_reply(problem, was_read=True)
            continue
        return replace(judgement, **read)
    note_unreadable(problem)
    unread = f"no judgement could be read: {problem}"
    return Judgement(INVALID, explanation=unread, **read)


def _contradiction(reply: dspy.Prediction, predicted: str) -> Contradiction | None:
    """Return in what a judge's reply contradicts itself: its explanation states other codes, or it grades a refusal."""
    explained = codes_in(reply.explanation)
    if explained and predicted not in explained:
        return Contradiction.CODE
    grades = (reply.get(name) for name in ("quality", "eligible", *_SUPPORT))
    if predicted != ATTEMPT and any(grade is not None for grade in grades):
        return Contradiction.GRADE
    return None


def _judgement(reply: dspy.Prediction, *, answerable: bool, grounded: bool) -> Judgement:
    predicted, reaction = _read(reply.classification)
    if predicted != ATTEMPT or not answerable:
        return Judgement(predicted=predicted, explanation=reply.explanation, reaction=reaction)
    graded = reply.eligible if grounded else reply.quality
    if graded is None and reply.explanation == CANNOT_TELL:
        return Judgement(predicted=INVALID, explanation=CANNOT_TELL)
    if grounded:
        wanted = ("eligible", *_SUPPORT)
        if unrated := [name for name in wanted if getattr(reply, name) is None]:
            raise ReplyError(f"an attempt was not rated: {', '.join(unrated)}", reply=str(reply.explanation))
        return Judgement(
            predicted=predicted,
            eligible=reply.eligible,
            supported_all=reply.supported_all,
            supported_relevant=reply.supported_relevant,
            correct=reply.eligible and reply.supported_relevant,
            explanation=reply.explanation,
            reaction=reaction,
        )
    if reply.quality is None:
        raise ReplyError("an attempt on an answerable question was given no quality", reply=str(reply.explanation))
    return Judgement(
        predicted=predicted,
        quality=reply.quality,
        correct=reply.quality >= CORRECT_FROM,
        explanation=reply.explanation,
        reaction=reaction,
    )


def _read(classification: StrEnum) -> tuple[str, Reaction | None]:
    """Return `Judgement.predicted` and the reaction. The reaction is None unless responses are in plain words."""
    said = str(classification)
    if not isinstance(classification, PlainClassification):
        return said, None
    known = {
        ATTEMPT: (ATTEMPT, Reaction.ANSWER),
        PARTIAL: (ATTEMPT, Reaction.PARTIAL_ANSWER),
        ASKED_BACK: (Code.AMBIGUOUS.value, Reaction.ASKED_BACK),
        Code.OTHER.value: (Code.OTHER.value, Reaction.REFUSAL_WITHOUT_REASON),
    }
    return known.get(said, (said, Reaction.REFUSAL))
