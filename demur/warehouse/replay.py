"""Loading of archived objects into the loader's file, and of data of other machines from a home's store.

Loading is idempotent. Units and calls that the file already has are skipped. A loaded plan replaces the earlier plan,
and loaded rows of other tables replace the earlier rows of the round. After a kill, the next call loads what is
missing.
"""

import shutil
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Final

from demur.warehouse.archive import note_replayed, replayed
from demur.warehouse.connection import Connection, OnWait, writing
from demur.warehouse.errors import disk_explained
from demur.warehouse.home import Home, segment
from demur.warehouse.landing import MANIFEST, DamagedLandingError, inspect
from demur.warehouse.load import LoadReport, load_key, load_shard
from demur.warehouse.plans import StagePlan, register_plan
from demur.warehouse.pruning import drop_pruned
from demur.warehouse.statements import statement
from demur.warehouse.store import ObjectStore, Stored
from demur.warehouse.tables import Table
from demur.warehouse.transaction import transaction

_TABLES: Final = "tables"
_SHARDS: Final = "shards"
_PLANS: Final = "plans"
_KINDS: Final = (_TABLES, _SHARDS, _PLANS)


@dataclass(slots=True)
class TakenIn:
    """Result of loading from the store: rounds with new data, and messages about unreadable objects."""

    rounds: set[str] = field(default_factory=set)
    damaged: list[str] = field(default_factory=list)


def follow_store(home: Home, *, wait_seconds: float, on_wait: OnWait | None = None) -> TakenIn:
    """Load new data of the home's store into the loader's file.

    A missing file is created. Without a store, nothing is loaded.

    Raises:
        WarehouseBusyError: another process has the file open for longer than `wait_seconds`.
        StoreError: the store does not answer.
    """
    if home.store is None:
        return TakenIn()
    with writing(home, wait_seconds=wait_seconds, on_wait=on_wait) as con:
        return replay(con, home, home.store)


def replay_shards(con: Connection, home: Home, round_id: str, stage: str, shard: str | None = None) -> None:
    """Load a stage's shards (or only `shard`) that workers on other machines wrote; without a store, do nothing."""
    if home.store is not None:
        below = home.archived_shards(round_id, stage)
        replay(con, home, home.store, below if shard is None else below / segment("shard", shard))


def replay(con: Connection, home: Home, store: ObjectStore, below: Path | None = None) -> TakenIn:
    """Load all objects of the archive, or of its folder `below`, that the loader's file lacks."""
    report = TakenIn()
    known = replayed(con)
    listed = [one for one in store.list(f"{home.key(below or home.archive)}/") if len(_place(one)) > 2]
    whole = {_place(one)[0] for one in listed if below or _place(one)[1:] == (_TABLES, f"{Table.ROUNDS}.parquet")}
    fresh = [one for one in listed if _place(one)[0] in whole and _is_new(one, known)]
    shards: dict[str, list[Stored]] = {}
    for one in listed if fresh else ():
        shards.setdefault(one.key.rpartition("/")[0], []).append(one)
    scratch = home.root / f".replay-{uuid.uuid4().hex[:8]}"
    try:
        for one in in_order(con, fresh):
            wanted = shards[one.key.rpartition("/")[0]] if _place(one)[1] == _SHARDS else [one]
            with disk_explained(scratch):
                if not all(store.fetch(each, scratch / PurePosixPath(each.key).name) for each in wanted):
                    continue  # replaced meanwhile: the next call loads the new version
                if (why := load_object(con, one, scratch / PurePosixPath(one.key).name)) is not None:
                    report.damaged.append(f"{one.key}: {why}")
                shutil.rmtree(scratch)
            note_replayed(con, home, one.key, one.version)
            report.rounds.add(_place(one)[0])
        if report.rounds:
            drop_pruned(con)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return report


def in_order(con: Connection, objects: Sequence[Stored]) -> Iterator[Stored]:
    """Yield archived objects in the order of loading: tables, shards, plans.

    Shards with a row in `loads` come in the order of that table. Other shards follow in the order of their landing.
    """
    loaded: dict[str, int] | None = None

    def place(one: Stored) -> tuple[int, int, datetime, str]:
        kind = _place(one)[1]
        order = 0
        if kind == _SHARDS and loaded is not None:
            order = loaded.get(_load_key(one), len(loaded))
        return _KINDS.index(kind), order, one.modified_at, one.key

    yield from sorted((one for one in objects if _place(one)[1] == _TABLES), key=place)
    loaded = {key: at for at, (key,) in enumerate(con.execute(statement("loads_in_order")).fetchall())}
    yield from sorted((one for one in objects if _place(one)[1] != _TABLES), key=place)


def _load_key(one: Stored) -> str:
    """Return the id of a shard in `loads`; `one` is the shard's manifest."""
    round_id, _, stage, shard, landing_id, _ = _place(one)
    return load_key(round_id, stage, shard, landing_id)


def _place(one: Stored) -> tuple[str, ...]:
    """Return the parts of a key below `archive`: round, kind of object, further parts."""
    parts = PurePosixPath(one.key).parts[1:]
    if len(parts) == 5 and parts[1] == _SHARDS:  # <shard>.<landing id>, as copied from a home in a folder
        shard, _, landing_id = parts[3].rpartition(".")
        return (*parts[:3], shard, landing_id, parts[4])
    return parts


def _is_new(one: Stored, known: dict[str, str]) -> bool:
    """Return whether the loader's file lacks an object. Of a shard's objects, only the manifest can be new."""
    kind = _place(one)[1]
    if kind == _SHARDS:
        return one.key.endswith(f"/{MANIFEST}") and one.key not in known
    return kind in _KINDS and known.get(one.key) != one.version


def load_object(con: Connection, one: Stored, file: Path) -> str | None:
    """Load an archived object from `file`; return why a file is unreadable, or None.

    For a shard, `file` is the manifest, in a folder with the shard's other files.
    """
    round_id, kind, *rest = _place(one)
    name = PurePosixPath(one.key).stem
    if kind == _TABLES:
        with transaction(con):
            con.execute(statement("drop_rows_of_round", Table(name)), [round_id])
            con.execute(statement("insert_archived", Table(name)), {"file": str(file)})
    elif kind == _SHARDS:
        try:
            landed = inspect(file.parent, any_columns=True)
        except DamagedLandingError as exc:
            return str(exc)
        load_shard(con, landed, _load_key(one), round_id, rest[0], LoadReport())
    else:
        register_plan(con, StagePlan(round_id, name, file, 0))
    return None
