"""The archive: all data that the loader took in, kept as files from which its DuckDB file can be made again.

archive/<round>/shards/<stage>/<shard>.<landing id>/   a landed shard, as it was loaded
archive/<round>/journals/<stage>/<shard>.<id>.jsonl.gz  a journal, as it was folded: calls, and the prompts behind them
archive/<round>/tables/<table>.parquet                  the round's rows of tables in which no units land

Rows of `units` follow from the plans under orders/. A round that came from the published copy has all of its rows under
tables/.

The archive of a home in a store lies in the store, under the same keys except for shards and plans. A shard lands in
its place at once (archive/<round>/shards/<stage>/<shard>/<landing id>/), and plans are
archive/<round>/plans/<stage>.parquet. The loader's file records the objects that it has (`store.replayed`), and so
takes in objects of other machines once.
"""

import gzip
import hashlib
import os
import shutil
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from demur.levers.durable import sync_directory
from demur.warehouse.connection import Connection
from demur.warehouse.errors import LandingError, disk_explained
from demur.warehouse.home import Home
from demur.warehouse.landing import MANIFEST
from demur.warehouse.parquet import ROWS_PER_GROUP, open_writer
from demur.warehouse.statements import statement
from demur.warehouse.tables import Table

_FAST: Final = 1
"""The level of compression: journals of a million calls take some 20 s of CPU."""


def keep_shard(home: Home, round_id: str, stage: str, directory: Path, landing_id: str) -> None:
    """Move a loaded shard's directory into the archive. After a kill it is in one of the two places.

    In a home in an object store, the shard's files are in the store already, and the local copy is deleted.
    """
    target = home.archived_shards(round_id, stage) / f"{directory.name}.{landing_id}"
    with disk_explained(directory, LandingError):
        if home.store is not None:
            shutil.rmtree(directory)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        directory.rename(target)
        sync_directory(target.parent)
        sync_directory(directory.parent)


def shard_key(home: Home, round_id: str, stage: str, shard: str, landing_id: str) -> str:
    """Return the store key of a shard's `landing.json`, which marks the shard as landed."""
    return home.key(home.stored_shard(round_id, stage, shard, landing_id) / MANIFEST)


def keep_journal(con: Connection, home: Home, round_id: str, stage: str, path: Path) -> None:
    """Copy a folded journal into the archive, durably, replacing a partial copy of a killed process."""
    target = home.archived_journal(round_id, stage, journal_name(path))
    draft = target.with_name(f".{target.name}")
    with disk_explained(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with path.open("rb") as source, draft.open("wb") as sink:
            with gzip.GzipFile(fileobj=sink, filename="", mode="wb", compresslevel=_FAST, mtime=0) as packed:
                shutil.copyfileobj(source, packed)
            sink.flush()
            os.fsync(sink.fileno())
        if home.store is not None:
            _put(con, home, draft, target)
            return
        draft.replace(target)
        sync_directory(target.parent)


def journal_name(path: Path) -> str:
    """Return the name of a journal in the archive, after its shard and first call, the same however often it is folded.

    A shard has one journal for each of its runs. A journal folded while its shard runs still grows.
    """
    with path.open("rb") as lines:
        return f"{path.stem}.{hashlib.blake2b(lines.readline(), digest_size=4).hexdigest()}"


def keep_plan(con: Connection, home: Home, round_id: str, stage: str, path: Path) -> None:
    """Put the plan of a stage, the source of its rows of `units`, into the store; a folder has it under orders/."""
    if home.store is not None:
        note_replayed(con, home, key := home.key(home.archived_plan(round_id, stage)), home.store.put(key, path))


def keep_rows(con: Connection, home: Home, round_id: str, *tables: Table) -> None:
    """Replace the archived rows of these tables of a round.

    A round without archived rows is written with the rows of all tables.
    """
    folder = home.archived_tables(round_id)
    with disk_explained(folder):
        if home.store is not None:
            _put_rows(con, home, folder, round_id, tables)
            return
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
    """Archive the rounds without archived rows, and return their names."""
    if home.store is not None:
        return []  # its archive is where its shards land
    rounds = [str(round_id) for (round_id,) in con.execute(statement("rounds_by_id")).fetchall()]
    missing = [round_id for round_id in rounds if not home.archived_tables(round_id).is_dir()]
    for round_id in missing:
        keep_rows(con, home, round_id)
    return missing


def archived_rounds(home: Home) -> list[str]:
    """Return the rounds that the archive has, by name."""
    return sorted(folder.parent.name for folder in home.archive.glob("*/tables"))


def note_replayed(con: Connection, home: Home, key: str, version: str = "") -> None:
    """Record that the loader's file contains this version of an object of the store."""
    if home.store is not None:
        con.execute(statement("open_replayed"))
        con.execute(statement("note_replayed"), {"object": key, "version": version})


def replayed(con: Connection) -> dict[str, str]:
    """Return the objects of the store that the loader's file has, with their versions."""
    con.execute(statement("open_replayed"))
    return dict(con.execute(statement("replayed")).fetchall())


def _put_rows(con: Connection, home: Home, folder: Path, round_id: str, tables: Sequence[Table]) -> None:
    """Put rows into the store's archive; `rounds` is put last, without which a round is none for others."""
    begun = home.key(folder / f"{Table.ROUNDS}.parquet") in replayed(con)
    chosen = [
        table
        for table in (tables if begun else Table)
        if begun or con.execute(statement("has_rows", table), [round_id]).fetchall()
    ]
    folder.mkdir(parents=True, exist_ok=True)
    for table in sorted(chosen, key=lambda table: table is Table.ROUNDS):
        draft = folder / f".{table}-{uuid.uuid4().hex[:8]}"
        try:
            _write(con, table, round_id, draft)
            _put(con, home, draft, folder / f"{table}.parquet")
        finally:
            draft.unlink(missing_ok=True)


def _put(con: Connection, home: Home, draft: Path, path: Path) -> None:
    """Put a file into the store, under the key of a path, and delete it."""
    assert home.store is not None
    note_replayed(con, home, home.key(path), home.store.put(home.key(path), draft))
    draft.unlink()


def _keep_all(con: Connection, folder: Path, round_id: str) -> None:
    """Write all rows of a round; the folder appears whole or not at all."""
    for left in folder.parent.glob(".tables-*"):  # of a killed process: the loader's file is ours alone now
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
