import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from demur.warehouse.connection import reading, writing
from demur.warehouse.gates import ExpectationResult, Gate, GateBounds, look_up, meaning, run_gate
from demur.warehouse.gates.results import offending
from demur.warehouse.home import Home
from demur.warehouse.tables.models import models
from demur.warehouse.transactions import Connection
from tests.warehouse.gate_round import ROUND, changed, whole_round
from tests.warehouse.gates import GATES

LENIENT = GateBounds(screening=0, acceptance=0, coverage=0, balance=0, invalid=1, near_copies=1)
HEAD = re.compile(r"^-- (\w+): (\w+).*\n((?:[^-\n].*\n)+)", re.M)
OWN = HEAD.findall(Path(__file__).with_name("gate_plants.sql").read_text(encoding="utf-8"))
OTHER_ROUNDS = {
    "write": "UPDATE completions SET round_id = 'r0' WHERE class IS NOT NULL",
    "grade": "UPDATE grades SET round_id = 'r0' WHERE subject_kind = 'response'",
    "rate": "UPDATE base_rewards SET round_id = 'r0' WHERE subject_kind = 'response'",
}
"""What takes rows out of the round where the stage shares its table with another round."""


def plants(stage: str) -> Iterator[tuple[str, str]]:
    """Yield the name of every integrity expectation of a stage with the SQL that breaks it."""
    table, own = GATES[stage].table, [(name, sql) for of, name, sql in OWN if of == stage]
    yield from own
    filled = [
        name
        for name, column in models()[table].to_schema().columns.items()
        if any(check.name == "str_length" for check in column.checks)
    ]
    first, last = (
        f"rowid = (SELECT {which}(t.rowid) FROM {table} t JOIN units u USING (unit_id) WHERE u.round_id = 'r1' "
        f"AND u.stage = '{stage}')"
        for which in ("min", "max")
    )
    breaks = {
        "_in_vocabulary": f"UPDATE {table} SET {{}} = '?' WHERE {first}",
        "_blank": f"UPDATE {table} SET {filled[-1]} = '' WHERE {last}",
        "_repeated": f"INSERT INTO {table} SELECT * FROM {table} WHERE {first}",
        "_of_another_round": OTHER_ROUNDS.get(stage, f"UPDATE {table} SET round_id = 'r0'"),
        "_accounted": f"INSERT INTO units VALUES ('r1', '{stage}', 'lost', NULL, 99)",
    }
    for name in integrity(stage):
        for end, sql in breaks.items():
            if name.endswith(end) and name not in dict(own):
                yield name, sql.format(name.removesuffix(end))


def integrity(stage: str) -> list[str]:
    return [one.name for one in GATES[stage].expectations() if one.gate is Gate.INTEGRITY]


PLANTS = [(stage, name, sql) for stage in GATES for name, sql in plants(stage)]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """The warehouse of a round that has nothing wrong with it; whoever spoils it takes that back."""
    home = Home(tmp_path_factory.mktemp("sound"))
    whole_round(home)
    with writing(home, wait_seconds=1) as con:
        yield con


def offending_rows(con: Connection, stage: str, name: str) -> list[tuple[object, ...]]:
    """What the look-up of an expectation shows."""
    result = ExpectationResult(stage, "", Gate.INTEGRITY, name, "", False, "", "")
    return con.execute(look_up(GATES[stage], ROUND, result)).fetchall()


def counted(con: Connection, stage: str, name: str) -> int | None:
    result = offending(con, GATES[stage], ROUND, GATES[stage].expectation(Gate.INTEGRITY, name))
    assert result.success is (result.offending == 0)
    return result.offending


def test_plants_cover_every_integrity_expectation() -> None:
    planted = {(stage, name) for stage, name, _ in PLANTS}
    assert planted == {(stage, name) for stage in GATES for name in integrity(stage)}


def test_sound_round_has_no_row_that_breaks_an_expectation(sound: Connection) -> None:
    """Its gates are met (tests/warehouse/test_expectations_docs.py)."""
    for stage in GATES:
        assert [rows for name in integrity(stage) if (rows := offending_rows(sound, stage, name))] == []


@pytest.mark.parametrize(("stage", "name", "sql"), PLANTS, ids=[f"{stage}-{name}" for stage, name, _ in PLANTS])
def test_violation_is_counted_by_its_expectation_and_shown_by_its_query(
    sound: Connection, stage: str, name: str, sql: str
) -> None:
    sound.begin()
    try:
        sound.execute(sql)
        after, shown = counted(sound, stage, name), offending_rows(sound, stage, name)
    finally:
        sound.rollback()
    assert after == len(shown) > 0


def test_result_counts_offending_rows_and_shows_the_first(gate_home: Home) -> None:
    changed(
        gate_home,
        "UPDATE responses SET confidence = 'SO_SO' WHERE item_id = 'i-b1'",
        "UPDATE responses SET confidence = 'HARDLY' WHERE response_id = 'i-b2-a1'",
    )
    found = {result.expectation: result for result in run_gate(gate_home, ROUND, GATES["respond"], LENIENT)}
    result = found["confidence_in_vocabulary"]
    assert not result.success
    assert result.observed.startswith("3 rows; the first: unit_id respond-i-b1-a1, ")
    assert result.observed.endswith(", unknown_confidence SO_SO")
    assert (result.offending, result.bound) == (3, "0 rows")
    assert meaning(GATES["respond"], result).startswith("Every confidence is one of VERY_CONFIDENT, CONFIDENT")
    assert result.subject == "responses: confidence"


def test_units_that_failed_are_accounted_for_and_lost_ones_are_not(gate_home: Home) -> None:
    changed(
        gate_home,
        "DELETE FROM responses WHERE item_id = 'i-b1'",
        "INSERT INTO failures SELECT 'r1', 'respond', unit_id, stamp, NULL, NULL, 'refused', '', NULL, now(), NULL "
        "FROM units WHERE stage = 'respond' AND unit_id = 'respond-i-b1-a1'",
    )
    found = {result.expectation: result for result in run_gate(gate_home, ROUND, GATES["respond"], LENIENT)}
    result = found["units_accounted"]
    assert (result.success, result.offending) == (False, 1)
    assert result.bound.startswith("20 planned less 1 failed (plan ")
    with reading(gate_home, "loader") as con:
        assert offending_rows(con, "respond", "units_accounted") == [("respond-i-b1-a2",)]


def test_gate_of_a_stage_that_planned_nothing_is_met(gate_home: Home) -> None:
    changed(gate_home, "DELETE FROM units WHERE stage = 'screen'")
    results = run_gate(gate_home, ROUND, GATES["screen"], LENIENT)
    assert all(result.success for result in results)
    assert {result.observed for result in results if result.expectation == "units_accounted"} == {"0 rows"}


def test_queries_of_expectations_can_be_pasted_between_double_quotes() -> None:
    quoted = [one.name for gate in GATES.values() for one in gate.expectations() if '"' in one.query(ROUND, gate.stage)]
    assert quoted == []
