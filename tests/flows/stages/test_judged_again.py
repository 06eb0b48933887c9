"""Which judgement of a response is planned: the first, or one that was asked for again."""

from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from demur.engine.units import planned_unit
from demur.flows.stages.responses.judge import FOLDER, JUDGED, NAME, _newest
from demur.warehouse.statements import records
from demur.warehouse.tables.made_tables import make_tables
from tests.flows.capped import capped

INPUTS = {"response_id": "r", "judge": "j"}


def test_judgement_bought_again_stays_planned_under_other_code(tmp_path: Path) -> None:
    context = capped(tmp_path, "http://127.0.0.1:9", None)
    first = planned_unit(context, NAME, JUDGED, INPUTS, "old")
    second = planned_unit(context, NAME, JUDGED, {**INPUTS, "asking": 2}, "old")
    landed = {first.unit_id: ("old", False)}
    assert _newest(context, landed, INPUTS, "old").unit_id == first.unit_id
    again = replace(context, again="invalid")
    assert _newest(again, {first.unit_id: (first.stamp, False)}, INPUTS, "old").unit_id == second.unit_id
    assert _newest(again, {first.unit_id: (first.stamp, False)}, INPUTS, "new").unit_id == first.unit_id
    both = {first.unit_id: (first.stamp, False), second.unit_id: (second.stamp, True)}
    assert _newest(context, both, INPUTS, "new").unit_id == second.unit_id


def test_answered_repetition_without_rows_is_known_by_its_calls(tmp_path: Path) -> None:
    con = duckdb.connect()
    make_tables(con, "here")
    con.execute("INSERT INTO units (round_id, stage, unit_id, stamp, ordinal) VALUES ('r', 'judge', 'u', 's', 0)")
    query = FOLDER / "landed.sql"
    assert list(records(con, query, ["r"])) == []
    columns = "round_id VARCHAR, stage VARCHAR, unit_id VARCHAR, status VARCHAR"
    con.execute(f"CREATE TEMP TABLE calls ({columns}); INSERT INTO calls VALUES ('r', 'judge', 'u', 'ok')")
    assert list(records(con, query, ["r"])) == [{"unit_id": "u", "stamp": "s", "readable": True}]


def test_unit_about_a_misspelt_input_is_refused(tmp_path: Path) -> None:
    context = capped(tmp_path, "http://127.0.0.1:9", None)
    with pytest.raises(KeyError, match="respnse_id"):
        planned_unit(context, NAME, ("respnse_id",), INPUTS)
