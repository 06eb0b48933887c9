"""Allowed values of columns, which are checked before loading and again by gates."""

from typing import Final

from demur.levers.vocabulary import (
    EXPECTATIONS,
    AnswerFate,
    ChangePlace,
    Code,
    Confidence,
    Intensity,
    ItemKind,
    Layout,
    LeverClass,
    Origin,
    QuestionKind,
    Reaction,
    Target,
)

CLASSES: Final = tuple(lever_class.value for lever_class in LeverClass)
INTENSITIES: Final = tuple(intensity.value for intensity in Intensity)
CODES: Final = tuple(code.value for code in Code)
EXPECTED: Final = tuple(expectation.value for expectation in EXPECTATIONS)
CONFIDENCES: Final = tuple(confidence.value for confidence in Confidence)
LAYOUTS: Final = tuple(layout.value for layout in Layout)
ORIGINS: Final = tuple(origin.value for origin in Origin)
TARGETS: Final = tuple(target.value for target in Target)
ANSWER_FATES: Final = tuple(fate.value for fate in AnswerFate)
DOCUMENT_STATUSES: Final = ("read", "left_out")
LEFT_OUT_REASONS: Final = (
    "unsupported",
    "not_a_file",
    "outside",
    "too_large",
    "duplicate",
    "empty",
    "binary",
    "wrong_encoding",
    "encrypted",
    "scanned",
    "damaged",
    "bad_row",
    "too_short",
    "no_prose",
    "too_slow",
    "reader_ended",
)
PEOPLE: Final = "people"
"""The asker of questions that people asked; no model has this name."""
STATUSES: Final = ("candidate", "rejected", "declined")
VERDICT_OUTCOMES: Final = ("pass", "fail", "inconsistent", "missing")
CHANGE_PLACES: Final = tuple(place.value for place in ChangePlace)
QUESTION_KINDS: Final = tuple(kind.value for kind in QuestionKind)
PASSAGES_GIVEN: Final = ("all", "first", "second")
PROOF_REASONS: Final = (
    "near_duplicate",
    "leans_on_text",
    "unnatural",
    "not_answered",
    "other_answer",
    "several_answers",
    "one_passage_suffices",
    "not_judged",
)
ITEM_KINDS: Final = tuple(kind.value for kind in ItemKind)
REACTIONS: Final = tuple(reaction.value for reaction in Reaction)
CONFIDENCE_PARTS: Final = ("all", "answers", "refusals")
ASSOCIATIONS: Final = ("correlation", "slope", "difference")
VERIFICATION_STATISTICS: Final = ("pass_rate", "unanimous_rate", "self_rate", "cross_rate", "bias")
AGREEMENT_COEFFICIENTS: Final = ("cohen", "fleiss", "alpha")
JUDGE_COEFFICIENTS: Final = ("cohen", "spearman", "fleiss", "undecided")
SUBJECT_KINDS: Final = ("completion", "response")
BATCH_STATUSES: Final = ("intended", "running", "cancelling", "ended", "collected", "void")
