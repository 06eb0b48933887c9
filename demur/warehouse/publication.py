"""Publication of the warehouse for readers, its rebuilding, and the pruning of old rounds."""

import os
import shutil
import uuid
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from demur.levers.durable import sync_directory
from demur.warehouse.connection import keep_summaries, reading, writing
from demur.warehouse.errors import (
    OtherTablesError,
    WarehouseBusyError,
    WarehouseError,
    WarehouseMissingError,
    WarehouseVersionError,
    disk_explained,
)
from demur.warehouse.home import Home
from demur.warehouse.releases.manifest import MANIFEST, sha256
from demur.warehouse.statements import batch, statement
from demur.warehouse.tables import Table
from demur.warehouse.transactions import Connection, OnWait, transaction

# Publication of the warehouse: the published copy is replaced by a copy of the loader's file.


_CHUNK_BYTES = 4 * 1024 * 1024


def publish(home: Home, *, wait_seconds: float = 300.0, on_wait: OnWait | None = None, midway: bool = False) -> Path:
    """Replace the published copy atomically and return its path; readers of the old copy can continue.

    The loader's file stays locked until the copy is replaced, so that an older copy never replaces a newer one.

    Args:
        home: the home.
        wait_seconds: how long to wait while another process has the loader's file open.
        on_wait: called every few seconds of waiting.
        midway: whether a round is still running. If True, the copy has `round_summaries` as a view, and each query of
            the view takes 0.1 s. If False, the copy has a table of that name instead, which makes the publication 0.1 s
            longer.

    Raises:
        WarehouseBusyError: another process has the loader's file open for longer than `wait_seconds`.
        WarehouseError: disk full or no permission; the published copy is unchanged.
    """
    draft = home.root / f".warehouse-{os.getpid()}-{uuid.uuid4().hex[:8]}.duckdb"
    with ExitStack() as after, writing(home, wait_seconds=wait_seconds, on_wait=on_wait) as con:
        _sweep(home)
        try:
            con.execute("CHECKPOINT")
            with disk_explained(home.published):
                _copy_file(home, draft, after)
                if not midway:
                    keep_summaries(draft)
                home.published.with_name(home.published.name + ".wal").unlink(missing_ok=True)
                draft.replace(home.published)
                sync_directory(home.root)
        finally:
            draft.unlink(missing_ok=True)
    return home.published


def _copy_file(home: Home, draft: Path, after: ExitStack) -> None:
    """Copy the loader's file to `draft`, durably.

    A process that closes one handle of a file loses all its locks on the file, including DuckDB's lock. The handle is
    therefore closed by the stack `after`, once DuckDB has closed the file.
    """
    source = after.enter_context(home.loader.open("rb"))
    with draft.open("xb") as sink:
        shutil.copyfileobj(source, sink, _CHUNK_BYTES)
        sink.flush()
        os.fsync(sink.fileno())


def _sweep(home: Home) -> None:
    """Delete drafts of killed processes; only the process with the loader's file writes drafts."""
    for pattern in (".warehouse-*", ".loader-*"):
        for left in home.root.glob(pattern):
            left.unlink(missing_ok=True)


# Pruning of old rounds: it deletes the texts of a round, but not the release, the scores and the costs.
#
# Pruning deletes the texts of requests and replies. It also deletes the rows of units from `generate` to `reward`,
# unless another round plans the same unit. Then stored calls are deleted. Pruning can be repeated after a kill at any
# point.


DROPPED: Final = (
    Table.PERTURBATIONS, Table.CHECKS, Table.VERDICTS, Table.ITEMS, Table.RESPONSES, Table.JUDGEMENTS,
    Table.COMPLETIONS, Table.GRADES, Table.BASE_REWARDS, Table.REWARDS, Table.FAILURES,
)  # fmt: skip
_KINDS: Final = {
    "plans": "plans", "releases": "releases", "data_docs": "pages of gates",
    "fetched": "fetched releases", "loader.duckdb": "warehouse", "warehouse.duckdb": "warehouse",
    "state.db": "prompts and replies",
}  # fmt: skip
"""Kinds of files, by the first part of their key."""


@dataclass(frozen=True, slots=True)
class OldRound:
    """A round that makes items; `age` is the number of later rounds of the same configuration."""

    round_id: str
    age: int
    started_at: datetime
    pruned_at: datetime | None
    release: str | None
    manifest_digest: str | None
    is_finished: bool


def old_rounds(con: Connection) -> list[OldRound]:
    """Return the rounds that make items, newest first."""
    return [OldRound(*row) for row in con.execute(statement("old_rounds")).fetchall()]


def has_release(home: Home, one: OldRound) -> bool:
    """Return whether the home has the round's release with an unaltered manifest."""
    manifest = home.releases / (one.release or "none") / MANIFEST
    return one.release is not None and manifest.is_file() and sha256(manifest) == one.manifest_digest


def rows_to_drop(con: Connection, round_id: str) -> int:
    """Return the number of rows that pruning would delete in the tables of `DROPPED`."""
    counts = [con.execute(statement("count_rows_of_round", table), [round_id]).fetchall() for table in DROPPED]
    return sum(int(count) for [(count,)] in counts)


def prune_round(con: Connection, round_id: str) -> None:
    """Delete the texts of a round in the loader's file."""
    with transaction(con):
        con.execute(statement("mark_pruned"), {"round": round_id, "now": datetime.now(UTC).replace(tzinfo=None)})
        drop_pruned(con)


def drop_pruned(con: Connection) -> None:
    """Delete the texts of all rounds that are marked as pruned."""
    stages = sorted({stage for table in DROPPED for stage in table.stages})
    con.execute(statement("prune_units"), {"stages": stages})
    for table in DROPPED:
        con.execute(statement("prune_rows", table))
    con.execute(statement("prune_calls"))


def sizes_of(home: Home) -> dict[str, int]:
    """Return the sizes in bytes of a home's files by kind, largest first."""
    found = [(home.key(path), path.stat().st_size) for path in home.root.rglob("*") if path.is_file()]
    sizes: dict[str, int] = {}
    for key, size in found:
        part = key.split("/")[0].removesuffix("-wal")
        kind = _KINDS.get(part, "other")
        sizes[kind] = sizes.get(kind, 0) + size
    return dict(sorted(sizes.items(), key=lambda one: -one[1]))


# Rebuilds the loader's file from itself or from the published copy: after loss, damage, pruning or an upgrade.


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
                    _copy_rows(old, con, table)
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


def _copy_rows(old: Connection, con: Connection, table: Table) -> None:
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
