"""What a stage plans, what of it is pending, and the orders that shards are given.

The plan is a Parquet file of all units with their inputs; pending is the plan less what has landed, nothing else. An
order is the part of it that one shard works on, with the answers that its units have been given before. Plans and
orders are made anew on every run, and all of this reads and writes them in batches.
"""

import hashlib
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from levers.vocabulary import Intensity, LeverClass
from warehouse.connection import Connection
from warehouse.errors import WarehouseError
from warehouse.home import Home
from warehouse.parquet import batches, open_writer
from warehouse.statements import statement
from warehouse.tables import unit_table

_BATCH_ROWS = 1_000
_BATCH_CHARACTERS = 4_000_000
_PLAN = "plan.parquet"
_COLUMNS = [
    ("unit_id", pa.string()),
    ("ordinal", pa.int64()),
    ("payload", pa.string()),
    ("class", pa.string()),
    ("intensity", pa.string()),
]
_KNOWN = pa.struct(
    [
        ("request_digest", pa.string()),
        ("attempt", pa.int64()),
        ("call_id", pa.string()),
        ("reply", pa.string()),
        ("finish_reason", pa.string()),
        ("input_tokens", pa.int64()),
        ("output_tokens", pa.int64()),
        ("cached_tokens", pa.int64()),
        ("reasoning_tokens", pa.int64()),
    ]
)
_PLAN_SCHEMA = pa.schema(_COLUMNS)
_ORDER_SCHEMA = pa.schema([*_COLUMNS, ("known", pa.list_(_KNOWN))])


@dataclass(frozen=True, slots=True)
class Plan:
    """All units of a stage, in their order, in one file."""

    round_id: str
    stage: str
    path: Path
    units: int


@dataclass(frozen=True, slots=True)
class Order:
    """What one shard works on."""

    shard: str
    path: Path
    units: int


@dataclass(frozen=True, slots=True)
class KnownCall:
    """A successful call of an earlier run; its answer is used again. Token counts are None where unknown."""

    request_digest: str
    attempt: int
    call_id: str
    reply: str
    finish_reason: str | None
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    reasoning_tokens: int | None


@dataclass(frozen=True, slots=True)
class OrderUnit:
    """One unit of an order; `payload` is the JSON text of its inputs, `known` its answers so far, oldest first."""

    unit_id: str
    ordinal: int
    payload: str
    lever_class: str | None
    intensity: str | None
    known: tuple[KnownCall, ...]


@dataclass(frozen=True, slots=True)
class Counts:
    """Units of a stage: planned now, of these landed, of these ended without a result."""

    planned: int
    landed: int
    failed: int


class PlanWriter:
    """Writes the plan of a stage, unit by unit, and gives it as `plan` once the block is left.

    An error inside the block leaves the plan of the last run as it was.
    """

    def __init__(self, home: Home, round_id: str, stage: str) -> None:
        self._round_id = round_id
        self._stage = stage
        self._path = home.orders(round_id, stage) / _PLAN
        self._draft = self._path.with_name(f".plan-{uuid.uuid4().hex[:8]}")
        self._writer: pq.ParquetWriter | None = None
        self._rows: list[dict[str, str | int | None]] = []
        self._characters = 0
        self._seen: set[bytes] = set()
        self._plan: Plan | None = None

    @property
    def plan(self) -> Plan:
        """The finished plan.

        Raises:
            WarehouseError: the block was not left yet, or left by an error.
        """
        if self._plan is None:
            raise WarehouseError(f"{self._path}: the plan is not finished yet")
        return self._plan

    def __enter__(self) -> Self:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._writer = open_writer(str(self._draft), _PLAN_SCHEMA)
        return self

    def add(self, unit_id: str, payload: str, lever_class: str | None = None, intensity: str | None = None) -> None:
        """Append one unit; its place in the plan is its ordinal.

        Raises:
            WarehouseError: the unit was added before, or class or intensity is none of the vocabulary.
        """
        mark = hashlib.blake2b(unit_id.encode(), digest_size=16).digest()
        ordinal = len(self._seen)
        if mark in self._seen:
            raise WarehouseError(
                f"{self._round_id}/{self._stage}: unit '{unit_id}' is planned twice (again at {ordinal}); "
                f"its id must differ in whatever makes its result differ"
            )
        for column, value, allowed in (("class", lever_class, LeverClass), ("intensity", intensity, Intensity)):
            if value is not None and value not in set(allowed):
                raise WarehouseError(
                    f"{self._round_id}/{self._stage}: unit '{unit_id}' has {column} '{value}', "
                    f"which is not one of {', '.join(allowed)}"
                )
        self._seen.add(mark)
        row: dict[str, str | int | None] = {"unit_id": unit_id, "ordinal": ordinal, "payload": payload}
        self._rows.append(row | {"class": lever_class, "intensity": intensity})
        self._characters += len(payload)
        if len(self._rows) >= _BATCH_ROWS or self._characters >= _BATCH_CHARACTERS:
            self._flush()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._writer is not None
        try:
            if kind is None:
                self._flush()
            self._writer.close()
            if kind is None:
                self._draft.replace(self._path)
                self._plan = Plan(self._round_id, self._stage, self._path, len(self._seen))
        finally:
            self._draft.unlink(missing_ok=True)

    def _flush(self) -> None:
        assert self._writer is not None
        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, schema=_PLAN_SCHEMA))
        self._rows, self._characters = [], 0


def register_plan(con: Connection, plan: Plan) -> None:
    """Make `units` hold exactly the units of the plan for its round and stage, in one transaction."""
    values = {"round_id": plan.round_id, "stage": plan.stage, "plan": str(plan.path)}
    con.begin()
    try:
        con.execute(statement("drop_unplanned_units"), values)
        con.execute(statement("insert_planned_units"), values)
        con.commit()
    except BaseException:
        con.rollback()
        raise


def pending(con: Connection, plan: Plan, table: str, shard_size: int) -> list[Order]:
    """Cut what is pending into orders of at most `shard_size` units, in the order of the plan, and write them out.

    Args:
        con: from `writing`, after landed shards were loaded and journals folded.
        plan: what the stage plans.
        table: the table in which every unit of the stage lands.
        shard_size: units per shard.

    Raises:
        WarehouseError: units do not land in such a table, or `shard_size` is below 1.
    """
    if shard_size < 1:
        raise WarehouseError(f"shard_size {shard_size} must be at least 1")
    anti_join = statement("pending_units", unit_table(table))
    found = con.execute(anti_join, {"plan": str(plan.path), "round_id": plan.round_id}).fetchnumpy()
    ordinals = np.asarray(found["ordinal"], dtype=np.int64)
    folder = plan.path.parent
    for old in folder.glob("*.parquet"):
        if old != plan.path:
            old.unlink()
    where = {"round_id": plan.round_id, "stage": plan.stage}
    answered = (
        {unit for (unit,) in con.execute(statement("answered_units"), where).fetchall()} if len(ordinals) else set()
    )
    return [_write_order(con, plan, rows, answered) for rows in _cut(plan, ordinals, shard_size)]


def read_order(path: Path) -> Iterator[OrderUnit]:
    """Yield the units of an order, one by one.

    Raises:
        WarehouseError: the file is missing or unreadable.
    """
    try:
        for batch in batches(path, 64):
            for row in batch.to_pylist():
                known = tuple(KnownCall(**call) for call in row["known"])
                yield OrderUnit(row["unit_id"], row["ordinal"], row["payload"], row["class"], row["intensity"], known)
    except (OSError, pa.ArrowException) as exc:
        raise WarehouseError(f"{path}: {exc}; orders are written anew when the stage is run again") from exc


def counts(con: Connection, round_id: str, stage: str, table: str) -> Counts:
    """Return how many units of a stage are planned, landed and failed."""
    values = {"round_id": round_id, "stage": stage}
    [row] = con.execute(statement("count_units", unit_table(table)), values).fetchall()
    return Counts(*(int(value) for value in row))


def _cut(plan: Plan, ordinals: "np.ndarray[tuple[int], np.dtype[np.int64]]", shard_size: int) -> Iterator[pa.Table]:
    """Yield the pending rows of the plan, `shard_size` at a time, reading the file once."""
    waiting: list[pa.RecordBatch] = []
    size = 0
    taken = 0
    for batch in batches(plan.path, _BATCH_ROWS):
        if taken == len(ordinals):
            break
        first = batch["ordinal"][0].as_py()
        end = int(np.searchsorted(ordinals, first + batch.num_rows))
        rows = batch.take(pa.array(ordinals[taken:end] - first))
        taken = end
        while rows.num_rows:
            part = rows.slice(0, shard_size - size)
            rows = rows.slice(part.num_rows)
            waiting.append(part)
            size += part.num_rows
            if size == shard_size:
                yield pa.Table.from_batches(waiting)
                waiting, size = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting)


def _write_order(con: Connection, plan: Plan, rows: pa.Table, answered: set[str]) -> Order:
    units: list[str] = rows["unit_id"].to_pylist()
    known: dict[str, list[dict[str, object]]] = {unit: [] for unit in units}
    asked = [unit for unit in units if unit in answered]
    if asked:
        values = {"round_id": plan.round_id, "stage": plan.stage, "units": asked}
        cursor = con.execute(statement("known_calls"), values)
        names = [column[0] for column in cursor.description]
        for values_of_call in cursor.fetchall():
            call = dict(zip(names, values_of_call, strict=True))
            known[call.pop("unit_id")].append(call)
    digest = hashlib.sha256("\n".join(units).encode()).hexdigest()[:8]
    shard = f"{rows['ordinal'][0].as_py():06d}-{digest}"
    path = plan.path.with_name(f"{shard}.parquet")
    draft = path.with_name(f".{shard}")
    full = rows.append_column("known", pa.array(known.values(), type=_ORDER_SCHEMA.field("known").type))
    with open_writer(str(draft), _ORDER_SCHEMA) as writer:
        writer.write_table(full.cast(_ORDER_SCHEMA))
    draft.replace(path)
    return Order(shard, path, len(units))
