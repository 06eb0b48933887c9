"""What a round that draws levers by what they tell knows of them: from earlier rounds, once, and in its manifest."""

from pathlib import Path

from demur.configuration.round_config import SHIPPED, RoundConfig
from demur.engine.context import RoundContext
from demur.flows.rounds.config_files import read_round_config
from demur.flows.rounds.session import note_lever_states
from demur.levers.vocabulary import STRATA
from demur.warehouse.before import insert_before, rows_before
from demur.warehouse.connection import Connection, writing
from demur.warehouse.home import Home
from demur.warehouse.records import records
from demur.warehouse.rounds import RoundRow, open_round
from demur.warehouse.rows import to_arrow
from demur.warehouse.tables import Table
from tests.warehouse.examples import ROWS

CONFIG = read_round_config(SHIPPED / "weekly.yaml")
STARTS = {"first": "2026-01-01", "now": "2026-01-08", "later": "2026-01-15"}


def context(home: Home, lever_choice: str = "informative") -> RoundContext:
    generation = CONFIG.generation.model_copy(update={"lever_choice": lever_choice})
    return RoundContext(home, CONFIG.model_copy(update={"generation": generation}), SHIPPED, "now", 1)


def with_round(con: Connection, round_id: str, config: RoundConfig, told: dict[str, float]) -> None:
    """Write down a round whose items of each lever told so much."""
    row = RoundRow(round_id, "weekly", 1, "single", 10, (), (), (), (), (), config.recorded(), "d", "c")
    open_round(con, row)
    con.execute("UPDATE rounds SET started_at = ? WHERE round_id = ?", [STARTS[round_id], round_id])
    con.execute("INSERT INTO units VALUES (?, 'score', ?, 0)", [round_id, f"{round_id}-s"])
    rows = [
        ROWS[Table.ITEM_PARAMETERS]
        | {"round_id": round_id, "unit_id": f"{round_id}-s", "factor": "lever_id", "factor_value": lever, "items": 3}
        | {"information": value, "information_low": value - 0.05, "information_high": value + 0.05, "suspicion": None}
        for lever, value in told.items()
    ]
    if rows:
        con.from_arrow(to_arrow(Table.ITEM_PARAMETERS, rows, "test")).insert_into("item_parameters")


def test_states_come_from_earlier_rounds_alone_and_stay_as_the_round_began(tmp_path: Path) -> None:
    home = Home(tmp_path)
    of = context(home)
    levers = [lever.id for lever in of.catalogue.stratum(*STRATA[0])]
    with writing(home, wait_seconds=0) as con:
        with_round(con, "first", of.config, {levers[0]: 0.4, levers[1]: 0.1})
        with_round(con, "later", of.config, {levers[2]: 9.0})
        with_round(con, "now", of.config, {})
        note_lever_states(of, con)
        states = {row["lever_id"]: row for row in records(con, "lever_states", ["now"])}
        assert len(states) == len(of.catalogue)
        assert [states[lever]["rounds"] for lever in levers[:3]] == [1, 1, 0]
        assert states[levers[0]]["information"] > states[levers[2]]["information"] > states[levers[1]]["information"]
        con.execute("UPDATE item_parameters SET information = 5 WHERE round_id = 'first'")
        note_lever_states(of, con)
        assert {row["lever_id"]: row for row in records(con, "lever_states", ["now"])} == states


def test_states_are_written_for_informative_rounds_alone(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with writing(home, wait_seconds=0) as con:
        with_round(con, "now", CONFIG, {})
        note_lever_states(context(home, "assigned"), con)
        assert not list(records(con, "lever_states", ["now"]))
        note_lever_states(context(home), con)
        assert {(row["rounds"], row["spread"]) for row in records(con, "lever_states", ["now"])} == {(0, 1.0)}


def test_round_made_again_knows_of_levers_what_it_knew(tmp_path: Path) -> None:
    home, scratch = Home(tmp_path / "home"), Home(tmp_path / "scratch")
    of = context(home)
    levers = [lever.id for lever in of.catalogue.stratum(*STRATA[0])]
    with writing(home, wait_seconds=0) as con:
        with_round(con, "first", of.config, {levers[0]: 0.4, levers[1]: 0.1})
        with_round(con, "now", of.config, {})
        note_lever_states(of, con)
        states, before = list(records(con, "lever_states", ["now"])), rows_before(con, "now")
    with writing(scratch, wait_seconds=0) as con:
        insert_before(con, before)
        with_round(con, "now", of.config, {})
        note_lever_states(context(scratch), con)
        assert list(records(con, "lever_states", ["now"])) == states
