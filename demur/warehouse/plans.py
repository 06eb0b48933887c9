"""The plan of a stage, its pending units, and the orders of its shards."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from demur.levers.vocabulary import Intensity, LeverClass
from demur.warehouse.arrow_rows import batches, open_writer, utf8_text
from demur.warehouse.errors import WarehouseError, disk_explained
from demur.warehouse.home import Home
from demur.warehouse.statements import statement
from demur.warehouse.tables import tables_of, unit_table
from demur.warehouse.transactions import Connection, transaction

# The plan of a stage: a Parquet file of all units of the stage with their inputs.
#
# Its units are also rows of `units`, without the inputs, which would fill the warehouse.


BATCH_ROWS = 1_000
_BATCH_CHARACTERS = 4_000_000
_SCHEMA = pa.schema(
    [
        ("unit_id", pa.string()),
        ("stamp", pa.string()),
        ("ordinal", pa.int64()),
        ("payload", pa.string()),
        ("class", pa.string()),
        ("intensity", pa.string()),
    ]
)
_ALLOWED = (("class", frozenset(LeverClass), LeverClass), ("intensity", frozenset(Intensity), Intensity))


@dataclass(frozen=True, slots=True)
class StagePlan:
    """The file of a stage's plan; `units` is the number of units."""

    round_id: str
    stage: str
    path: Path
    units: int


class PlanWriter:
    """A context manager that writes the plan of a stage; `plan` is available after the block.

    An error inside the block leaves the earlier plan unchanged.
    """

    def __init__(self, home: Home, round_id: str, stage: str) -> None:
        self._round_id = round_id
        self._stage = stage
        self._path = home.plan(round_id, stage)
        self._draft = self._path.with_name(f".{self._path.name}")
        self._writer: pq.ParquetWriter | None = None
        self._rows: list[dict[str, str | int | None]] = []
        self._characters = 0
        self._seen: set[bytes] = set()
        self._plan: StagePlan | None = None

    @property
    def plan(self) -> StagePlan:
        """The finished plan.

        Raises:
            WarehouseError: the block has not ended, or has ended with an error.
        """
        if self._plan is None:
            raise WarehouseError(f"{self._path}: the plan is not finished yet")
        return self._plan

    def __enter__(self) -> Self:
        with disk_explained(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = open_writer(str(self._draft), _SCHEMA)
        return self

    def add(
        self,
        unit_id: str,
        payload: str,
        lever_class: str | None = None,
        intensity: str | None = None,
        *,
        stamp: str | None = None,
    ) -> None:
        """Append one unit; its ordinal is its position in the plan. `stamp` is None if the id is a hash of the rows.

        Raises:
            WarehouseError: the unit was added before, or class or intensity is unknown.
        """
        mark = hashlib.blake2b(unit_id.encode(), digest_size=16).digest()
        ordinal = len(self._seen)
        if mark in self._seen:
            raise WarehouseError(
                f"{self._round_id}/{self._stage}: unit '{unit_id}' is planned twice (again at {ordinal}); "
                f"units about different things need different ids"
            )
        for value, (column, allowed, vocabulary) in zip((lever_class, intensity), _ALLOWED, strict=True):
            if value is not None and value not in allowed:
                raise WarehouseError(
                    f"{self._round_id}/{self._stage}: unit '{unit_id}' has {column} '{value}', "
                    f"which is not one of {', '.join(vocabulary)}"
                )
        self._seen.add(mark)
        row: dict[str, str | int | None] = {"unit_id": unit_id, "stamp": stamp, "ordinal": ordinal}
        self._rows.append(row | {"payload": utf8_text(payload), "class": lever_class, "intensity": intensity})
        self._characters += len(payload)
        if len(self._rows) >= BATCH_ROWS or self._characters >= _BATCH_CHARACTERS:
            self._flush()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._writer is not None
        with disk_explained(self._path):
            try:
                if kind is None:
                    self._flush()
                self._writer.close()
                if kind is None:
                    self._draft.replace(self._path)
                    self._plan = StagePlan(self._round_id, self._stage, self._path, len(self._seen))
            finally:
                self._draft.unlink(missing_ok=True)

    def _flush(self) -> None:
        assert self._writer is not None
        if self._rows:
            with disk_explained(self._path):
                self._writer.write_table(pa.Table.from_pylist(self._rows, schema=_SCHEMA))
        self._rows = []
        self._characters = 0


def register_plan(con: Connection, plan: StagePlan) -> None:
    """Replace the rows of `units` for the plan's round and stage by the units of the plan, in one transaction.

    Rows of these units that were made with another stamp are deleted: the units are pending again.
    """
    values = {"round_id": plan.round_id, "stage": plan.stage, "plan": str(plan.path)}
    with transaction(con):
        con.execute(statement("drop_unplanned_units"), values)
        con.execute(statement("insert_planned_units"), values)
        for table in tables_of(plan.stage):
            con.execute(statement("drop_replanned", table), {"round_id": plan.round_id, "stage": plan.stage})


# Planned and pending units of a stage, and the orders of its shards.
#
# The plan is a Parquet file of all units with their inputs. Pending units are the units of the plan that have not
# landed. An order is the pending units of one shard.


READ_TOGETHER: Final = 64
"""Rows of an order that are Python objects at a time."""


@dataclass(frozen=True, slots=True)
class OrderUnit:
    """One unit of an order.

    `payload` is the JSON text of the unit's inputs. `unreadable_at` is the time at which the unit failed because its
    answers could not be read (ISO 8601 in UTC), or None. Earlier answers would fail again.
    """

    unit_id: str
    stamp: str
    ordinal: int
    payload: str
    lever_class: str | None
    intensity: str | None
    unreadable_at: str | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """The units of one shard. `rows` has the columns of the plan, and `unreadable_at`."""

    shard: str
    rows: pa.Table

    def __iter__(self) -> Iterator[OrderUnit]:
        """Yield the units, one by one."""
        for batch in self.rows.to_batches(READ_TOGETHER):
            for row in batch.to_pylist():
                yield OrderUnit(*row.values())


@dataclass(frozen=True, slots=True)
class UnitCounts:
    """Numbers of units of a stage: planned units, and among these the landed and the failed units."""

    planned: int
    landed: int
    failed: int


@dataclass(frozen=True, slots=True)
class PendingUnits:
    """The pending units of a plan, as many as `ordinals`.

    Attributes:
        plan: The plan.
        shard_size: The most units of a shard.
        ordinals: The ordinals of the pending units.
        unreadable_at: For each of these units, the time of `OrderUnit.unreadable_at`.
        answered: The number of units with stored answers, which are not requested again.
    """

    plan: StagePlan
    shard_size: int
    ordinals: "np.ndarray[tuple[int], np.dtype[np.int64]]"
    unreadable_at: pa.Array
    answered: int

    def __len__(self) -> int:
        return len(self.ordinals)

    def orders(self) -> Iterator[Order]:
        """Yield the orders, of at most `shard_size` units, in the order of the plan. The plan's file is read once.

        Raises:
            WarehouseError: the file cannot be read.
        """
        first = 0
        for rows in self._cut():
            units = rows["unit_id"].to_pylist()
            digest = hashlib.sha256("\n".join(units).encode()).hexdigest()[:8]
            unreadable_at = self.unreadable_at.slice(first, len(units))
            first += len(units)
            shard = f"{rows['ordinal'][0].as_py():06d}-{digest}"
            yield Order(shard, rows.append_column("unreadable_at", unreadable_at))

    def _cut(self) -> Iterator[pa.Table]:
        waiting: list[pa.RecordBatch] = []
        size = 0
        taken = 0
        with disk_explained(self.plan.path):
            for batch in batches(self.plan.path, BATCH_ROWS):
                first = batch["ordinal"][0].as_py()
                end = int(np.searchsorted(self.ordinals, first + batch.num_rows))
                rows = batch.take(pa.array(self.ordinals[taken:end] - first))
                taken = end
                while rows.num_rows:
                    part = rows.slice(0, self.shard_size - size)
                    rows = rows.slice(part.num_rows)
                    waiting.append(part)
                    size += part.num_rows
                    if size == self.shard_size:
                        yield pa.Table.from_batches(waiting).combine_chunks()
                        waiting = []
                        size = 0
        if waiting:
            yield pa.Table.from_batches(waiting).combine_chunks()


def pending(con: Connection, plan: StagePlan, table: str, shard_size: int) -> PendingUnits:
    """Return the pending units of a plan.

    Args:
        con: from `writing`. Landed shards and calls must be loaded, and the plan registered, before the call.
        plan: the stage's plan.
        table: the table in which every unit of the stage lands.
        shard_size: units per shard.

    Raises:
        WarehouseError: units do not land in `table`, or `shard_size` is below 1.
    """
    if shard_size < 1:
        raise WarehouseError(f"shard_size {shard_size} must be at least 1")
    values = {"plan": str(plan.path), "stage": plan.stage}
    found = con.sql(statement("pending_units", unit_table(table)), params=values).to_arrow_table()
    ordinals = found["ordinal"].to_numpy()
    unreadable_at = found["unreadable_at"].combine_chunks().cast(pa.string())
    return PendingUnits(plan, shard_size, ordinals, unreadable_at, int(found["answered"].to_numpy().sum()))


def counts(con: Connection, round_id: str, stage: str, table: str) -> UnitCounts:
    """Return how many units of a stage are planned, landed and failed."""
    values = {"round_id": round_id, "stage": stage}
    [row] = con.execute(statement("count_units", unit_table(table)), values).fetchall()
    return UnitCounts(*(int(value) for value in row))
