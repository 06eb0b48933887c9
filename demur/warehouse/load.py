"""Loading of shards into the warehouse.

The rows of a shard and its row in `loads` are inserted in one transaction. Units that the warehouse has already with
the same stamp are skipped, so a repeated shard adds no rows; rows with another stamp are replaced. A landed unit has no
row in `failures`, even if its failure is loaded later.
"""

import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

import pyarrow as pa

from demur.warehouse.connection import Connection
from demur.warehouse.landing import ShardRows
from demur.warehouse.records import relation
from demur.warehouse.statements import statement
from demur.warehouse.tables import UNIT_TABLES, Table, tables_of
from demur.warehouse.transaction import transaction


@dataclass(slots=True)
class Loaded:
    """What was loaded of a shard. `rows` counts inserted rows by table. `repeated_units` counts skipped units."""

    rows: dict[str, int] = field(default_factory=dict)
    repeated_units: int = 0


def load_shard(con: Connection, shard: ShardRows) -> Loaded:
    """Insert the rows of a shard in one transaction.

    Args:
        con: from `writing`.
        shard: the rows.

    Raises:
        WarehouseError: the disk is full; nothing of the shard is loaded.
    """
    loaded = Loaded()
    where = {"round_id": shard.round_id, "stage": shard.stage}
    with _landed(con, shard), transaction(con):
        for table in tables_of(shard.stage):
            con.execute(statement("drop_stale", table))
        repeated = _repeated(con, shard)
        for table in shard.tables:
            if table is Table.FAILURES:
                loaded.rows[table.value] = _load_failures(con, where)
            else:
                loaded.rows[table.value] = _inserted(con, table, repeated)
                con.execute(statement("drop_failures_of_landed", table), where)
        key = f"{shard.round_id}/{shard.stage}/{shard.shard}/{uuid.uuid4().hex}"
        con.execute(statement("insert_load"), {"landing": key, **where, "rows": sum(loaded.rows.values())})
    loaded.repeated_units = len(repeated)
    return loaded


@contextmanager
def _landed(con: Connection, shard: ShardRows) -> Iterator[None]:
    """Let statements read the rows of each table as `landed_<table>`, and all units with their stamps as `landed`."""
    units = pa.concat_tables([rows.select(["unit_id", "stamp"]) for rows in shard.tables.values()])
    with ExitStack() as stack:
        stack.enter_context(relation(con, "landed", units))
        for table, rows in shard.tables.items():
            stack.enter_context(relation(con, f"landed_{table}", rows))
        yield


def _repeated(con: Connection, shard: ShardRows) -> list[str]:
    """Return the units of a shard that already have rows in the warehouse.

    A unit is returned if any table of the shard, except `failures`, already has a row of the unit. The loader skips
    such a unit in all tables.
    """
    found: set[str] = set()
    for table in shard.tables:
        if table is not Table.FAILURES:
            found.update(unit for (unit,) in con.execute(statement("repeated_units", table)).fetchall())
    return sorted(found)


def _load_failures(con: Connection, where: dict[str, str]) -> int:
    kept: set[str] = set()
    for table in UNIT_TABLES:
        kept.update(unit for (unit,) in con.execute(statement("landed_among_failed", table)).fetchall())
    kept.update(unit for (unit,) in con.execute(statement("newer_failures")).fetchall())
    con.execute(statement("drop_older_failures"), {**where, "kept": sorted(kept)})
    return _inserted(con, Table.FAILURES, sorted(kept))


def _inserted(con: Connection, table: Table, repeated: list[str]) -> int:
    """Insert the rows of a table, except those of repeated units; return how many."""
    [(count,)] = con.execute(statement("insert_landed", table), {"repeated": repeated}).fetchall()
    return int(count)
