"""Score and agree name their rows, whatever their number, and read them from the warehouse."""

from pathlib import Path

import pytest

from demur.flows.stages.responses.score import FOLDER
from demur.warehouse.connection import reading, writing
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home
from demur.warehouse.statements import RowSet, named_frame, row_set
from tests.flows.finished_rounds import FinishedRound

ROWS = FOLDER / "plan.sql"


def judged(home: Home) -> RowSet:
    with reading(home) as con:
        return row_set(con, ROWS, ["embedded", None, None])


def test_name_of_rows_follows_what_they_hold_and_not_their_order(rules_round: FinishedRound, tmp_path: Path) -> None:
    home = rules_round.copy(tmp_path / "round").home
    before = judged(home)
    changes = (
        "CREATE OR REPLACE TABLE judgements AS SELECT * FROM judgements ORDER BY random()",
        "UPDATE judgements SET correct = NOT correct WHERE correct IS NOT NULL AND rowid < 500",
    )
    names = [before]
    for change in changes:
        with writing(home, wait_seconds=5) as con:
            con.execute(change)
            names.append(row_set(con, ROWS, ["embedded", None, None]))
    assert names[1] == before
    assert names[2].rows == before.rows and names[2].digest != before.digest


def test_rows_that_have_changed_since_they_were_planned_are_refused(rules_round: FinishedRound) -> None:
    with reading(rules_round.home) as con:
        named = row_set(con, ROWS, ["embedded", None, None])
        assert len(named_frame(con, ROWS, ["embedded", None, None], named)) == named.rows
        other = RowSet(named.rows, "0" * 64)
        with pytest.raises(
            WarehouseError, match="rows that differ from the .* planned rows.*Run the same command again"
        ):
            named_frame(con, ROWS, ["embedded", None, None], other)
