"""Rebuilds the loader's file from the archive, after loss or damage, or to check that the archive is complete."""

import shutil
import uuid
from collections.abc import Callable, Iterator
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
from demur.warehouse.home import Home
from demur.warehouse.landing import MANIFEST, DamagedLandingError, inspect
from demur.warehouse.load import LoadReport, load_key, load_shard
from demur.warehouse.plans import StagePlan, plan_path, register_plan
from demur.warehouse.pruning import drop_pruned
from demur.warehouse.statements import statement
from demur.warehouse.tables import Table
from demur.warehouse.transaction import transaction

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
        if not archived_rounds(home):
            raise WarehouseMissingError(f"{home.archive}: no round was loaded here; run a round first (demur round)")
        scratch = Home(home.root / f".rebuild-{uuid.uuid4().hex[:8]}")
        try:
            with writing(scratch, wait_seconds=0) as con:
                _replay(con, home, report)
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
    with reading(home, "loader") as con:
        rounds = {str(round_id) for (round_id,) in con.execute(statement("rounds_by_id")).fetchall()}
    if lacking := sorted(rounds - set(archived_rounds(home))):
        raise WarehouseVersionError(
            f"{home.loader} was made by another version of demur, and {home.archive} lacks some of its rounds "
            f"({', '.join(lacking)}): set DEMUR_HOME to another directory, or move this directory away"
        ) from error


def _replay(con: Connection, home: Home, report: Rebuilt) -> None:
    """Load the archive: tables, then shards, then plans.

    Shards with a row in `loads` come in the order of that table. Other shards follow in the order of their landing.
    """
    report.rounds = archived_rounds(home)
    for round_id in report.rounds:
        for path in sorted(home.archived_tables(round_id).glob("[!.]*.parquet")):
            with transaction(con):
                con.execute(statement("drop_rows_of_round", Table(path.stem)), [round_id])
                con.execute(statement("insert_archived", Table(path.stem)), {"file": str(path)})
    loaded = {key: at for at, (key,) in enumerate(con.execute(statement("loads_in_order")).fetchall())}
    shards = []
    for round_id, stage, directory in _shards(home, report.rounds):
        try:
            landed = inspect(directory, any_columns=True)
        except DamagedLandingError as exc:
            report.damaged.append(str(exc))
            continue
        key = load_key(round_id, stage, directory.name.rpartition(".")[0], landed.landing_id)
        shards.append((loaded.get(key, len(loaded)), landed.landed_at, key, round_id, stage, landed))
    for *_, key, round_id, stage, landed in sorted(shards, key=lambda one: one[:3]):
        load_shard(con, landed, key, round_id, stage, LoadReport())
    for round_id in report.rounds:
        for folder in sorted(home.orders(round_id, "any").parent.glob("*/")):
            if (plan := plan_path(home, round_id, folder.name)).is_file():
                register_plan(con, StagePlan(round_id, folder.name, plan, 0))


def _shards(home: Home, rounds: list[str]) -> Iterator[tuple[str, str, Path]]:
    """Yield round, stage and folder of each archived shard."""
    for round_id in rounds:
        for path in sorted(home.archived_shards(round_id, "any").parent.glob(f"*/*/{MANIFEST}")):
            yield round_id, path.parent.parent.name, path.parent


def _count(con: Connection, table: Table) -> int:
    [(count,)] = con.execute(statement("count_rows", table)).fetchall()
    return int(count)


def _check_complete(home: Home, old: Connection, rebuilt: dict[str, int]) -> None:
    lacking = [
        f"{table} {_count(old, table) - rebuilt[table]}" for table in Table if _count(old, table) > rebuilt[table]
    ]
    if lacking:
        raise WarehouseError(
            f"{home.archive}: lacks rows that {home.loader.name} has ({', '.join(lacking)}), so {home.loader.name} "
            "stays unchanged. That file can be read: no rebuilding is needed"
        )


def _keep_aside(home: Home) -> Path | None:
    """Rename an unusable loader's file and its write-ahead log."""
    kept = None
    for name in (home.loader.name, f"{home.loader.name}.wal"):
        if (path := home.root / name).exists():
            kept = path.replace(home.root / f"{name}{KEPT_SUFFIX}")
    return kept
