"""Rows read by a named statement, as dicts, a batch at a time."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from demur.warehouse.connection import Connection
from demur.warehouse.statements import statement

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


def table_of(
    con: Connection, name: str | Path, values: Sequence[object] = ()
) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """Return the column names and all rows of `sql/<name>.sql`."""
    found = con.execute(statement(name), list(values))
    return tuple(column[0] for column in found.description), found.fetchall()
