"""The tables of the warehouse: a class for each, with its columns' types and meanings, and what is made of it."""

from enum import StrEnum
from typing import Final

from demur.levers.vocabulary import (
    EXPECTATIONS,
    AnswerDoubt,
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
from demur.warehouse.errors import WarehouseError

# Names of all tables of the warehouse; SQL texts are formatted with these names only.


class Table(StrEnum):
    """A table of the warehouse.

    `stages` names the stages that land units in the table; it is empty for other tables.
    """

    stages: tuple[str, ...]

    def __new__(cls, name: str, *stages: str) -> "Table":
        """Return the member `name` of the enumeration, with the attribute `stages`."""
        table = str.__new__(cls, name)
        table._value_ = name
        table.stages = stages
        return table

    ROUNDS = "rounds"
    UNITS = "units"
    DOCUMENTS = "documents", "read_documents"
    PASSAGES = "passages", "read_documents"
    QUESTIONS = "questions", "ask", "match"
    PROOFS = "proofs", "prove"
    BASE_INSTANCES = "base_instances", "ingest", "unpack"
    RECALLS = "recalls", "recall"
    SCREENINGS = "screenings", "screen"
    PERTURBATIONS = "perturbations", "generate"
    CHECKS = "checks", "generate", "deduplicate"
    VERDICTS = "verdicts", "verify"
    ITEMS = "items", "assemble", "unpack"
    FILE_LINES = "file_lines", "read"
    RESPONSES = "responses", "respond"
    JUDGEMENTS = "judgements", "judge"
    COMPLETIONS = "completions", "write"
    GRADES = "grades", "grade"
    BASE_REWARDS = "base_rewards", "rate"
    FITS = "fits", "fit"
    WEIGHTS = "weights", "fit"
    REWARDS = "rewards", "reward"
    SCORES = "scores", "score"
    IMPORTED_RESPONSES = "imported_responses", "import"
    RESPONSE_COUNTS = "response_counts", "score"
    PAIRED_TESTS = "paired_tests", "score"
    CODE_USE = "code_use", "score"
    CALIBRATION = "calibration", "score"
    DIFFICULTIES = "difficulties", "score"
    ASSOCIATIONS = "associations", "score"
    NOISE_FLOORS = "noise_floors", "score"
    JUDGE_AGREEMENTS = "judge_agreements", "score"
    DRIFTS = "drifts", "score"
    SAMPLE_PRECISION = "sample_precision", "score"
    VERIFICATIONS = "verifications", "agree"
    VERIFICATION_RATES = "verification_rates", "agree"
    VERIFIER_AGREEMENTS = "verifier_agreements", "agree"
    CALLS = "calls"
    BATCHES = "batches"
    ESTIMATES = "estimates"
    FAILURES = "failures"
    EXPECTATION_RESULTS = "expectation_results"
    RELEASES = "releases"
    RELEASED_ITEMS = "released_items"
    EVALUATIONS = "evaluations"
    JUDGE_CALIBRATIONS = "judge_calibrations"
    LEVERS_ON_OFFER = "levers_on_offer"
    AUDITS = "audits"
    QUESTION_MARKS = "question_marks"
    LOADS = "loads"


UNIT_TABLES: tuple[Table, ...] = tuple(table for table in Table if table.stages)
"""Tables in which units land. All rows of a unit, in all of its tables, land together."""

LANDED_TABLES: tuple[Table, ...] = (*UNIT_TABLES, Table.FAILURES)
"""Tables for which a shard may have rows."""


def tables_of(stage: str) -> tuple[Table, ...]:
    """Return the tables in which units of a stage land, and `failures`."""
    return (*(table for table in UNIT_TABLES if stage in table.stages), Table.FAILURES)


def unit_table(name: str) -> Table:
    """Return the table `name`.

    Raises:
        WarehouseError: there is no such table, or no units land in it.
    """
    if name not in UNIT_TABLES:
        raise WarehouseError(f"table '{name}' holds no landed units; it is not one of {', '.join(UNIT_TABLES)}")
    return Table(name)


# Allowed values of columns, which are checked before loading and again by gates.


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
ANSWER_DOUBTS: Final = tuple(doubt.value for doubt in AnswerDoubt)
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
