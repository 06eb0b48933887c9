"""The gates of a round: what every stage's rows must be (integrity), and what its sample should be (sample).

SQL counts (`sql/gate_*.sql`), Great Expectations judges the small frames that come of it, and what it finds is kept
twice: as rows of `expectation_results`, and as pages in DEMUR_HOME/data_docs. A sample expectation fails only where the
exact (Clopper-Pearson) 95 % interval of a share excludes its bound, so that small honest rounds pass.
"""

from demur.warehouse.connection import OnWait, reading, writing
from demur.warehouse.errors import WarehouseError
from demur.warehouse.expectations import evaluation, generation, intake, rewards, verification
from demur.warehouse.expectations.bounds import GateBounds
from demur.warehouse.expectations.declared import ACCOUNTED, Expected, Gate, Measure, StageGate
from demur.warehouse.expectations.measured import accounting, measured, plan_digest
from demur.warehouse.expectations.results import ExpectationResult, replace_results, stored_results
from demur.warehouse.home import Home
from demur.warehouse.units import counts

__all__ = [
    "GATES",
    "ExpectationResult",
    "Gate",
    "GateBounds",
    "is_accounting",
    "look_up",
    "meaning",
    "run_gate",
    "standing_results",
]

GATES: dict[str, StageGate] = {
    gate.stage: gate
    for gate in (*intake.GATES, *generation.GATES, *verification.GATES, *evaluation.GATES, *rewards.GATES)
}
"""The gate of every stage, in the order of a round."""

_MEMORY = "256MB"
"""What DuckDB may use for counting before it spills to disk: enough for 2.2 million grades, on two threads."""


def run_gate(
    home: Home,
    round_id: str,
    stage: str,
    bounds: GateBounds,
    *,
    wait_seconds: float = 900.0,
    on_wait: OnWait | None = None,
) -> list[ExpectationResult]:
    """Hold a stage's rows against its expectations and return what was found, which replaces what was found before.

    The first call in a process imports great_expectations: about 4 s.

    Args:
        home: whose warehouse and Data Docs; nobody in this thread may have the loader's file open.
        round_id: the round.
        stage: one of GATES.
        bounds: of the samples.
        wait_seconds: how long to wait while somebody else has the loader's file open.
        on_wait: called every few seconds of waiting.

    Raises:
        WarehouseError: there is no such stage, the warehouse cannot be read or written, or GX fails.
    """
    gate = _gate(stage)
    with reading(home, "loader", wait_seconds=wait_seconds, on_wait=on_wait, memory_limit=_MEMORY) as con:
        con.execute("SET threads = 2")
        found = measured(con, gate, round_id)
    from demur.warehouse.expectations.validation import validated  # imports great_expectations

    results = validated(home, gate, round_id, found, bounds)
    with writing(home, wait_seconds=wait_seconds, on_wait=on_wait) as con:
        replace_results(con, round_id, stage, results)
    return results


def standing_results(
    home: Home,
    round_id: str,
    stage: str,
    bounds: GateBounds,
    *,
    wait_seconds: float = 900.0,
    on_wait: OnWait | None = None,
) -> list[ExpectationResult] | None:
    """Return the results of a stage's last gate if they still say how things are, else None.

    They do if no integrity expectation failed, and plan, failures, expectations and bounds are those that were looked
    at then. Waiting is as in `run_gate`.
    """
    gate = _gate(stage)
    with reading(home, "loader", wait_seconds=wait_seconds, on_wait=on_wait) as con:
        results = stored_results(con, round_id, stage)
        accounted = accounting(plan_digest(con, stage, round_id), counts(con, round_id, stage, gate.table))
    looked_at = {(result.gate, result.expectation) for result in results}
    bounded = {(measure.name, bounds.text(measure)) for measure in gate.measures}
    stands = (
        looked_at == set(_expectations(gate))
        and all(result.success for result in results if result.gate is Gate.INTEGRITY)
        and all((result.expectation, result.bound) in bounded for result in results if result.gate is Gate.SAMPLE)
        and all(result.bound == accounted for result in results if is_accounting(result))
    )
    return results if stands else None


def look_up(round_id: str, result: ExpectationResult) -> str:
    """Return a query for `demur sql` that shows the rows behind a result."""
    return _expectations(_gate(result.stage))[result.gate, result.expectation].look.replace("{round}", round_id)


def meaning(result: ExpectationResult) -> str:
    """Return the sentence that holds where a result's expectation is met."""
    return _expectations(_gate(result.stage))[result.gate, result.expectation].meaning


def is_accounting(result: ExpectationResult) -> bool:
    """Return whether a result says that units of the plan are accounted for: if not, running again works on them."""
    return result.expectation == ACCOUNTED


def _expectations(gate: StageGate) -> dict[tuple[Gate, str], Expected | Measure]:
    integrity = {(Gate.INTEGRITY, expected.name): expected for expected in gate.expected}
    return {**integrity, **{(Gate.SAMPLE, measure.name): measure for measure in gate.measures}}


def _gate(stage: str) -> StageGate:
    if stage not in GATES:
        raise WarehouseError(f"stage '{stage}' has no gate; it is not one of {', '.join(GATES)}")
    return GATES[stage]
