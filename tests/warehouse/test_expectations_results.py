import pytest

from demur.warehouse.connection import reading
from demur.warehouse.gates import GateBounds, run_gate, standing_results
from demur.warehouse.home import Home
from tests.warehouse.gate_round import ROUND, changed
from tests.warehouse.gates import GATES

BOUNDS = GateBounds(screening=0.2, acceptance=0.3, coverage=0.5, balance=0.5, invalid=0.1, near_copies=1)
ROWS = (
    "SELECT stage, gate, expectation, subject, success, observed, bound FROM expectation_results WHERE stage = $stage"
)


def rows(home: Home, stage: str) -> list[tuple[object, ...]]:
    with reading(home, "loader") as con:
        return con.execute(ROWS, {"stage": stage}).fetchall()


def test_results_are_rows_and_replace_those_of_the_gate_before(gate_home: Home) -> None:
    first = run_gate(gate_home, ROUND, GATES["verify"], BOUNDS)
    run_gate(gate_home, ROUND, GATES["respond"], BOUNDS)
    changed(gate_home, "UPDATE verdicts SET verifier = 'v9' WHERE unit_id = 'verify-p-b1-P-Ambiguity-HIGH-g1-v1'")
    second = run_gate(gate_home, ROUND, GATES["verify"], BOUNDS)
    assert len(second) == len(first) == len(rows(gate_home, "verify"))
    assert rows(gate_home, "verify") == [
        ("verify", r.gate.value, r.expectation, r.subject, r.success, r.observed, r.bound) for r in second
    ]
    assert [row[2] for row in rows(gate_home, "verify") if not row[4]] == ["verifiers_unknown"]
    assert all(row[4] for row in rows(gate_home, "respond"))


def test_results_stand_as_long_as_nothing_they_say_has_changed(gate_home: Home) -> None:
    assert standing_results(gate_home, ROUND, GATES["verify"], BOUNDS) is None
    results = run_gate(gate_home, ROUND, GATES["verify"], BOUNDS)
    assert standing_results(gate_home, ROUND, GATES["verify"], BOUNDS) == results
    assert standing_results(gate_home, ROUND, GATES["respond"], BOUNDS) is None


@pytest.mark.parametrize(
    "changing",
    [
        "DELETE FROM units WHERE stage = 'verify' AND ordinal = 0",
        "UPDATE units SET unit_id = 'another' WHERE stage = 'verify' AND ordinal = 0",
        "DELETE FROM expectation_results WHERE expectation = 'keys_blank'",
        "UPDATE expectation_results SET success = false WHERE expectation = 'keys_blank'",
    ],
    ids=["fewer-units", "other-units", "other-expectations", "failed-then"],
)
def test_results_fall_when_plan_or_expectations_changed(gate_home: Home, changing: str) -> None:
    run_gate(gate_home, ROUND, GATES["verify"], BOUNDS)
    changed(gate_home, changing)
    assert standing_results(gate_home, ROUND, GATES["verify"], BOUNDS) is None


def test_results_fall_when_a_failed_unit_has_landed_since(gate_home: Home) -> None:
    unit = "verify-p-b1-P-Ambiguity-HIGH-g1-v1"
    changed(gate_home, f"CREATE TABLE kept AS FROM verdicts WHERE unit_id = '{unit}'")
    changed(gate_home, f"DELETE FROM verdicts WHERE unit_id = '{unit}'")
    changed(
        gate_home,
        "INSERT INTO failures "
        "SELECT 'r1', 'verify', unit_id, stamp, NULL, NULL, 'refused', '', NULL, now(), NULL FROM kept",
    )
    results = run_gate(gate_home, ROUND, GATES["verify"], BOUNDS)
    assert all(result.success for result in results)
    assert standing_results(gate_home, ROUND, GATES["verify"], BOUNDS) == results
    changed(gate_home, "INSERT INTO verdicts FROM kept")
    assert standing_results(gate_home, ROUND, GATES["verify"], BOUNDS) is None
