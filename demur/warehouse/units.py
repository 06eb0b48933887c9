"""Planned and pending units of a stage, and the orders of its shards.

The plan is a Parquet file of all units with their inputs. Pending units are the units of the plan that have not landed.
An order is the pending units of one shard.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from demur.warehouse.connection import Connection
from demur.warehouse.errors import WarehouseError, disk_explained
from demur.warehouse.parquet import batches
from demur.warehouse.plans import BATCH_ROWS, StagePlan
from demur.warehouse.statements import statement
from demur.warehouse.tables import unit_table

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
