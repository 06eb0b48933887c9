"""The landing zone: workers write the rows of a shard there atomically, and the loader takes them exactly once."""

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Self, TypeAlias

import pyarrow as pa

from demur.warehouse.arrow_rows import Row, to_arrow
from demur.warehouse.errors import RowError
from demur.warehouse.statements import relation, statement
from demur.warehouse.tables import LANDED_TABLES, UNIT_TABLES, Table, tables_of
from demur.warehouse.transactions import Connection, transaction

# Rows of a shard, checked before they are loaded into the warehouse. This module does not open the warehouse.


Frame: TypeAlias = Sequence[Row] | pa.Table
_Units: TypeAlias = Mapping[str, Mapping[str, Sequence[Row]]]


@dataclass(frozen=True, slots=True)
class ShardRows:
    """The checked rows of a shard as Arrow tables. Processes of a cluster can send them to the process that loads."""

    round_id: str
    stage: str
    shard: str
    tables: Mapping[Table, pa.Table]

    @classmethod
    def of(cls, round_id: str, stage: str, shard: str, frames: Mapping[str, Frame]) -> Self:
        """Return the rows of a shard after a check.

        Args:
            round_id: every row must be of this round.
            stage: every row of `failures` must be of this stage.
            shard: name of the shard.
            frames: rows by table name, or the frames that `landable` returned. Each table must be a table of units, or
                `failures`.

        Raises:
            RowError: a row is not valid for its table, or a unit has rows both in `failures` and in another table.
        """
        return cls(round_id, stage, shard, _tables(frames, round_id, stage, f"{round_id}/{stage}/{shard}"))


def landable(round_id: str, stage: str, shard: str, units: _Units) -> tuple[Mapping[str, Frame], dict[str, RowError]]:
    """Return the rows of valid units by table, as input of `ShardRows.of`, and the errors of the other units by id.

    If no unit has an error, the rows are returned as Arrow tables, which are not validated again.

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


# Loading of shards into the warehouse.
#
# The rows of a shard and its row in `loads` are inserted in one transaction. Units that the warehouse has already
# with the same stamp are skipped, so a repeated shard adds no rows; rows with another stamp are replaced. A landed
# unit has no row in `failures`, even if its failure is loaded later.


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
