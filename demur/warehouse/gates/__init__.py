"""Gates: integrity expectations on the rows of a stage, and sample expectations on shares of these rows.

A share is, for example, the share of accepted candidates. An expectation is one SQL statement. An integrity expectation
fails if its statement returns rows. A sample expectation fails if the exact (Clopper-Pearson) 95 % interval of a share
excludes the bound. The intervals of small rounds are wide, so small rounds rarely fail. Great Expectations renders the
results as web pages, called Data Docs.
"""

import hashlib
from collections.abc import Iterable

from demur.warehouse.connection import reading, writing
from demur.warehouse.errors import disk_explained
from demur.warehouse.gates.declared import ACCOUNTED, Gate, StageGate
from demur.warehouse.gates.results import (
    ExpectationResult,
    GateBounds,
    accounting,
    judged,
    replace_results,
    stored_results,
)
from demur.warehouse.home import Home
from demur.warehouse.transactions import OnWait

__all__ = [
    "ExpectationResult",
    "Gate",
    "GateBounds",
    "StageGate",
    "is_accounting",
    "look_up",
    "meaning",
    "run_gate",
    "standing_results",
    "write_data_docs",
]

_MEMORY = "256MB"
"""DuckDB's memory for a gate before it spills to disk; enough for 2.2 million grades on two threads."""


def run_gate(
    home: Home,
    round_id: str,
    gate: StageGate,
    bounds: GateBounds,
    *,
    wait_seconds: float = 900.0,
    on_wait: OnWait | None = None,
) -> list[ExpectationResult]:
    """Check the rows of a stage against its expectations; replace the stored results, and return them.

    Args:
        home: the home.
        round_id: the round.
        gate: the gate of the stage.
        bounds: bounds of the sample expectations.
        wait_seconds: how long to wait while another process has the loader's file open.
        on_wait: called every few seconds of waiting.

    Raises:
        WarehouseError: the warehouse cannot be read or written.
    """
    with reading(
        home, "loader", wait_seconds=wait_seconds, on_wait=on_wait, memory_limit=_MEMORY, keep_open=True
    ) as con:
        con.execute("SET threads = 2")
        results = judged(con, gate, round_id, bounds)
    with writing(home, wait_seconds=wait_seconds, on_wait=on_wait, keep_open=True) as con:
        replace_results(con, round_id, gate.stage, results)
    return results


def standing_results(
    home: Home,
    round_id: str,
    gate: StageGate,
    bounds: GateBounds,
    *,
    wait_seconds: float = 900.0,
    on_wait: OnWait | None = None,
) -> list[ExpectationResult] | None:
    """Return the stored results of a stage's gate if they are still valid, else None.

    Results are valid if no integrity expectation failed, and if the plan, the failures, the expectations and the bounds
    have not changed since the check.
    """
    with reading(home, "loader", wait_seconds=wait_seconds, on_wait=on_wait, keep_open=True) as con:
        results = stored_results(con, round_id, gate.stage)
        accounted = accounting(con, gate, round_id)
    looked_at = {(result.gate, result.expectation) for result in results}
    bounded = {(share.name, bounds.text(share)) for share in gate.expectations() if share.gate is Gate.SAMPLE}
    stands = (
        looked_at == {(expectation.gate, expectation.name) for expectation in gate.expectations()}
        and all(result.success for result in results if result.gate is Gate.INTEGRITY)
        and all((result.expectation, result.bound) in bounded for result in results if result.gate is Gate.SAMPLE)
        and all(result.bound == accounted for result in results if is_accounting(result))
    )
    return results if stands else None


def write_data_docs(
    home: Home,
    round_id: str,
    gates: Iterable[StageGate],
    bounds: GateBounds,
    *,
    wait_seconds: float = 900.0,
    on_wait: OnWait | None = None,
) -> None:
    """Write the Data Docs of all gates of a round, unless the pages already show these results; takes some seconds.

    Raises:
        WarehouseError: the warehouse cannot be read, Great Expectations fails, or the pages cannot be written.
    """
    with reading(home, "loader", wait_seconds=wait_seconds, on_wait=on_wait, keep_open=True) as con:
        found = {gate: stored_results(con, round_id, gate.stage) for gate in gates}
    digest = hashlib.sha256(repr((list(found.values()), bounds)).encode()).hexdigest()
    folder = home.gate_pages(round_id)
    written = folder / "results.sha256"
    if written.is_file() and written.read_text(encoding="utf-8") == digest:
        return
    from demur.warehouse.gates.process import write_in_process

    write_in_process(folder, found, round_id, bounds)
    with disk_explained(written):
        written.write_text(digest, encoding="utf-8")


def look_up(gate: StageGate, round_id: str, result: ExpectationResult) -> str:
    """Return an SQL query for the rows behind a result, for `demur sql`."""
    return gate.expectation(result.gate, result.expectation).query(round_id, gate.stage)


def meaning(gate: StageGate, result: ExpectationResult) -> str:
    """Return the meaning of a result's expectation, as a sentence."""
    return gate.expectation(result.gate, result.expectation).meaning


def is_accounting(result: ExpectationResult) -> bool:
    """Return whether a result is about planned units that neither landed nor failed; a rerun can complete the units."""
    return result.expectation == ACCOUNTED
