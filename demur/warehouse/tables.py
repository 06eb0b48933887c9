"""Names of all tables of the warehouse; SQL texts are formatted with these names only."""

from enum import StrEnum

from demur.warehouse.errors import WarehouseError


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
