"""Rebuilds the loader's file from itself or from the published copy: after loss, damage, pruning or an upgrade."""

import shutil
import uuid
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

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
from demur.warehouse.pruning import drop_pruned
from demur.warehouse.records import batch
from demur.warehouse.statements import statement
from demur.warehouse.tables import Table

KEPT_SUFFIX = ".before-rebuild"


@dataclass(slots=True)
class Rebuilt:
    """Result of a rebuild.

    `rows` is the number of rows by table. `from_published` says whether the rows come from the published copy. `kept`
    is the new path of the old file; None if the old file has the tables of this version, or is missing.
    """

    rows: dict[str, int] = field(default_factory=dict)
    from_published: bool = False
    kept: Path | None = None


def rebuild(
    home: Home,
    load_calls: Callable[[Connection], None],
    *,
    wait_seconds: float = 900.0,
    on_wait: OnWait | None = None,
) -> Rebuilt:
    """Replace the loader's file by a new file with the same rows, and with the calls that `load_calls` loads.

    No other process can open the loader's file during a rebuild. If the file is missing or unreadable, the rows come
    from the published copy: rows that are younger are computed again by the next run of their round. From a file of
    another version, columns that both versions have are taken.

    Raises:
        WarehouseMissingError: there is neither a loader's file nor a published copy.
        WarehouseBusyError: another process has the loader's file open for longer than `wait_seconds`.
        WarehouseVersionError: a very early version of demur wrote the file.
        WarehouseError: the disk cannot be written.
    """
    if not home.loader.exists() and not home.published.exists():
        raise WarehouseMissingError(f"{home.loader}: no round was loaded here; run a round first (demur round)")
    report = Rebuilt()
    scratch = Home(home.root / f".rebuild-{uuid.uuid4().hex[:8]}")
    with ExitStack() as stack:
        old, is_current = _rows(home, stack, report, wait_seconds, on_wait)
        try:
            with writing(scratch, wait_seconds=0) as con:
                for table in Table:
                    _copy(old, con, table)
                load_calls(con)
                drop_pruned(con)
                report.rows = {table.value: _count(con, table) for table in Table}
            with disk_explained(home.loader):
                if not is_current:
                    report.kept = _keep_aside(home)
                scratch.loader.replace(home.loader)
        finally:
            shutil.rmtree(scratch.root, ignore_errors=True)
    return report


def _rows(
    home: Home, stack: ExitStack, report: Rebuilt, wait_seconds: float, on_wait: OnWait | None
) -> tuple[Connection, bool]:
    """Return a connection to the rows, and whether it is to a loader's file of this version."""
    try:
        con = stack.enter_context(writing(home, wait_seconds=wait_seconds, on_wait=on_wait))
        con.execute("CHECKPOINT")
        return con, True
    except OtherTablesError:
        return stack.enter_context(reading(home, "loader", wait_seconds=wait_seconds, on_wait=on_wait)), False
    except (WarehouseBusyError, WarehouseVersionError):
        raise
    except WarehouseError:
        report.from_published = True
        return stack.enter_context(reading(home)), False


def _copy(old: Connection, con: Connection, table: Table) -> None:
    """Insert the rows of a table, with those columns that both have."""
    has = set(_columns(old, table))
    columns = ", ".join(f'"{name}"' for name in _columns(con, table) if name in has)
    if columns:
        with batch(con, old.sql(f"SELECT {columns} FROM {table}").to_arrow_reader()):
            con.execute(statement("insert_copied", table))


def _columns(con: Connection, table: Table) -> list[str]:
    return [str(name) for (name,) in con.execute(statement("columns_of"), {"table": table.value}).fetchall()]


def _count(con: Connection, table: Table) -> int:
    [(count,)] = con.execute(statement("count_rows", table)).fetchall()
    return int(count)


def _keep_aside(home: Home) -> Path | None:
    """Rename an unusable loader's file and its write-ahead log."""
    kept = None
    for name in (home.loader.name, f"{home.loader.name}.wal"):
        if (path := home.root / name).exists():
            kept = path.replace(home.root / f"{name}{KEPT_SUFFIX}")
    return kept
