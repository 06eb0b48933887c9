"""Rows of Python values in tables: what is there already is not written again."""

from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.statements import write_rows
from demur.warehouse.tables import Table

LEVERS = [
    {
        "round_id": "r1", "lever_id": f"l{number}", "lever": "A lever", "class": "P-Ambiguity", "intensity": "LOW",
        "origin": "demur", "target": "query", "answer": "removed", "recipe": None, "hard": 2.5,
    }
    for number in range(2)
]  # fmt: skip


def test_write_rows_writes_what_differs_and_nothing_else(home: Home) -> None:
    with writing(home, wait_seconds=5) as con:

        def written(*levers: dict[str, object]) -> list[tuple[object, ...]]:
            write_rows(con, Table.LEVERS_ON_OFFER, levers, keys=[["r1"]])
            return con.execute("SELECT rowid, lever_id, lever FROM levers_on_offer ORDER BY lever_id").fetchall()

        first = written(*LEVERS)
        assert written(*reversed(LEVERS)) == first
        assert [row[1:] for row in written(LEVERS[0], {**LEVERS[1], "lever": "Another"})] == [
            ("l0", "A lever"), ("l1", "Another"),
        ]  # fmt: skip
        assert [row[1] for row in written(LEVERS[0])] == ["l0"]
