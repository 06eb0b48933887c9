"""The loader's file, made again, holds what it held."""

from pathlib import Path

import duckdb
import pytest

from demur.warehouse.arrow_rows import write_table
from demur.warehouse.connection import writing
from demur.warehouse.errors import OtherTablesError, WarehouseBusyError, WarehouseError, WarehouseMissingError
from demur.warehouse.home import Home
from demur.warehouse.plans import PlanWriter, register_plan
from demur.warehouse.publication import publish, rebuild
from demur.warehouse.round_rows import RoundRow, load_calls, open_round
from demur.warehouse.tables import Table
from demur.warehouse.transactions import Connection
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
    """A published round with loaded rows, one unit with a failure, and calls."""
    begin(home)
    load(home, "a-first", {"perturbations": [perturbation(1)], "failures": [failure(3)]})
    load(home, "b-second", {"perturbations": [perturbation(2)], "checks": [check(2)]})
    with writing(home, wait_seconds=5) as con:
        stored(con)
    publish(home)
    return home


def stored(con: Connection) -> None:
    """Load what the store of calls holds."""
    assert load_calls(con, [call_row(1), call_row(2)]) == []


def nothing(con: Connection) -> None:
    """Load nothing, as from a store of calls that is lost."""


def test_lost_or_damaged_file_is_rebuilt_from_the_published_copy_with_the_same_bytes_in_every_table(
    worked: Home, tmp_path: Path
) -> None:
    before = tables(worked, tmp_path / "before")
    worked.loader.unlink()
    with pytest.raises(WarehouseMissingError, match=r"loader\.duckdb: is missing.*`demur warehouse rebuild`"):
        begin(worked)
    assert not worked.loader.exists()
    made = rebuild(worked, stored, wait_seconds=5)
    assert made.from_published and made.kept is None
    assert (made.rows["perturbations"], made.rows["failures"], made.rows["calls"], made.rows["units"]) == (2, 1, 2, 3)
    assert tables(worked, tmp_path / "after") == before
    worked.loader.write_bytes(b"no database")
    with pytest.raises(WarehouseError, match=r"loader\.duckdb is damaged.*`demur warehouse rebuild`"):
        begin(worked)
    made = rebuild(worked, stored, wait_seconds=5)
    assert made.kept is not None
    assert made.kept.read_bytes() == b"no database"
    assert tables(worked, tmp_path / "again") == before


def test_readable_file_is_rebuilt_from_itself_with_rows_that_are_not_published(worked: Home, tmp_path: Path) -> None:
    load(worked, "c-third", {"perturbations": [perturbation(3)]})
    before = tables(worked, tmp_path / "before")
    made = rebuild(worked, nothing, wait_seconds=5)
    assert (made.from_published, made.kept, made.rows["perturbations"], made.rows["calls"]) == (False, None, 3, 2)
    assert tables(worked, tmp_path / "after") == before


def test_file_of_another_version_keeps_what_both_versions_have(worked: Home, tmp_path: Path) -> None:
    before = tables(worked, tmp_path / "before")
    with duckdb.connect(str(worked.loader)) as con:
        con.execute(
            "ALTER TABLE calls ADD COLUMN older VARCHAR; DROP TABLE scores; UPDATE schema_views SET digest = 'x'"
        )
    with pytest.raises(OtherTablesError, match="`demur warehouse rebuild` makes it again with its rows"):
        begin(worked)
    made = rebuild(worked, nothing, wait_seconds=5)
    assert made.kept is not None and not made.from_published
    assert tables(worked, tmp_path / "after") == before


def test_home_without_rounds_has_nothing_to_rebuild(tmp_path: Path) -> None:
    with pytest.raises(WarehouseMissingError, match="no round was loaded here"):
        rebuild(Home(tmp_path), nothing, wait_seconds=5)


def test_rebuild_is_refused_while_another_process_has_the_file(worked: Home, start: RunScript) -> None:
    before = worked.loader.read_bytes()
    holder = start(HOLD, worked.loader, 60)
    with pytest.raises(WarehouseBusyError, match=rf"is held open by PID {holder.pid}"):
        rebuild(worked, stored, wait_seconds=0.2)
    assert worked.loader.read_bytes() == before
