"""The loader's file, made again from the archive, holds what it held."""

import shutil
from pathlib import Path

import pytest

from demur.warehouse.archive import archived_rounds, keep_rounds, keep_rows
from demur.warehouse.calls import load_calls
from demur.warehouse.connection import Connection, writing
from demur.warehouse.errors import WarehouseBusyError, WarehouseError, WarehouseMissingError
from demur.warehouse.home import Home
from demur.warehouse.landing import land
from demur.warehouse.load import load_landed
from demur.warehouse.parquet import write_table
from demur.warehouse.plans import PlanWriter, register_plan
from demur.warehouse.publish import publish
from demur.warehouse.rebuild import rebuild
from demur.warehouse.rounds import RoundRow, open_round
from demur.warehouse.tables import Table
from tests.warehouse.conftest import RunScript
from tests.warehouse.examples import ROUND, call_row, check, failure, perturbation
from tests.warehouse.test_connection import HOLD
from tests.warehouse.test_load import load


def tables(home: Home, folder: Path) -> dict[str, bytes]:
    """All rows of all tables as the bytes of Parquet files."""
    folder.mkdir()
    with writing(home, wait_seconds=5) as con:
        for table in Table:
            write_table(con.sql(f"SELECT * FROM {table} ORDER BY ALL").to_arrow_table(), folder / table.value)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def begin(home: Home, round_id: str = ROUND) -> None:
    with writing(home, wait_seconds=5) as con:
        open_round(con, RoundRow(round_id, "n", 1, "single", 1, (), (), (), (), (), {}, "d", "c"))
        with PlanWriter(home, round_id, "generate") as writer:
            for unit in ("u1", "u2", "u3"):
                writer.add(unit, "{}")
        register_plan(con, writer.plan)


@pytest.fixture
def worked(home: Home) -> Home:
    """A round with shards, one of them with a unit that had landed, a failure that was mended, and calls."""
    begin(home)
    with writing(home, wait_seconds=5) as con:
        keep_rounds(con, home)
    land(home, ROUND, "generate", "z-first", {"perturbations": [perturbation(1, question="Which came first?")]})
    load(home)
    land(home, ROUND, "generate", "a-second", {"perturbations": [perturbation(1, question="Which came second?")]})
    land(home, ROUND, "generate", "b-third", {"failures": [failure(2), failure(3)]})
    load(home)
    land(home, ROUND, "generate", "c-fourth", {"perturbations": [perturbation(2)], "checks": [check(2)]})
    load(home)
    with writing(home, wait_seconds=5) as con:
        stored(con)
        keep_rows(con, home, ROUND, Table.LOADS)
    return home


def stored(con: Connection) -> None:
    """Load what the store of calls holds."""
    assert load_calls(con, [call_row(1), call_row(2)]) == []


def nothing(con: Connection) -> None:
    """Load nothing, as from a store of calls that is lost."""


def test_lost_or_damaged_file_is_rebuilt_with_the_same_bytes_in_every_table(worked: Home, tmp_path: Path) -> None:
    before = tables(worked, tmp_path / "before")
    worked.loader.unlink()
    with pytest.raises(WarehouseMissingError, match=r"loader\.duckdb: is missing.*`demur warehouse rebuild`"):
        begin(worked)
    assert not worked.loader.exists()
    made = rebuild(worked, stored, wait_seconds=5)
    assert made.rounds == [ROUND]
    assert (made.rows["perturbations"], made.rows["failures"], made.rows["calls"], made.rows["units"]) == (2, 1, 2, 3)
    assert (made.damaged, made.from_published) == ([], [])
    assert tables(worked, tmp_path / "after") == before
    worked.loader.write_bytes(b"no database")
    with pytest.raises(WarehouseError, match=r"loader\.duckdb is damaged.*`demur warehouse rebuild`"):
        begin(worked)
    made = rebuild(worked, stored, wait_seconds=5)
    assert made.kept is not None
    assert made.kept.read_bytes() == b"no database"
    assert tables(worked, tmp_path / "again") == before


def test_unit_that_landed_in_two_rounds_stays_that_of_the_round_that_was_loaded_first(
    home: Home, tmp_path: Path
) -> None:
    for round_id in ("later-by-name", "earlier-by-name"):
        begin(home, round_id)
        with writing(home, wait_seconds=5) as con:
            keep_rounds(con, home)
            land(home, round_id, "generate", "s1", {"perturbations": [perturbation(1, round_id=round_id)]})
            load_landed(con, home, round_id, "generate")
            keep_rows(con, home, round_id, Table.LOADS)
    before = tables(home, tmp_path / "before")
    rebuild(home, nothing, wait_seconds=5)
    with writing(home, wait_seconds=5) as con:
        assert con.execute("SELECT round_id FROM perturbations").fetchall() == [("later-by-name",)]
    assert tables(home, tmp_path / "after") == before


def test_rounds_of_an_older_version_come_from_its_file_or_from_the_published_copy(home: Home, tmp_path: Path) -> None:
    begin(home)
    land(home, ROUND, "generate", "s1", {"perturbations": [perturbation(1)]})
    load(home)
    shutil.rmtree(home.archive)  # an older version keeps none
    before = tables(home, tmp_path / "before")
    rebuild(home, nothing, wait_seconds=5)
    assert tables(home, tmp_path / "again") == before
    publish(home)
    shutil.rmtree(home.archive)
    home.loader.write_bytes(b"no database")
    assert rebuild(home, nothing, wait_seconds=5).from_published == [ROUND]
    assert tables(home, tmp_path / "after") == before


def test_archive_that_lacks_rows_replaces_nothing_and_its_damaged_shard_is_named_and_left_out(
    worked: Home, tmp_path: Path
) -> None:
    before = tables(worked, tmp_path / "before")
    with pytest.raises(
        WarehouseError, match=r"lacks rows that loader\.duckdb has \(calls 2\), so loader\.duckdb stays unchanged"
    ):
        rebuild(worked, nothing, wait_seconds=5)
    assert tables(worked, tmp_path / "after") == before
    [shard] = worked.archived_shards(ROUND, "generate").glob("c-fourth.*")
    (shard / "checks.parquet").write_bytes(b"cut")
    worked.loader.unlink()
    made = rebuild(worked, stored, wait_seconds=5)
    [line] = made.damaged
    assert str(shard / "checks.parquet") in line
    assert made.rows["perturbations"] == 1


def test_home_without_rounds_has_nothing_to_rebuild(home: Home) -> None:
    with pytest.raises(WarehouseMissingError, match="no round was loaded here"):
        rebuild(home, nothing, wait_seconds=5)


def test_round_is_archived_whole_though_its_first_writing_was_killed(worked: Home) -> None:
    draft = worked.archived_tables("r2").with_name(".tables-1234")
    draft.mkdir(parents=True)
    begin(worked, "r2")
    assert archived_rounds(worked) == [ROUND]
    with writing(worked, wait_seconds=5) as con:
        assert keep_rounds(con, worked) == ["r2"]
    assert archived_rounds(worked) == [ROUND, "r2"]


def test_rebuild_is_refused_while_another_process_has_the_file(worked: Home, start: RunScript) -> None:
    before = worked.loader.read_bytes()
    holder = start(HOLD, worked.loader, 60)
    with pytest.raises(WarehouseBusyError, match=rf"is held open by PID {holder.pid}"):
        rebuild(worked, stored, wait_seconds=0.2)
    assert worked.loader.read_bytes() == before
