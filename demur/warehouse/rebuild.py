"""Rebuilds the loader's file from the archive, after loss or damage, or to check that the archive is complete."""

import shutil
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from demur.warehouse.archive import archived_rounds, keep_rounds
from demur.warehouse.connection import Connection, OnWait, reading, writing
from demur.warehouse.errors import (
    OtherTablesError,
    WarehouseBusyError,
    WarehouseError,
    WarehouseMissingError,
    WarehouseVersionError,
    disk_explained,
)
from demur.warehouse.home import JOURNAL_SUFFIX, Home
from demur.warehouse.journals import fold_archived
from demur.warehouse.landing import DamagedLandingError, Landed, inspect
from demur.warehouse.load import LoadReport, load_key, load_shard
from demur.warehouse.plans import StagePlan, plan_path, register_plan
from demur.warehouse.pruning import drop_pruned
from demur.warehouse.replay import replay
from demur.warehouse.statements import statement
from demur.warehouse.tables import Table

KEPT_SUFFIX = ".before-rebuild"


@dataclass(slots=True)
class Rebuilt:
    """Result of a rebuild.

    `rows` counts rows by table. `damaged` has messages about unreadable archived shards and files. `from_published` are
    rounds that were restored from the published copy. `kept` is the path of the replaced file, if it was kept.
    """

    rounds: list[str] = field(default_factory=list)
    rows: dict[str, int] = field(default_factory=dict)
    damaged: list[str] = field(default_factory=list)
    from_published: list[str] = field(default_factory=list)
    kept: Path | None = None


@dataclass(frozen=True, slots=True)
class _Shard:
    round_id: str
    stage: str
    landed: Landed
    key: str


def rebuild(home: Home, *, wait_seconds: float = 900.0, on_wait: OnWait | None = None) -> Rebuilt:
    """Replace the loader's file by a new file with the rows of the archive.

    No other process can open the loader's file meanwhile. The steps depend on the old file:

    - A readable file: rows that the archive lacks are archived first. The new file must have at least as many rows.
    - An unreadable file: it is renamed and kept. Rounds that the archive lacks come from the published copy.
    - A file of an unreleased version: it is renamed and kept. The archive must have all its rounds.

    Raises:
        WarehouseMissingError: no round was loaded here.
        WarehouseBusyError: another process has the loader's file open for longer than `wait_seconds`.
        WarehouseVersionError: another version of demur wrote the file.
        WarehouseError: the archive lacks rows of the old file (which then stays), or the disk cannot be written.
    """
    report = Rebuilt()
    with ExitStack() as stack:
        old = _old_file(home, stack, report, wait_seconds, on_wait)
        if home.store is None and not archived_rounds(home):
            raise WarehouseMissingError(f"{home.archive}: no round was loaded here; run one first (demur round)")
        scratch = Home(home.root / f".rebuild-{uuid.uuid4().hex[:8]}", home.store)
        try:
            with writing(scratch, wait_seconds=0) as con:
                if home.store is None:
                    _replay(con, home, report)
                else:
                    found = replay(con, scratch, home.store)
                    report.rounds = sorted(found.rounds)
                    report.damaged = found.damaged
                report.rows = {table.value: _count(con, table) for table in Table}
            if old is not None:
                _check_complete(home, old, report.rows)
            with disk_explained(home.loader):
                if old is None:
                    report.kept = _keep_aside(home)
                scratch.loader.replace(home.loader)
        finally:
            shutil.rmtree(scratch.root, ignore_errors=True)
    return report


def _old_file(
    home: Home, stack: ExitStack, report: Rebuilt, wait_seconds: float, on_wait: OnWait | None
) -> Connection | None:
    """Return a connection to the old file after its unarchived rows were archived; None if the file is unusable."""
    try:
        con = stack.enter_context(writing(home, wait_seconds=wait_seconds, on_wait=on_wait))
    except OtherTablesError as exc:
        require_archived(home, exc)
        return None
    except (WarehouseBusyError, WarehouseVersionError):
        raise
    except WarehouseError:
        if home.store is not None:
            return None  # the store has the rows of the published copy
        try:
            with reading(home) as published:
                report.from_published = keep_rounds(published, home)
        except WarehouseMissingError:
            pass
        except WarehouseError as exc:
            report.damaged.append(str(exc))
        return None
    keep_rounds(con, home)
    con.execute("CHECKPOINT")
    return con


def require_archived(home: Home, error: OtherTablesError) -> None:
    """Check that the archive has all rounds of the loader's file, which has tables of an unreleased version.

    Raises:
        WarehouseVersionError: the archive lacks some rounds.
    """
    if home.store is not None:
        return  # its archive is where its shards land
    with reading(home, "loader") as con:
        rounds = {str(round_id) for (round_id,) in con.execute(statement("rounds_by_id")).fetchall()}
    if lacking := sorted(rounds - set(archived_rounds(home))):
        raise WarehouseVersionError(
            f"{home.loader} was made by an unreleased version of demur, and {home.archive} lacks rounds of it "
            f"({', '.join(lacking)}): set DEMUR_HOME to another directory, or move this one away"
        ) from error


def _replay(con: Connection, home: Home, report: Rebuilt) -> None:
    """Insert the whole archive; shards are inserted in the order of their first loading."""
    report.rounds = archived_rounds(home)
    for round_id in report.rounds:
        for file in sorted(home.archived_tables(round_id).glob("[!.]*.parquet")):
            con.execute(statement("insert_archived", Table(file.stem)), {"file": str(file)})
    order = {key: place for place, (key,) in enumerate(con.execute(statement("loads_in_order")).fetchall())}
    shards = [shard for round_id in report.rounds for shard in _shards(home, round_id, report)]
    for shard in sorted(shards, key=lambda one: (order.get(one.key, len(order)), one.landed.landed_at)):
        load_shard(con, shard.landed, shard.key, shard.round_id, shard.stage, LoadReport())
    for round_id in report.rounds:
        for folder in _folders(home.archived_journals(round_id, "any").parent):
            _fold(con, folder, round_id, report)
        for folder in _folders(home.orders(round_id, "any").parent):
            if (path := plan_path(home, round_id, folder.name)).is_file():
                register_plan(con, StagePlan(round_id, folder.name, path, 0))
    drop_pruned(con)


def _fold(con: Connection, folder: Path, round_id: str, report: Rebuilt) -> None:
    for path in sorted(folder.glob(f"[!.]*{JOURNAL_SUFFIX}")):
        try:
            fold_archived(con, path, round_id, folder.name)
        except (OSError, EOFError) as exc:
            report.damaged.append(f"{path}: {exc}")


def _shards(home: Home, round_id: str, report: Rebuilt) -> Iterator[_Shard]:
    for stage in _folders(home.archived_shards(round_id, "any").parent):
        for directory in _folders(stage):
            name = directory.name.rpartition(".")[0]
            try:
                landed = inspect(directory, any_columns=True)
            except DamagedLandingError as exc:
                report.damaged.append(str(exc))
                continue
            yield _Shard(round_id, stage.name, landed, load_key(round_id, stage.name, name, landed.landing_id))


def _folders(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []


def _count(con: Connection, table: Table) -> int:
    [(count,)] = con.execute(statement("count_rows", table)).fetchall()
    return int(count)


def _check_complete(home: Home, old: Connection, rebuilt: dict[str, int]) -> None:
    lacking = [
        f"{table} {_count(old, table) - rebuilt[table]}" for table in Table if _count(old, table) > rebuilt[table]
    ]
    if lacking:
        archive = home.archive if home.store is None else home.address
        raise WarehouseError(
            f"{archive}: lacks rows that {home.loader.name} has ({', '.join(lacking)}), so that file stays as it "
            "is. It can be read: no rebuilding is needed"
        )


def _keep_aside(home: Home) -> Path | None:
    """Rename an unusable file, and DuckDB's files beside it."""
    kept = None
    for name in (home.loader.name, f"{home.loader.name}.wal"):
        if (path := home.root / name).exists():
            kept = path.replace(home.root / f"{name}{KEPT_SUFFIX}")
    return kept
