"""Rebuilds the loader's file from the archive, after loss or damage, or to check that the archive is complete."""

import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
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
from demur.warehouse.home import Home
from demur.warehouse.landing import MANIFEST
from demur.warehouse.plans import plan_path
from demur.warehouse.pruning import drop_pruned
from demur.warehouse.replay import in_order, load_object, replay
from demur.warehouse.statements import statement
from demur.warehouse.store import Stored
from demur.warehouse.tables import Table

KEPT_SUFFIX = ".before-rebuild"


@dataclass(slots=True)
class Rebuilt:
    """Result of a rebuild.

    `rows` is the number of rows by table. `damaged` has messages about unreadable archived shards and files.
    `from_published` has the ids of the rounds that were restored from the published copy. `kept` is the new path of an
    unusable old file; None if the old file was usable or missing.
    """

    rounds: list[str] = field(default_factory=list)
    rows: dict[str, int] = field(default_factory=dict)
    damaged: list[str] = field(default_factory=list)
    from_published: list[str] = field(default_factory=list)
    kept: Path | None = None


def rebuild(
    home: Home,
    load_calls: Callable[[Connection], None],
    *,
    wait_seconds: float = 900.0,
    on_wait: OnWait | None = None,
) -> Rebuilt:
    """Replace the loader's file by a new file with the rows of the archive, and with the calls that `load_calls` loads.

    No other process can open the loader's file during a rebuild. What happens to the old file depends on its state:

    - The old file is readable. Its rounds that the archive lacks are archived first. The new file must have at least as
      many rows as the old file.
    - The old file is unreadable. The file is renamed. Rounds that the archive lacks come from the published copy.
    - A version of demur with other tables wrote the old file. The file is renamed. The archive must have all rounds of
      the file.

    Raises:
        WarehouseMissingError: no round was loaded here.
        WarehouseBusyError: another process has the loader's file open for longer than `wait_seconds`.
        WarehouseVersionError: another version of demur wrote the file.
        WarehouseError: the archive lacks rows of the old file, which is therefore not replaced; or the disk cannot be
            written.
    """
    report = Rebuilt()
    with ExitStack() as stack:
        old = _old_file(home, stack, report, wait_seconds, on_wait)
        if home.store is None and not archived_rounds(home):
            raise WarehouseMissingError(f"{home.archive}: no round was loaded here; run a round first (demur round)")
        scratch = Home(home.root / f".rebuild-{uuid.uuid4().hex[:8]}", home.store)
        try:
            with writing(scratch, wait_seconds=0) as con:
                if home.store is None:
                    _replay(con, home, report)
                else:
                    found = replay(con, scratch, home.store)
                    report.rounds = sorted(found.rounds)
                    report.damaged = found.damaged
                load_calls(con)
                drop_pruned(con)
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
    """Archive the missing rounds of the old file; return a connection to the file, or None if it cannot be used."""
    try:
        con = stack.enter_context(writing(home, wait_seconds=wait_seconds, on_wait=on_wait))
    except OtherTablesError as exc:
        _require_archived(home, exc)
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


def _require_archived(home: Home, error: OtherTablesError) -> None:
    """Check that the archive has all rounds of the loader's file, which has tables of another version.

    Raises:
        WarehouseVersionError: the archive lacks some rounds.
    """
    if home.store is not None:
        return  # its archive is where its shards land
    with reading(home, "loader") as con:
        rounds = {str(round_id) for (round_id,) in con.execute(statement("rounds_by_id")).fetchall()}
    if lacking := sorted(rounds - set(archived_rounds(home))):
        raise WarehouseVersionError(
            f"{home.loader} was made by another version of demur, and {home.archive} lacks some of its rounds "
            f"({', '.join(lacking)}): set DEMUR_HOME to another directory, or move this directory away"
        ) from error


def _replay(con: Connection, home: Home, report: Rebuilt) -> None:
    """Load the whole archive of a home that is a folder (not in an object store)."""
    report.rounds = archived_rounds(home)
    files = {}
    for round_id in report.rounds:
        for key, path in _archived(home, round_id):
            written_at = datetime.fromtimestamp(path.stat().st_mtime if path.is_file() else 0.0, UTC)
            files[Stored(key, "", 0, written_at)] = path
    for one in in_order(con, list(files)):
        if (why := load_object(con, one, files[one])) is not None:
            report.damaged.append(f"{files[one]}: {why}")


def _archived(home: Home, round_id: str) -> Iterator[tuple[str, Path]]:
    """Yield the files of a round under their keys in a store: tables, manifests of shards, plans."""
    files = [
        *home.archived_tables(round_id).glob("[!.]*.parquet"),
        *(shard / MANIFEST for shard in home.archived_shards(round_id, "any").parent.glob("*/*/")),
    ]
    yield from ((home.key(path), path) for path in files)
    for plan in home.orders(round_id, "any").parent.glob(f"*/{plan_path(home, round_id, 'any').name}"):
        yield home.key(home.archived_plan(round_id, plan.parent.name)), plan


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
            f"{archive}: lacks rows that {home.loader.name} has ({', '.join(lacking)}), so {home.loader.name} stays "
            "unchanged. That file can be read: no rebuilding is needed"
        )


def _keep_aside(home: Home) -> Path | None:
    """Rename an unusable loader's file and its write-ahead log."""
    kept = None
    for name in (home.loader.name, f"{home.loader.name}.wal"):
        if (path := home.root / name).exists():
            kept = path.replace(home.root / f"{name}{KEPT_SUFFIX}")
    return kept
