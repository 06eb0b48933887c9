"""What is asked where texts are not English: the same tasks, with their language told in a field of its own.

Prompts of English texts stay as they are. One prompt serves all other languages, so that providers can cache it.
"""

from collections.abc import Hashable
from functools import lru_cache
from typing import Any, Final, cast

import dspy

from demur.levers.vocabulary import ENGLISH
from demur.text.language_detection import language_name

FIELD: Final = "language"
"""The input field that names the language, in English: `German`."""

_GENERAL: Final = (
    "The texts are not English: `language` names their language. Read and judge them as somebody does who has read and "
    "written that language all their life, by its own grammar, spelling and punctuation. What is said of language in "
    "these instructions holds by the means of that language."
)
_ENGLISH: Final = "Codes, names of levers and JSON keys stay as they are; {fields} in English."
_GENERATION: Final = (
    "Write the perturbed question and the changed passages in that language, never in another. Instructions and "
    "examples of levers are English: reach in that language what they reach in English, and decline where it has no "
    "means for that. " + _ENGLISH.format(fields="`reasoning`, `declined` and `answer_constraint_met` are")
)
_RESPONSE: Final = "Answer in that language. Refusal codes stay as they are."
_SURE_RESPONSE: Final = f"{_RESPONSE} So do the line on confidence and its levels."
_JUDGEMENT: Final = (
    "A reference answer counts in every form that it takes in that language: inflected, with or without an article, in "
    "other numerals. A response in another language that says the same is as good. "
    + _ENGLISH.format(fields="write `explanation`")
)
WRITING: Final[dict[str, str]] = {
    "GeneratePerturbation": _GENERATION,
    "RepairPerturbation": _GENERATION,
    "VerifyPerturbation": (
        "A changed text that is not, or not all, in that language is no sound text. An accepted answer counts in every "
        "form that it takes in that language. "
        + _ENGLISH.format(fields="write `refusal_analysis`, `constraint_analysis` and `issues`")
    ),
    "ReadKey": "`respondent_instructions` are written in English and hold of that language too. "
    + _ENGLISH.format(fields="write `analysis`"),
    "AnswerFromPassage": _RESPONSE,
    "AnswerFromPassages": _RESPONSE,
    "AnswerFromPassageSurely": _SURE_RESPONSE,
    "AnswerFromPassagesSurely": _SURE_RESPONSE,
    "AnswerPlainly": "Reply in that language.",
    "AnswerFromMemory": "Answer in that language.",
    "JudgeShortAnswer": _JUDGEMENT,
    "JudgeGroundedAnswer": _JUDGEMENT,
    "JudgePlainShortAnswer": _JUDGEMENT,
    "JudgePlainGroundedAnswer": _JUDGEMENT,
    "WriteCompletion": "Write the completion in that language. Refusal codes stay as they are.",
    "GradePropositions": "What a proposition and its examples say in English holds of that language too.",
    "AskProposition": "What a proposition and its examples say in English holds of that language too.",
    "RateHelpfulness": _ENGLISH.format(fields="write `reason`"),
}
"""By task, what to write in the language of the texts and what in English; a task that is not here is never told."""


def language_input(language: str) -> dict[str, str]:
    """Return the input that names a language, by its code; none for English."""
    return {} if language == ENGLISH else {FIELD: language_name(language)}


def with_language(signature: type[dspy.Signature], task: str) -> type[dspy.Signature]:
    """Return what a task asks where texts are not English, from the signature that asks it of English ones.

    The instructions say nothing of one language, and the new field is the last of the inputs.
    """
    extended: type[dspy.Signature] = _with_language(cast("Hashable", signature), task)
    return extended


@lru_cache(maxsize=256)
def _with_language(signature: Any, task: str) -> Any:
    instructions = f"{signature.instructions}\n\n{_GENERAL} {WRITING[task]}"
    field = dspy.InputField(desc="the language of the texts, in English")
    return signature.append(FIELD, field, str).with_instructions(instructions)
