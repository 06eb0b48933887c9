"""Rows read by a named statement, as dicts, a batch at a time, and rows written by one."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from demur.warehouse.errors import WarehouseError
from demur.warehouse.rows import to_arrow
from demur.warehouse.statements import statement
from demur.warehouse.tables import Table
from demur.warehouse.transaction import Connection, transaction

BATCH = 512


def records(con: Connection, name: str | Path, values: Sequence[object] = ()) -> Iterator[dict[str, Any]]:
    """Yield the rows of `sql/<name>.sql`, or of a file's statement, with `values` bound; memory stays flat."""
    found = con.execute(statement(name), list(values))
    columns = [column[0] for column in found.description]
    while batch := found.fetchmany(BATCH):
        for row in batch:
            yield dict(zip(columns, row, strict=True))


def frame(con: Connection, name: str | Path, values: Sequence[object] = ()) -> pd.DataFrame:
    """Return the rows of `sql/<name>.sql` as a frame."""
    return con.execute(statement(name), list(values)).df()


@dataclass(frozen=True, slots=True)
class RowSet:
    """All rows of a query as their number and a hash of their content, in any order."""

    rows: int
    digest: str


def row_set(con: Connection, name: str | Path, values: Sequence[object] = ()) -> RowSet:
    """Return the number and a hash of the rows of `sql/<name>.sql`, or of a file's statement.

    None of the rows is held in memory.
    """
    query = statement(name).rstrip().removesuffix(";")
    text = statement("content_of_rows").replace("${query}", query)
    [(rows, digest)] = con.execute(text, list(values)).fetchall()
    return RowSet(int(rows), str(digest))


def named_frame(con: Connection, name: str | Path, values: Sequence[object], wanted: RowSet) -> pd.DataFrame:
    """Return the rows of a query as a frame, once they are those that were named.

    Raises:
        WarehouseError: they have changed.
    """
    found = row_set(con, name, values)
    if found != wanted:
        raise WarehouseError(
            f"{name}: its {found.rows:,} rows are not the {wanted.rows:,} that were planned, because the warehouse has "
            "changed since. Run the same command again"
        )
    rows: pd.DataFrame = con.sql(statement(name), params=list(values)).to_arrow_table().to_pandas()
    return rows


@contextmanager
def batch(con: Connection, rows: pa.Table) -> Iterator[None]:
    """Let statements inside the block read rows as `batch`."""
    con.register("batch", rows)
    try:
        yield
    finally:
        con.unregister("batch")


def write_rows(
    con: Connection,
    table: Table,
    rows: Sequence[Mapping[str, object]],
    *,
    insert: str = "insert_batch",
    drop: str = "drop_of_round",
    keys: Sequence[Sequence[object]] = (),
) -> None:
    """Write rows of Python values, in one transaction, after deleting those with these keys.

    Args:
        con: from `writing`.
        table: where they belong.
        rows: one mapping per row, by column name.
        insert: the statement that inserts `batch`.
        drop: the statement that deletes by one of `keys`.
        keys: of rows to delete; by default ids of rounds.

    Raises:
        RowError: a row is not as the table wants it; nothing is written then.
    """
    with batch(con, to_arrow(table, rows, str(table))), transaction(con):
        for key in keys:
            con.execute(statement(drop, table), list(key))
        con.execute(statement(insert, table))
