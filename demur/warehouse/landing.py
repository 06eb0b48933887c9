"""The landing zone: workers write the rows of a shard there atomically.

A landed shard is a directory `landing/<round>/<stage>/<shard>/` with one Parquet file per table. Its manifest
`landing.json` has the id of the landing and the checksum of each file. This module does not open the warehouse.
"""

import errno
import json
import os
import shutil
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from demur.levers.durable import sync_directory
from demur.warehouse.errors import LandingError, RowError, disk_explained
from demur.warehouse.home import QUARANTINE, Home
from demur.warehouse.parquet import write_table
from demur.warehouse.release import sha256
from demur.warehouse.rows import Row, to_arrow
from demur.warehouse.schemas import arrow_schema
from demur.warehouse.tables import LANDED_TABLES, Table

MANIFEST = "landing.json"
_HIDDEN = "."
Frame: TypeAlias = Sequence[Row] | pa.Table
_Units: TypeAlias = Mapping[str, Mapping[str, Sequence[Row]]]
_TAKEN = {errno.EEXIST, errno.ENOTEMPTY, errno.EISDIR}


@dataclass(frozen=True, slots=True)
class LandedFile:
    """One table's file in a landed shard."""

    table: Table
    path: Path
    rows: int


@dataclass(frozen=True, slots=True)
class Landed:
    """A complete landed shard.

    `landing_id` is unique for each landing, also for repeated landings of one shard. `landed_at` is the Unix time of
    the landing by the clock of the machine that wrote it.
    """

    directory: Path
    landing_id: str
    landed_at: float
    files: tuple[LandedFile, ...]


class DamagedLandingError(Exception):
    """A landed shard contradicts its manifest; the message names the file. Callers in `warehouse` handle the error."""


def land(home: Home, round_id: str, stage: str, shard: str, frames: Mapping[str, Frame]) -> Path:
    """Validate the rows of a shard, write them durably and return the directory in which they landed.

    If the shard has landed before and was not loaded yet, nothing is written, and the directory of that landing is
    returned.

    Args:
        home: the home with the landing zone.
        round_id: every row must be of this round.
        stage: every row of `failures` must be of this stage.
        shard: name of the directory.
        frames: rows by table name, or the frames that `landable` returned. Each table must be a table of units, or
            `failures`.

    Raises:
        RowError: a row is not valid for its table, or a unit has rows both in `failures` and in another table.
        LandingError: disk full, no permission; nothing of the shard is left behind.
    """
    final = home.landed_shard(round_id, stage, shard)
    if final.is_dir():
        return final
    place = f"{round_id}/{stage}/{shard}"
    tables = _tables(frames, round_id, stage, place)
    draft = final.parent / f"{_HIDDEN}{shard}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
    with disk_explained(final, LandingError):
        final.parent.mkdir(parents=True, exist_ok=True)
        try:
            draft.mkdir()
            _write(draft, tables)
            _rename(draft, final)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    return final


def landable(round_id: str, stage: str, shard: str, units: _Units) -> tuple[Mapping[str, Frame], dict[str, RowError]]:
    """Return the rows of valid units by table, as input of `land`, and the errors of the other units by unit id.

    If no unit has an error, the rows are returned as validated Arrow tables, which `land` does not validate again.

    Args:
        round_id: every row must be of this round.
        stage: every row of `failures` must be of this stage.
        shard: name of the shard, for messages.
        units: rows by table, for each unit.
    """
    place = f"{round_id}/{stage}/{shard}"
    try:
        tables = _tables(_together(units.values()), round_id, stage, place)
    except RowError:
        errors = _refused(units, round_id, stage, place)
        return _together(rows for unit_id, rows in units.items() if unit_id not in errors), errors
    return {table.value: rows for table, rows in tables.items()}, {}


def sweep(home: Home, round_id: str) -> int:
    """Delete unfinished directories of killed runs in a round's landing zone; return their number.

    No process may work on the round during this call.
    """
    count = 0
    zone = home.landing(round_id)
    with disk_explained(zone, LandingError):
        for stage in zone.iterdir() if zone.is_dir() else ():
            for left in stage.iterdir() if stage.is_dir() and stage.name != QUARANTINE else ():
                if left.name.startswith(_HIDDEN):
                    shutil.rmtree(left)
                    count += 1
    return count


def landed_shards(home: Home, round_id: str, stage: str) -> list[Path]:
    """Return the directories of the landed shards of a stage that were not loaded yet, sorted by name."""
    folder = home.landed_stage(round_id, stage)
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith(_HIDDEN))


def inspect(directory: Path) -> Landed:
    """Return the landing in a directory after a check of every file against the manifest.

    Raises:
        DamagedLandingError: a file is missing, truncated or altered, or has other columns.
    """
    try:
        manifest = json.loads((directory / MANIFEST).read_bytes())
        landing_id = str(manifest["landing_id"])
        entries = [
            (Table(e["table"]), directory / f"{e['table']}.parquet", int(e["rows"]), int(e["bytes"]), str(e["sha256"]))
            for e in manifest["files"]
        ]
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise DamagedLandingError(f"{directory / MANIFEST}: is missing or unreadable ({exc})") from exc
    files = []
    for table, path, rows, size, digest in entries:
        if not path.is_file():
            raise DamagedLandingError(f"{path}: missing")
        if path.stat().st_size != size:
            raise DamagedLandingError(
                f"{path}: has {path.stat().st_size} bytes, expected {size}: it was cut or altered"
            )
        if sha256(path) != digest:
            raise DamagedLandingError(f"{path}: its SHA-256 is not the one in {MANIFEST}: it was altered")
        if not pq.read_schema(path).equals(arrow_schema(table)):
            raise DamagedLandingError(f"{path}: its columns are not those of table {table} in this version of demur")
        files.append(LandedFile(table, path, rows))
    return Landed(directory, landing_id, (directory / MANIFEST).stat().st_mtime, tuple(files))


def quarantine(home: Home, round_id: str, stage: str, directory: Path) -> Path:
    """Move a damaged shard to a folder that the loader does not read; return the shard's new directory."""
    target = home.landing(round_id) / QUARANTINE / f"{stage}-{directory.name}-{uuid.uuid4().hex[:8]}"
    with disk_explained(target, LandingError):
        target.parent.mkdir(parents=True, exist_ok=True)
        directory.rename(target)
        sync_directory(target.parent)
        sync_directory(directory.parent)
    return target


def remove_landed(directory: Path) -> None:
    """Delete a loaded shard. If the process is killed meanwhile, `sweep` deletes what is left.

    Raises:
        LandingError: no permission.
    """
    hidden = directory.with_name(f"{_HIDDEN}{directory.name}-{uuid.uuid4().hex[:8]}")
    with disk_explained(directory, LandingError):
        directory.rename(hidden)
        shutil.rmtree(hidden)


def _tables(frames: Mapping[str, Frame], round_id: str, stage: str, place: str) -> dict[Table, pa.Table]:
    tables: dict[Table, pa.Table] = {}
    for name, rows in frames.items():
        if name not in LANDED_TABLES:
            raise RowError(f"{place}: table '{name}' cannot land; it is not one of {', '.join(LANDED_TABLES)}")
        table = Table(name)
        tables[table] = rows if isinstance(rows, pa.Table) else to_arrow(table, rows, place)
        for column, wanted in (("round_id", round_id), ("stage", stage)):
            found = set(tables[table][column].to_pylist()) if column in tables[table].column_names else set()
            if found - {wanted}:
                raise RowError(f"{place}: {table} has rows with {column} {sorted(found)}; all must be '{wanted}'")
    failed = set(tables[Table.FAILURES]["unit_id"].to_pylist()) if Table.FAILURES in tables else set()
    for table, rows in tables.items():
        both = failed.intersection(rows["unit_id"].to_pylist()) if table is not Table.FAILURES else set()
        if both:
            raise RowError(f"{place}: unit '{min(both)}' has rows in {table} and in failures; allowed: one of the two")
    return tables


def _refused(units: _Units, round_id: str, stage: str, place: str) -> dict[str, RowError]:
    """Return the errors of units with invalid rows, by unit id; a search by halves finds these units."""
    try:
        _tables(_together(units.values()), round_id, stage, place)
    except RowError as exc:
        if len(units) == 1:
            return dict.fromkeys(units, exc)
        ids = list(units)
        halves = ids[: len(ids) // 2], ids[len(ids) // 2 :]
        return {
            unit_id: error
            for half in halves
            for unit_id, error in _refused({one: units[one] for one in half}, round_id, stage, place).items()
        }
    return {}


def _together(units: Iterable[Mapping[str, Sequence[Row]]]) -> dict[str, list[Row]]:
    tables: dict[str, list[Row]] = {}
    for unit in units:
        for table, rows in unit.items():
            tables.setdefault(table, []).extend(rows)
    return tables


def _write(draft: Path, tables: Mapping[Table, pa.Table]) -> None:
    files = []
    for table, rows in tables.items():
        path = draft / f"{table}.parquet"
        write_table(rows, path)
        size = path.stat().st_size
        files.append({"table": table.value, "rows": rows.num_rows, "bytes": size, "sha256": sha256(path)})
    text = json.dumps({"landing_id": uuid.uuid4().hex, "files": files}, indent=1)
    with (draft / MANIFEST).open("x", encoding="utf-8") as sink:
        sink.write(text)
        sink.flush()
        os.fsync(sink.fileno())
    sync_directory(draft)


def _rename(draft: Path, final: Path) -> None:
    try:
        draft.rename(final)
    except OSError as exc:
        if exc.errno not in _TAKEN or not final.is_dir():
            raise
        return  # another worker has landed the same shard
    sync_directory(final.parent)
