"""The archive: files with all loaded data, from which the loader's DuckDB file can be rebuilt.

- archive/<round>/shards/<stage>/<shard>.<landing id>/: a loaded shard, with the files of its landing.
- archive/<round>/tables/<table>.parquet: the round's rows of a table that gets no rows from shards.

A rebuild makes the rows of `units` from the plans under orders/, and takes calls from the home's store of calls. If a
round was restored from the published copy, all rows of the round are under tables/.
"""

import os
import shutil
import uuid
from pathlib import Path

from demur.levers.durable import sync_directory
from demur.warehouse.connection import Connection
from demur.warehouse.errors import LandingError, disk_explained
from demur.warehouse.home import Home
from demur.warehouse.parquet import ROWS_PER_GROUP, open_writer
from demur.warehouse.statements import statement
from demur.warehouse.tables import Table


def keep_shard(home: Home, round_id: str, stage: str, directory: Path, landing_id: str) -> None:
    """Move a loaded shard's directory from the landing zone into the archive, by one rename."""
    target = home.archived_shards(round_id, stage) / f"{directory.name}.{landing_id}"
    with disk_explained(directory, LandingError):
        target.parent.mkdir(parents=True, exist_ok=True)
        directory.rename(target)
        sync_directory(target.parent)
        sync_directory(directory.parent)


def keep_rows(con: Connection, home: Home, round_id: str, *tables: Table) -> None:
    """Write the current rows of a round in these tables to the archive, in place of the archived rows.

    If the archive has no tables of the round, the rows of all tables are written.
    """
    folder = home.archived_tables(round_id)
    with disk_explained(folder):
        if not folder.is_dir():
            _keep_all(con, folder, round_id)
            return
        for table in tables:
            draft = folder / f".{table}-{uuid.uuid4().hex[:8]}"
            try:
                _write(con, table, round_id, draft)
                draft.replace(folder / f"{table}.parquet")
            finally:
                draft.unlink(missing_ok=True)
        sync_directory(folder)


def keep_rounds(con: Connection, home: Home) -> list[str]:
    """Archive the rows of every round that the archive lacks; return the ids of these rounds."""
    rounds = [str(round_id) for (round_id,) in con.execute(statement("rounds_by_id")).fetchall()]
    missing = [round_id for round_id in rounds if not home.archived_tables(round_id).is_dir()]
    for round_id in missing:
        keep_rows(con, home, round_id)
    return missing


def archived_rounds(home: Home) -> list[str]:
    """Return the ids of the archived rounds, sorted."""
    return sorted(folder.parent.name for folder in home.archive.glob("*/tables"))


def _keep_all(con: Connection, folder: Path, round_id: str) -> None:
    """Write all rows of a round into a new folder, atomically."""
    for left in folder.parent.glob(".tables-*"):  # of killed processes: only the loader writes here
        shutil.rmtree(left)
    draft = folder.with_name(f".tables-{uuid.uuid4().hex[:8]}")
    try:
        draft.mkdir(parents=True)
        for table in Table:
            if con.execute(statement("has_rows", table), [round_id]).fetchall():
                _write(con, table, round_id, draft / f"{table}.parquet")
        sync_directory(draft)
        draft.rename(folder)
        sync_directory(folder.parent)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _write(con: Connection, table: Table, round_id: str, path: Path) -> None:
    rows = con.sql(statement("rows_of_round", table), params=[round_id]).to_arrow_reader(ROWS_PER_GROUP)
    with path.open("xb") as sink:
        with open_writer(sink, rows.schema) as writer:
            for batch in rows:
                writer.write_batch(batch.replace_schema_metadata(None))
        sink.flush()
        os.fsync(sink.fileno())
