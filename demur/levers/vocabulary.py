"""Words that all packages of demur share: classes, intensities, codes, targets, roles.

Facts: "RefusalBench" (arXiv 2510.10390), sections 3.2-3.3 and Appendix I.
"""

from enum import StrEnum
from typing import Final, TypeAlias

ENGLISH: Final = "en"
"""The code of English by ISO 639-1; texts in an unknown language count as English."""


class LeverClass(StrEnum):
    """The six dimensions of informational uncertainty."""

    AMBIGUITY = "P-Ambiguity"
    CONTRADICTION = "P-Contradiction"
    MISSING_INFO = "P-MissingInfo"
    FALSE_PREMISE = "P-FalsePremise"
    GRANULARITY = "P-GranularityMismatch"
    EPISTEMIC = "P-EpistemicMismatch"


class Intensity(StrEnum):
    """Strengths of a defect. At LOW, the question can still be answered; at MEDIUM and HIGH, it cannot."""

    LOW = "LOW"
    MEDIUM = "MEDIUM"
    HIGH = "HIGH"


class Code(StrEnum):
    """Expected behaviours of respondents: answer, or refuse for one reason."""

    ANSWER_CORRECTLY = "ANSWER_CORRECTLY"
    AMBIGUOUS = "REFUSE_AMBIGUOUS_QUERY"
    CONTRADICTORY = "REFUSE_CONTRADICTORY_CONTEXT"
    MISSING = "REFUSE_INFO_MISSING_IN_CONTEXT"
    FALSE_PREMISE = "REFUSE_FALSE_PREMISE_IN_QUERY"
    GRANULARITY = "REFUSE_GRANULARITY_MISMATCH"
    NONFACTUAL = "REFUSE_NONFACTUAL_QUERY"
    OTHER = "REFUSE_OTHER"

    @property
    def is_refusal(self) -> bool:
        """True for every code except ANSWER_CORRECTLY."""
        return self is not Code.ANSWER_CORRECTLY


class AnyReason(StrEnum):
    """The expected behaviour of items that should be refused for whatever reason. No response is classified so."""

    REFUSE = "REFUSE"


Expectation: TypeAlias = Code | AnyReason
"""An expected behaviour: answer, refuse for one reason, or refuse for whatever reason."""
EXPECTATIONS: Final[tuple[Expectation, ...]] = (*(code for code in Code if code is not Code.OTHER), *AnyReason)

ATTEMPT: Final = "ANSWER_ATTEMPT"
INVALID: Final = "INVALID"
REFUSALS: Final[tuple[str, ...]] = tuple(code.value for code in Code if code.is_refusal)
PREDICTED: Final[tuple[str, ...]] = (ATTEMPT, *REFUSALS, INVALID)
"""Classifications of a response: an attempt, a refusal with a code, or INVALID."""


class Reaction(StrEnum):
    """Reactions in plain words, for respondents who are told no codes."""

    ANSWER = "answer"
    PARTIAL_ANSWER = "partial_answer"
    """An answer to a part, or with a caveat that the passages do not support it."""
    REFUSAL = "refusal"
    """A refusal with a reason."""
    REFUSAL_WITHOUT_REASON = "refusal_without_reason"
    ASKED_BACK = "asked_back"
    """A question about the user's meaning, without an answer."""


LOWEST_QUALITY: Final = 1
CORRECT_FROM: Final = 4
HIGHEST_QUALITY: Final = 5
"""The grades of an answer; answers are correct from CORRECT_FROM on."""


class Confidence(StrEnum):
    """The five verbal levels of a respondent's stated confidence, surest first."""

    VERY_CONFIDENT = "VERY_CONFIDENT"
    CONFIDENT = "CONFIDENT"
    SOMEWHAT_CONFIDENT = "SOMEWHAT_CONFIDENT"
    UNCERTAIN = "UNCERTAIN"
    VERY_UNCERTAIN = "VERY_UNCERTAIN"


class ReadObject(StrEnum):
    """What people read on a page: items, responses or questions."""

    ITEMS = "items"
    RESPONSES = "responses"
    QUESTIONS = "questions"


class AuditCriterion(StrEnum):
    """Criteria by which people check an accepted item. An item passes if each criterion is rated PASS."""

    LEVER_FIDELITY = "lever_fidelity"
    INTENSITY_ACHIEVED = "intensity_achieved"
    UNCERTAINTY_INDUCED = "uncertainty_induced"
    LINGUISTIC_SOUNDNESS = "linguistic_soundness"
    GROUND_TRUTH_ALIGNMENT = "ground_truth_alignment"


class Target(StrEnum):
    """Parts of a base instance that a lever may change."""

    QUERY = "query"
    CONTEXT = "context"
    QUERY_OR_CONTEXT = "query or context"
    QUERY_AND_CONTEXT = "query and context"


class Part(StrEnum):
    """A part of a base instance."""

    QUERY = "query"
    CONTEXT = "context"


class AnswerDoubt(StrEnum):
    """Reasons for which the accepted answers of a base instance cannot serve."""

    POINTS = "points elsewhere"
    """A pronoun or a word like one, such as `the court`, that names nothing by itself."""
    TWO_ROLES = "stands in two roles"
    """A common word that stands in the passages for another thing as well."""


class ChangePlace(StrEnum):
    """Places of a change. A change of passages is named by its place there, whatever happened to the question."""

    QUESTION = "question"
    QUESTION_END = "end of the question"
    """Words were hung on at the end of the question, and nothing else was changed."""
    FIRST_SENTENCE = "first sentence"
    INSIDE = "inside"
    LAST_SENTENCE = "last sentence"
    """All that was added, or taken out, stands in the last sentence of each changed passage, or is that sentence."""
    WHOLE_PASSAGE = "whole passage"
    """Most of a passage was replaced, or nothing of it is left."""


class AnswerFate(StrEnum):
    """State of an accepted answer in the passages after pulling the lever."""

    KEPT = "kept"
    KEPT_WITH_WEAKER_RIVAL = "kept with a weaker rival"
    REMOVED = "removed"
    RIVALLED = "rivalled"
    STRUCTURAL = "structural"


class Origin(StrEnum):
    """Origins of a lever's name."""

    PAPER = "paper"
    DEMUR = "demur"
    USER = "user"


class ItemKind(StrEnum):
    """Kinds of items: a perturbation, or an unchanged base instance."""

    PERTURBED = "perturbed"
    CONTROL = "control"


class Layout(StrEnum):
    """Number of passages of a base instance: one, or several with noise passages among them."""

    SINGLE = "single"
    MULTI = "multi"


class QuestionKind(StrEnum):
    """Kinds of questions about documents."""

    WHO = "who"
    WHEN = "when"
    WHERE = "where"
    HOW_MANY = "how many"
    WHICH = "which"
    WHAT = "what"
    WHY = "why"
    HOW = "how"
    WHICH_OF = "which of"
    """A choice between options that the question names."""
    YES_NO = "yes or no"


CLASS_CODE: dict[LeverClass, Code] = {
    LeverClass.AMBIGUITY: Code.AMBIGUOUS,
    LeverClass.CONTRADICTION: Code.CONTRADICTORY,
    LeverClass.MISSING_INFO: Code.MISSING,
    LeverClass.FALSE_PREMISE: Code.FALSE_PREMISE,
    LeverClass.GRANULARITY: Code.GRANULARITY,
    LeverClass.EPISTEMIC: Code.NONFACTUAL,
}

CLASS_TARGET: dict[LeverClass, Target] = {
    LeverClass.AMBIGUITY: Target.QUERY_OR_CONTEXT,
    LeverClass.CONTRADICTION: Target.CONTEXT,
    LeverClass.MISSING_INFO: Target.CONTEXT,
    LeverClass.FALSE_PREMISE: Target.QUERY,
    LeverClass.GRANULARITY: Target.QUERY_AND_CONTEXT,
    LeverClass.EPISTEMIC: Target.QUERY_AND_CONTEXT,
}

CLASS_SLUG: dict[LeverClass, str] = {
    LeverClass.AMBIGUITY: "ambiguity",
    LeverClass.CONTRADICTION: "contradiction",
    LeverClass.MISSING_INFO: "missing-info",
    LeverClass.FALSE_PREMISE: "false-premise",
    LeverClass.GRANULARITY: "granularity",
    LeverClass.EPISTEMIC: "epistemic",
}
"""The prefix of the ids of a class's levers; in names of recipes, hyphens become underscores."""

PRECEDENCE: tuple[Code, ...] = (
    Code.FALSE_PREMISE,
    Code.AMBIGUOUS,
    Code.GRANULARITY,
    Code.CONTRADICTORY,
    Code.NONFACTUAL,
    Code.MISSING,
)
"""Precedence of codes if several fit; the first one wins."""

STRATA: tuple[tuple[LeverClass, Intensity], ...] = tuple(
    (lever_class, intensity) for lever_class in LeverClass for intensity in Intensity
)
"""The 18 strata, in the order of tables and reports."""


def expectations(lever_class: LeverClass | None, intensity: Intensity | None) -> tuple[Expectation, ...]:
    """Return the expected behaviours that an item may have.

    Class and intensity together allow one behaviour. Items of imported sets may lack either; then more are allowed.
    """
    if lever_class is not None and intensity is not None:
        return (expected_code(lever_class, intensity),)
    if lever_class is not None:
        return (Code.ANSWER_CORRECTLY, CLASS_CODE[lever_class])
    return EXPECTATIONS


def expected_code(lever_class: LeverClass, intensity: Intensity) -> Code:
    """Return the expected behaviour of a stratum."""
    return Code.ANSWER_CORRECTLY if intensity is Intensity.LOW else CLASS_CODE[lever_class]
