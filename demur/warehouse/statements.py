"""SQL texts, one statement per file, the rows that they return, and rows of Python values put into tables."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from demur.warehouse.arrow_rows import to_arrow
from demur.warehouse.errors import WarehouseError
from demur.warehouse.tables import UNIT_TABLES, Table
from demur.warehouse.transactions import Connection, transaction

if TYPE_CHECKING:
    import pandas as pd


# SQL texts, one statement per file. Values are bound. Only names of tables and stages are put into the texts.


_SQL: Final = Path(__file__).parent / "sql"
_STAGES: Final = ", ".join(
    f"'{name}'" for name in dict.fromkeys(stage for table in UNIT_TABLES for stage in table.stages)
)


@cache
def statement(name: str | Path, table: Table | None = None) -> str:
    """Return the text of the file `name`: a Path, or a string for the file `warehouse/sql/<name>.sql`.

    In the text, `${table}` is replaced by the name of `table`, and `${every_stage}` by a list of all stages that land
    units.
    """
    file = _SQL / f"{name}.sql" if isinstance(name, str) else name
    text = file.read_text(encoding="utf-8")
    return with_stages(text if table is None else text.replace("${table}", Table(table).value))


def with_stages(text: str) -> str:
    """Return a text with `${every_stage}` replaced by a list of all stages that land units, as SQL literals."""
    return text.replace("${every_stage}", _STAGES)


# Rows of named statements as dicts or frames, and rows of Python values inserted into tables.
#
# Names of statements are those of `warehouse.statements.statement`.


BATCH = 512


def records(con: Connection, name: str | Path, values: Sequence[object] = ()) -> Iterator[dict[str, Any]]:
    """Yield the rows of the statement `name` as dicts; `values` are bound to its parameters."""
    found = con.execute(statement(name), list(values))
    columns = [column[0] for column in found.description]
    while batch := found.fetchmany(BATCH):
        for row in batch:
            yield dict(zip(columns, row, strict=True))


def frame(con: Connection, name: str | Path, values: Sequence[object] = ()) -> "pd.DataFrame":
    """Return the rows of the statement `name` as a frame; `values` are bound to its parameters."""
    return con.execute(statement(name), list(values)).df()


@dataclass(frozen=True, slots=True)
class RowSet:
    """Number of rows of a query, and a hash of the rows' contents. The order of the rows does not change the hash."""

    rows: int
    digest: str


def row_set(con: Connection, name: str | Path, values: Sequence[object] = ()) -> RowSet:
    """Return number and hash of the rows of the statement `name`, computed by DuckDB."""
    query = statement(name).rstrip().removesuffix(";")
    text = statement("content_of_rows").replace("${query}", query)
    [(rows, digest)] = con.execute(text, list(values)).fetchall()
    return RowSet(int(rows), str(digest))


def named_frame(con: Connection, name: str | Path, values: Sequence[object], wanted: RowSet) -> "pd.DataFrame":
    """Return the rows of the statement `name` as a frame; first check the number and the hash of the rows.

    Raises:
        WarehouseError: number or hash differs from `wanted`.
    """
    found = row_set(con, name, values)
    if found != wanted:
        raise WarehouseError(
            f"{name}: has {found.rows:,} rows that differ from the {wanted.rows:,} planned rows, because the warehouse "
            "has changed. Run the same command again"
        )
    rows: pd.DataFrame = con.sql(statement(name), params=list(values)).to_arrow_table().to_pandas()
    return rows


@contextmanager
def relation(con: Connection, name: str, rows: pa.Table) -> Iterator[None]:
    """Let statements inside the block read `rows` as the relation `name`."""
    con.register(name, rows)
    try:
        yield
    finally:
        con.unregister(name)


def batch(con: Connection, rows: pa.Table) -> AbstractContextManager[None]:
    """Let statements inside the block read `rows` as the relation `batch`."""
    return relation(con, "batch", rows)


def write_rows(
    con: Connection,
    table: Table,
    rows: Sequence[Mapping[str, object]],
    *,
    insert: str = "insert_batch",
    drop: str = "drop_of_round",
    keys: Sequence[Sequence[object]] = (),
) -> None:
    """Delete the rows with the keys `keys` and insert rows of Python values, in one transaction.

    If a round has exactly these rows already, nothing is written: validation imports pandera, which takes a second.

    Args:
        con: from `writing`.
        table: the table.
        rows: one mapping per row, by column name.
        insert: name of the statement that inserts the relation `batch`.
        drop: name of the statement that deletes the rows with one key.
        keys: lists of parameters; `drop` is executed once with each list. The default statement takes one parameter,
            the round id. Without keys, no rows are deleted.

    Raises:
        RowError: a row is not valid for the table; nothing is written.
    """
    if drop == "drop_of_round" and len(keys) == 1 and _are_there(con, table, rows, keys[0]):
        return
    with batch(con, to_arrow(table, rows, str(table))), transaction(con):
        for key in keys:
            con.execute(statement(drop, table), list(key))
        con.execute(statement(insert, table))


def _are_there(con: Connection, table: Table, rows: Sequence[Mapping[str, object]], key: Sequence[object]) -> bool:
    """Return whether the rows of a round in a table are these."""
    found = con.execute(statement("rows_of_round", table), list(key))
    columns = [column[0] for column in found.description]
    there = sorted(found.fetchall(), key=str)
    return there == sorted((tuple(map(row.get, columns)) for row in rows), key=str)
