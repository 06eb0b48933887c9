"""The closed sets of tables: what a caller may name, and nothing else reaches SQL text."""

from enum import StrEnum

from demur.warehouse.errors import WarehouseError


class Table(StrEnum):
    """Every table of the warehouse."""

    ROUNDS = "rounds"
    UNITS = "units"
    BASE_INSTANCES = "base_instances"
    SCREENINGS = "screenings"
    PERTURBATIONS = "perturbations"
    CHECKS = "checks"
    VERDICTS = "verdicts"
    ITEMS = "items"
    RESPONSES = "responses"
    JUDGEMENTS = "judgements"
    COMPLETIONS = "completions"
    GRADES = "grades"
    FITS = "fits"
    WEIGHTS = "weights"
    REWARDS = "rewards"
    SCORES = "scores"
    IMPORTED_RESPONSES = "imported_responses"
    RESPONSE_COUNTS = "response_counts"
    PAIRED_TESTS = "paired_tests"
    CODE_USE = "code_use"
    CALIBRATION = "calibration"
    DIFFICULTIES = "difficulties"
    ASSOCIATIONS = "associations"
    NOISE_FLOORS = "noise_floors"
    DRIFTS = "drifts"
    REACHES = "reaches"
    VERIFICATIONS = "verifications"
    VERIFICATION_RATES = "verification_rates"
    VERIFIER_AGREEMENTS = "verifier_agreements"
    CALLS = "calls"
    BATCHES = "batches"
    LEASES = "leases"
    ESTIMATES = "estimates"
    FAILURES = "failures"
    EXPECTATION_RESULTS = "expectation_results"
    RELEASES = "releases"
    RELEASED_ITEMS = "released_items"
    LEVERS_ON_OFFER = "levers_on_offer"
    AUDITS = "audits"
    LOADS = "loads"


UNIT_TABLES: tuple[Table, ...] = (
    Table.BASE_INSTANCES,
    Table.SCREENINGS,
    Table.PERTURBATIONS,
    Table.CHECKS,
    Table.VERDICTS,
    Table.ITEMS,
    Table.RESPONSES,
    Table.JUDGEMENTS,
    Table.COMPLETIONS,
    Table.GRADES,
    Table.FITS,
    Table.WEIGHTS,
    Table.REWARDS,
    Table.SCORES,
    Table.IMPORTED_RESPONSES,
    Table.RESPONSE_COUNTS,
    Table.PAIRED_TESTS,
    Table.CODE_USE,
    Table.CALIBRATION,
    Table.DIFFICULTIES,
    Table.ASSOCIATIONS,
    Table.NOISE_FLOORS,
    Table.DRIFTS,
    Table.REACHES,
    Table.VERIFICATIONS,
    Table.VERIFICATION_RATES,
    Table.VERIFIER_AGREEMENTS,
)
"""Tables whose rows a unit of work lands; a unit lands in all of its tables at once."""

LANDED_TABLES: tuple[Table, ...] = (*UNIT_TABLES, Table.FAILURES)
"""Tables that a shard may bring."""


def unit_table(name: str) -> Table:
    """Return the table of that name.

    Raises:
        WarehouseError: units do not land in a table of that name.
    """
    if name not in UNIT_TABLES:
        raise WarehouseError(f"table '{name}' holds no landed units; it is not one of {', '.join(UNIT_TABLES)}")
    return Table(name)
