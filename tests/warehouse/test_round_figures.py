"""Figures of a round are the same wherever they are shown."""

from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.records import records
from tests.warehouse.gate_round import ROUND, whole_round


def test_bases_of_a_round_are_those_that_it_works_on_once_they_are_known(home: Home) -> None:
    whole_round(home)
    with writing(home, wait_seconds=5) as con:
        con.execute("UPDATE rounds SET bases_wanted = 60")
        [listed] = records(con, "rounds_in_figures", [ROUND])
        [reported] = records(con, "report_summary", [ROUND])
        assert listed["bases"] == reported["bases"] == 2
        con.execute("DELETE FROM base_instances")
        [begun] = records(con, "rounds_in_figures", [ROUND])
        assert begun["bases"] == 60
