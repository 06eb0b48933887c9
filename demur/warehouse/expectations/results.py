"""Results of a gate, one per expectation and subject, as rows of `expectation_results`."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from demur.warehouse.connection import Connection
from demur.warehouse.expectations.declared import Gate
from demur.warehouse.statements import statement
from demur.warehouse.transaction import transaction


@dataclass(frozen=True, slots=True)
class ExpectationResult:
    """Result of one expectation for one subject; `observed` and `bound` are texts for people.

    `offending` counts the rows that violate an integrity expectation. `successes` and `trials` give a sample's share.
    """

    stage: str
    suite: str
    gate: Gate
    expectation: str
    subject: str
    success: bool
    observed: str
    bound: str
    offending: int | None = None
    successes: int | None = None
    trials: int | None = None


def replace_results(con: Connection, round_id: str, stage: str, results: Sequence[ExpectationResult]) -> None:
    """Replace the results of a round's stage in `expectation_results`, in one transaction."""
    run_at = datetime.now(UTC).replace(tzinfo=None)
    with transaction(con):
        con.execute(statement("gate_drop_results"), {"round_id": round_id, "stage": stage})
        for result in results:
            con.execute(statement("gate_insert_result"), {**asdict(result), "round_id": round_id, "run_at": run_at})


def stored_results(con: Connection, round_id: str, stage: str) -> list[ExpectationResult]:
    """Return the stored results of a stage's gate, in the order of its expectations."""
    rows = con.execute(statement("gate_stored"), {"round_id": round_id, "stage": stage}).fetchall()
    return [
        ExpectationResult(
            stage, suite, Gate(gate), expectation, subject or "", success, observed or "", bound or "", *numbers
        )
        for suite, gate, expectation, subject, success, observed, bound, *numbers in rows
    ]
