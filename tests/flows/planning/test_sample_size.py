"""`demur plan --epsilon`: sizes by the bound, the static set beside them, what past rounds tell of items."""

import json
from pathlib import Path

import pytest

from demur.errors import ConfigError
from demur.flows.planning.sample_size import Tolerance, plan_sample
from demur.scoring import ScoringError
from demur.warehouse.arrow_rows import to_arrow
from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.publication import publish
from demur.warehouse.tables import Table
from tests.flows.rounds import demur_here
from tests.warehouse.examples import ROUND, ROWS


def planned(home: Home, config: str | None = None, **asked: float) -> dict[str, object]:
    given = {"epsilon": 0.1, "delta": 0.05, "rounds": 10, "drift": 0.0} | asked
    return {what: value for what, value, _ in plan_sample(home, Tolerance(**given), config)}  # type: ignore[arg-type]


def test_plan_of_a_configuration_takes_its_items_and_says_what_is_short(tmp_path: Path) -> None:
    rows = plan_sample(Home(tmp_path), Tolerance(0.1, 0.05, 1, 0.0), "rules")
    shown = {what: (value, remark) for what, value, remark in rows}
    assert shown["items per source question"][0] == 9
    assert shown["source questions of rules"] == (24, "161 short; they keep a tolerance of 0.277")


def test_plan_counts_what_items_are_worth_from_the_newest_round(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with writing(home, wait_seconds=0) as con:
        for table in (Table.ROUNDS, Table.SAMPLE_PRECISION):
            con.from_arrow(to_arrow(table, [ROWS[table]], "test")).insert_into(table.value)
        con.execute("INSERT INTO units (round_id, stage, unit_id, ordinal) VALUES (?, 'score', 'u1', 0)", [ROUND])
    publish(home)
    found = planned(home)
    assert found["design effect"] == 7.8  # 1 + (18 - 1) * 0.4, for 18 items a question and not that round's two
    assert found["items' worth"] == round(5400 / 7.8)
    assert planned(home, "embedded")["design effect"] == 7.8  # of its 18 items a question
    assert planned(home, "weekly")["design effect"] == "n/a"


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"epsilon": 0.0}, "epsilon 0.0 is not between 0 and 1"),
        ({"delta": 1.0}, "delta 1.0 is not between 0 and 1"),
        ({"rounds": 0}, "0 rounds; give at least 1"),
        ({"drift": 2.0}, "drift 2.0 is not from 0 to 1"),
    ],
)
def test_plan_numbers_out_of_range_are_errors(tmp_path: Path, asked: dict[str, float], told: str) -> None:
    with pytest.raises(ScoringError, match=told):
        planned(Home(tmp_path), **asked)


def test_plan_of_no_configuration_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="'nowhere' is neither a file nor"):
        planned(Home(tmp_path), "nowhere")


def test_command_prints_sizes_and_refuses_what_does_not_go_together(tmp_path: Path) -> None:
    done = demur_here("plan", "--epsilon", "0.05", "--rounds", "12", "--format", "json", home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["value"] == 1235
    for arguments in (["plan"], ["plan", "--rounds", "3"], ["plan", "--epsilon", "2"]):
        assert demur_here(*arguments, home=tmp_path).returncode == 2
