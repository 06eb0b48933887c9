"""Figures of a round are the same wherever they are shown."""

from demur.reports.tables import named_table
from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from tests.warehouse.gate_round import ROUND


def test_bases_of_a_round_are_those_that_it_works_on_once_they_are_known(gate_home: Home) -> None:
    with writing(gate_home, wait_seconds=5) as con:
        con.execute("UPDATE rounds SET bases_wanted = 60")
        [listed] = named_table("rounds").read(con, round=ROUND).records
        [reported] = named_table("overview").read(con, round=ROUND).records
        assert listed["bases"] == reported["bases"] == 2
        con.execute("DELETE FROM base_instances")
        [begun] = named_table("rounds").read(con, round=ROUND).records
        assert begun["bases"] == 60
