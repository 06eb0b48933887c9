"""Loading of landed shards into the warehouse, exactly once, also after crashes.

A shard's rows and its row in `loads` are inserted in one transaction; then the directory is deleted. Units that the
warehouse has already with the same stamp are skipped, so a repeated shard adds no rows; rows with another stamp are
replaced. A landed unit has no row in `failures`, even if its failure is loaded later.
"""

from dataclasses import dataclass, field
from pathlib import Path

from demur.warehouse.connection import Connection
from demur.warehouse.errors import LandingError, disk_explained
from demur.warehouse.home import Home, segment
from demur.warehouse.landing import DamagedLandingError, Landed, inspect, landed_shards, quarantine, remove_landed
from demur.warehouse.plans import drop_stale
from demur.warehouse.statements import statement
from demur.warehouse.tables import UNIT_TABLES, Table
from demur.warehouse.transaction import transaction


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A damaged shard that was moved to quarantine.

    Its units are pending again; the answers of the units are stored.
    """

    shard: str
    reason: str
    kept_at: Path


@dataclass(slots=True)
class LoadReport:
    """Result of one run of the loader.

    `shards` are the names of loaded shards. `rows` counts inserted rows by table. `repeated_units` counts skipped
    units. `loaded_before` are the shards that a killed run had loaded, but not deleted.
    """

    shards: list[str] = field(default_factory=list)
    rows: dict[str, int] = field(default_factory=dict)
    repeated_units: int = 0
    loaded_before: list[str] = field(default_factory=list)
    quarantined: list[Quarantined] = field(default_factory=list)


def load_landed(con: Connection, home: Home, round_id: str, stage: str) -> LoadReport:
    """Load every landed shard of a stage, one transaction for each, and delete its files; return a report.

    Args:
        con: from `writing`.
        home: the home with the landing zone.
        round_id: round of the shards.
        stage: stage of the shards.

    Raises:
        LandingError: a loaded shard could not be deleted, or a damaged shard could not be moved.
    """
    report = LoadReport()
    for directory in landed_shards(home, round_id, stage):
        shard = directory.name
        try:
            segment("shard", shard)
            with disk_explained(directory, LandingError):
                landed = inspect(directory)
        except DamagedLandingError as exc:
            kept_at = quarantine(home, round_id, stage, directory)
            report.quarantined.append(Quarantined(shard, str(exc), kept_at))
            continue
        key = load_key(round_id, stage, shard, landed.landing_id)
        if con.execute(statement("is_loaded"), {"landing": key}).fetchall() != [(0,)]:
            report.loaded_before.append(shard)
        else:
            load_shard(con, landed, key, round_id, stage, report)
            report.shards.append(shard)
        remove_landed(directory)
    return report


def load_key(round_id: str, stage: str, shard: str, landing_id: str) -> str:
    """Return the key of a landing in `loads`."""
    return f"{round_id}/{stage}/{shard}/{landing_id}"


def load_shard(con: Connection, landed: Landed, key: str, round_id: str, stage: str, report: LoadReport) -> None:
    """Insert the rows of a shard, and a row with `key` in `loads`, in one transaction; add the counts to `report`."""
    inserted: dict[str, int] = {}
    with transaction(con):
        for file in landed.files:
            drop_stale(con, stage, file.path)
        repeated = _repeated(con, landed)
        for file in landed.files:
            path = str(file.path)
            if file.table is Table.FAILURES:
                count = _load_failures(con, path, round_id, stage)
            else:
                count = _changed(con, statement("insert_landed", file.table), {"file": path, "repeated": repeated})
                where = {"file": path, "round_id": round_id, "stage": stage}
                con.execute(statement("drop_failures_of_landed"), where)
            inserted[file.table.value] = count
        rows = sum(inserted.values())
        con.execute(statement("insert_load"), {"landing": key, "round_id": round_id, "stage": stage, "rows": rows})
    report.repeated_units += len(repeated)
    for table, count in inserted.items():
        report.rows[table] = report.rows.get(table, 0) + count


def _repeated(con: Connection, landed: Landed) -> list[str]:
    """Return the units of a shard that already have rows in the warehouse.

    A unit is returned if any table of the shard, except `failures`, already has a row of the unit. The loader skips
    such a unit in all tables.
    """
    found: set[str] = set()
    for file in landed.files:
        if file.table is not Table.FAILURES:
            values = {"file": str(file.path)}
            found.update(unit for (unit,) in con.execute(statement("repeated_units", file.table), values).fetchall())
    return sorted(found)


def _load_failures(con: Connection, path: str, round_id: str, stage: str) -> int:
    kept: set[str] = set()
    for table in UNIT_TABLES:
        kept.update(unit for (unit,) in con.execute(statement("landed_among_failed", table), {"file": path}).fetchall())
    kept.update(unit for (unit,) in con.execute(statement("newer_failures"), {"file": path}).fetchall())
    values = {"file": path, "round_id": round_id, "stage": stage, "kept": sorted(kept)}
    con.execute(statement("drop_older_failures"), values)
    insert = statement("insert_landed", Table.FAILURES)
    return _changed(con, insert, {"file": path, "repeated": sorted(kept)})


def _changed(con: Connection, text: str, values: dict[str, object]) -> int:
    [(count,)] = con.execute(text, values).fetchall()
    return int(count)
