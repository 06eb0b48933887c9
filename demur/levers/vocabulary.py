"""The words that every room shares: classes, intensities, codes, targets, roles.

Facts: "RefusalBench" (arXiv 2510.10390), sections 3.2-3.3 and Appendix I.
"""

from enum import StrEnum
from typing import Final

ENGLISH: Final = "en"
"""The language of texts that say of none, by its code of ISO 639-1, as all languages are written."""


class LeverClass(StrEnum):
    """The six dimensions of informational uncertainty."""

    AMBIGUITY = "P-Ambiguity"
    CONTRADICTION = "P-Contradiction"
    MISSING_INFO = "P-MissingInfo"
    FALSE_PREMISE = "P-FalsePremise"
    GRANULARITY = "P-GranularityMismatch"
    EPISTEMIC = "P-EpistemicMismatch"


class Intensity(StrEnum):
    """Degrees to which a defect removes the question's answerability; LOW stays answerable."""

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


ATTEMPT: Final = "ANSWER_ATTEMPT"
INVALID: Final = "INVALID"
REFUSALS: Final[tuple[str, ...]] = tuple(code.value for code in Code if code.is_refusal)
PREDICTED: Final[tuple[str, ...]] = (ATTEMPT, *REFUSALS, INVALID)
"""What a response can be: an attempt to answer, a refusal with a code, or not obtained, judged or classified."""


class Reaction(StrEnum):
    """Reactions in plain words; not judged where respondents are told codes."""

    ANSWER = "answer"
    PARTIAL_ANSWER = "partial_answer"
    """An answer to a part, or with a caveat that the passages do not carry it."""
    REFUSAL = "refusal"
    """Declines and says why."""
    REFUSAL_WITHOUT_REASON = "refusal_without_reason"
    ASKED_BACK = "asked_back"
    """Asks the user what is meant, and does not answer."""


LOWEST_QUALITY: Final = 1
CORRECT_FROM: Final = 4
HIGHEST_QUALITY: Final = 5
"""The scale of a judged answer; it is correct from CORRECT_FROM on."""


class Confidence(StrEnum):
    """The five verbal levels of a respondent's stated confidence, surest first."""

    VERY_CONFIDENT = "VERY_CONFIDENT"
    CONFIDENT = "CONFIDENT"
    SOMEWHAT_CONFIDENT = "SOMEWHAT_CONFIDENT"
    UNCERTAIN = "UNCERTAIN"
    VERY_UNCERTAIN = "VERY_UNCERTAIN"


class AuditCriterion(StrEnum):
    """Criteria of people for an accepted item, each PASS or FAIL; the item passes if all do."""

    LEVER_FIDELITY = "lever_fidelity"
    INTENSITY_ACHIEVED = "intensity_achieved"
    UNCERTAINTY_INDUCED = "uncertainty_induced"
    LINGUISTIC_SOUNDNESS = "linguistic_soundness"
    GROUND_TRUTH_ALIGNMENT = "ground_truth_alignment"


class Target(StrEnum):
    """Part of a base instance that a lever may change."""

    QUERY = "query"
    CONTEXT = "context"
    QUERY_OR_CONTEXT = "query or context"
    QUERY_AND_CONTEXT = "query and context"


class Part(StrEnum):
    """A part of a base instance, as a target names it."""

    QUERY = "query"
    CONTEXT = "context"


class AnswerFate(StrEnum):
    """State of an accepted answer in the passages after pulling the lever."""

    KEPT = "kept"
    KEPT_WITH_WEAKER_RIVAL = "kept with a weaker rival"
    REMOVED = "removed"
    RIVALLED = "rivalled"
    STRUCTURAL = "structural"


class Origin(StrEnum):
    """Origin of a lever's name."""

    PAPER = "paper"
    DEMUR = "demur"
    USER = "user"


class ItemKind(StrEnum):
    """Kinds of items: a perturbation, or an untouched base instance."""

    PERTURBED = "perturbed"
    CONTROL = "control"


class Layout(StrEnum):
    """Number of passages of a base instance: one, or several with noise among them."""

    SINGLE = "single"
    MULTI = "multi"


class QuestionKind(StrEnum):
    """Kinds of questions asked of documents."""

    WHO = "who"
    WHEN = "when"
    WHERE = "where"
    HOW_MANY = "how many"
    WHICH = "which"
    WHAT = "what"
    WHY = "why"
    HOW = "how"
    WHICH_OF = "which of"
    """One of two or more that the question names."""
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
"""What the ids of a class's levers begin with; the names of its recipes do too, with an underscore for the hyphen."""

PRECEDENCE: tuple[Code, ...] = (
    Code.FALSE_PREMISE,
    Code.AMBIGUOUS,
    Code.GRANULARITY,
    Code.CONTRADICTORY,
    Code.NONFACTUAL,
    Code.MISSING,
)
"""Which code to give when several fit, first one wins."""

STRATA: tuple[tuple[LeverClass, Intensity], ...] = tuple(
    (lever_class, intensity) for lever_class in LeverClass for intensity in Intensity
)
"""The 18 cells of the design, in the order in which tables and reports show them."""


def expected_code(lever_class: LeverClass, intensity: Intensity) -> Code:
    """Derive the expected behaviour of a stratum; a model's reply is never used."""
    return Code.ANSWER_CORRECTLY if intensity is Intensity.LOW else CLASS_CODE[lever_class]
