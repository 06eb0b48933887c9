from dataclasses import replace
from pathlib import Path

import pytest

from demur.warehouse.connection import reading, writing
from demur.warehouse.expectations import GateBounds, run_gate, standing_results
from demur.warehouse.home import Home
from tests.warehouse.gate_round import ROUND, whole_round
from tests.warehouse.gates import GATES

BOUNDS = GateBounds(screening=0.2, acceptance=0.3, coverage=0.5, balance=0.5, invalid=0.1, near_copies=1)
ROWS = (
    "SELECT stage, gate, expectation, subject, success, observed, bound FROM expectation_results WHERE stage = $stage"
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    whole_round(home)
    return home


def change(home: Home, sql: str) -> None:
    with writing(home, wait_seconds=1) as con:
        con.execute(sql)


def rows(home: Home, stage: str) -> list[tuple[object, ...]]:
    with reading(home, "loader") as con:
        return con.execute(ROWS, {"stage": stage}).fetchall()


def test_results_are_rows_and_replace_those_of_the_gate_before(home: Home) -> None:
    first = run_gate(home, ROUND, GATES["verify"], BOUNDS)
    run_gate(home, ROUND, GATES["respond"], BOUNDS)
    change(home, "UPDATE verdicts SET verifier = 'v9' WHERE unit_id = 'verify-p-b1-P-Ambiguity-HIGH-g1-v1'")
    second = run_gate(home, ROUND, GATES["verify"], BOUNDS)
    assert len(second) == len(first) == len(rows(home, "verify"))
    assert rows(home, "verify") == [
        ("verify", r.gate.value, r.expectation, r.subject, r.success, r.observed, r.bound) for r in second
    ]
    assert [row[2] for row in rows(home, "verify") if not row[4]] == ["verifiers_unknown"]
    assert all(row[4] for row in rows(home, "respond"))


def test_results_stand_as_long_as_nothing_they_say_has_changed(home: Home) -> None:
    assert standing_results(home, ROUND, GATES["verify"], BOUNDS) is None
    results = run_gate(home, ROUND, GATES["verify"], BOUNDS)
    assert standing_results(home, ROUND, GATES["verify"], BOUNDS) == results
    assert standing_results(home, ROUND, GATES["respond"], BOUNDS) is None


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
def test_results_fall_when_plan_or_expectations_change(home: Home, changing: str) -> None:
    run_gate(home, ROUND, GATES["verify"], BOUNDS)
    change(home, changing)
    assert standing_results(home, ROUND, GATES["verify"], BOUNDS) is None


def test_results_fall_when_a_failed_unit_has_landed_since(home: Home) -> None:
    unit = "verify-p-b1-P-Ambiguity-HIGH-g1-v1"
    change(home, f"CREATE TABLE kept AS FROM verdicts WHERE unit_id = '{unit}'")
    change(home, f"DELETE FROM verdicts WHERE unit_id = '{unit}'")
    change(home, f"INSERT INTO failures VALUES ('r1', 'verify', '{unit}', NULL, NULL, 'refused', '', NULL, now())")
    results = run_gate(home, ROUND, GATES["verify"], BOUNDS)
    assert all(result.success for result in results)
    assert standing_results(home, ROUND, GATES["verify"], BOUNDS) == results
    change(home, "INSERT INTO verdicts FROM kept")
    assert standing_results(home, ROUND, GATES["verify"], BOUNDS) is None


def test_results_fall_when_bounds_change(home: Home) -> None:
    run_gate(home, ROUND, GATES["verify"], BOUNDS)
    assert standing_results(home, ROUND, GATES["verify"], replace(BOUNDS, acceptance=0.4)) is None
    assert standing_results(home, ROUND, GATES["verify"], replace(BOUNDS, coverage=0.4)) is not None
