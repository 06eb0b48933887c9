"""Scores by measured hardness, on rows made by hand."""

from pathlib import Path

import duckdb

import demur.reports.tables as tables

QUERY = (Path(tables.__file__).parent / "declared" / "hardness_scores.sql").read_text(encoding="utf-8")
ROWS = """
CREATE TABLE levers_on_offer AS
SELECT 'r' AS round_id, * FROM (VALUES ('a', 1.2), ('b', 2.1), ('c', 3.4), ('d', NULL)) l(lever_id, hard);
CREATE TABLE response_kinds AS
SELECT
    round_id, lever_id, 'perturbed' AS kind, 'm' AS respondent, 'j' AS judge, 'REFUSE_OTHER' AS expected,
    'correct_refusal' AS response_kind, 1 AS responses
FROM levers_on_offer;
"""


def test_hardness_scores_hardest_levers_come_first() -> None:
    with duckdb.connect() as con:
        con.execute(ROWS)
        found = [row[2] for row in con.execute(QUERY, {"round": "r"}).fetchall()]
    assert found == ["2.8 or more", "2 to 2.8", "below 2", "not read"]
