"""Planned and pending units of a stage, and the orders of its shards.

The plan is a Parquet file of all units with their inputs. Pending units are the units of the plan that have not landed.
An order is the Parquet file of the pending units of one shard. Every run writes new plans and orders, in batches.
"""

import hashlib
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from demur.warehouse.connection import Connection
from demur.warehouse.errors import WarehouseError, disk_explained
from demur.warehouse.home import Home
from demur.warehouse.parquet import batches, open_writer
from demur.warehouse.plans import BATCH_ROWS, COLUMNS, StagePlan, plan_path
from demur.warehouse.statements import statement
from demur.warehouse.tables import unit_table

_ORDER_SCHEMA = pa.schema([*COLUMNS, ("unreadable_at", pa.string())])


@dataclass(frozen=True, slots=True)
class Order:
    """The order of one shard: its file and its number of units.

    `answered` is the number of units with stored answers, which are not requested again.
    """

    shard: str
    path: Path
    units: int
    answered: int = 0


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
class UnitCounts:
    """Numbers of units of a stage: planned units, and among these the landed and the failed units."""

    planned: int
    landed: int
    failed: int


def pending(con: Connection, plan: StagePlan, table: str, shard_size: int) -> list[Order]:
    """Write the pending units as orders of at most `shard_size` units, in the order of the plan; return the orders.

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
    anti_join = statement("pending_units", unit_table(table))
    found = con.execute(anti_join, {"plan": str(plan.path)}).fetchnumpy()
    ordinals = np.asarray(found["ordinal"], dtype=np.int64)
    folder = plan.path.parent
    for old in folder.iterdir():
        if old != plan.path:
            old.unlink()
    if not len(ordinals):
        return []
    where = {"plan": str(plan.path), "stage": plan.stage}
    answered = {unit for (unit,) in con.execute(statement("answered_units"), where).fetchall()}
    unreadable = dict(con.execute(statement("unreadable_units"), where).fetchall())
    return [_write_order(plan, rows, answered, unreadable) for rows in _cut(plan, ordinals, shard_size)]


def read_order(path: Path) -> Iterator[OrderUnit]:
    """Yield the units of an order, one by one.

    Raises:
        WarehouseError: the file is missing or unreadable.
    """
    try:
        for batch in batches(path, 64):
            for row in batch.to_pylist():
                stratum = row["class"], row["intensity"]
                yield OrderUnit(
                    row["unit_id"], row["stamp"], row["ordinal"], row["payload"], *stratum, row["unreadable_at"]
                )
    except (OSError, pa.ArrowException) as exc:
        raise WarehouseError(f"{path}: {exc}; run the stage again, which writes its orders anew") from exc


def withdraw(order: Order) -> None:
    """Delete an order's file, so that processes that work on the shard do not start its remaining units."""
    with disk_explained(order.path):
        order.path.unlink(missing_ok=True)


def counts(con: Connection, round_id: str, stage: str, table: str) -> UnitCounts:
    """Return how many units of a stage are planned, landed and failed."""
    values = {"round_id": round_id, "stage": stage}
    [row] = con.execute(statement("count_units", unit_table(table)), values).fetchall()
    return UnitCounts(*(int(value) for value in row))


def _cut(
    plan: StagePlan, ordinals: "np.ndarray[tuple[int], np.dtype[np.int64]]", shard_size: int
) -> Iterator[pa.Table]:
    """Yield the rows of the plan with these `ordinals`, in tables of `shard_size` rows; the file is read once."""
    waiting: list[pa.RecordBatch] = []
    size = 0
    taken = 0
    for batch in batches(plan.path, BATCH_ROWS):
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
                waiting = []
                size = 0
    if waiting:
        yield pa.Table.from_batches(waiting)


def _write_order(plan: StagePlan, rows: pa.Table, answered: set[str], unreadable: Mapping[str, str]) -> Order:
    units: list[str] = rows["unit_id"].to_pylist()
    digest = hashlib.sha256("\n".join(units).encode()).hexdigest()[:8]
    shard = f"{rows['ordinal'][0].as_py():06d}-{digest}"
    path = plan.path.with_name(f"{shard}.{uuid.uuid4().hex[:8]}.parquet")  # unique to this run
    draft = path.with_name(f".{shard}")
    full = rows.append_column("unreadable_at", pa.array([unreadable.get(unit) for unit in units], pa.string()))
    with disk_explained(path):
        with open_writer(str(draft), _ORDER_SCHEMA) as writer:
            writer.write_table(full)
        draft.replace(path)
    return Order(shard, path, len(units), sum(unit in answered for unit in units))


def order_files(home: Home, round_id: str, stage: str) -> list[Path]:
    """Return the files of a stage's orders."""
    folder = home.orders(round_id, stage)
    plan = plan_path(home, round_id, stage)
    return [path for path in sorted(folder.glob("[!.]*.parquet")) if path != plan] if folder.is_dir() else []
