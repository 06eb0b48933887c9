"""Rows of the table `batches`, from the records of provider batches in the state.

A record has a field for each column of the table. The row of a batch has the values of its latest record.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from demur.warehouse.connection import Connection, reading
from demur.warehouse.errors import WarehouseMissingError
from demur.warehouse.home import Home
from demur.warehouse.records import batch, records
from demur.warehouse.rows import to_arrow
from demur.warehouse.schemas import models
from demur.warehouse.statements import statement
from demur.warehouse.tables import Table

_MOMENTS = ("intended_at", "submitted_at", "ended_at")


def published_batches(home: Home) -> list[dict[str, Any]]:
    """Return the rows of `batches` in the published copy, newest first; an empty list if nothing was published."""
    try:
        with reading(home) as con:
            return list(records(con, "list_batches", []))
    except WarehouseMissingError:
        return []


def fold_batches(con: Connection, round_id: str, batches: Sequence[Mapping[str, Any]]) -> int:
    """Insert or replace rows of `batches`; return their number.

    Args:
        con: from `writing`.
        round_id: round of the batches.
        batches: the latest record of each batch; times are ISO 8601 in UTC.
    """
    if not batches:
        return 0
    with batch(con, to_arrow(Table.BATCHES, [_row(one) for one in batches], f"batches of {round_id}")):
        con.execute(statement("replace_batch", Table.BATCHES))
    return len(batches)


def _row(record: Mapping[str, Any]) -> dict[str, object]:
    row = {name: record[name] for name in models()[Table.BATCHES].to_schema().columns}
    return row | {name: datetime.fromisoformat(row[name]) for name in _MOMENTS if row[name] is not None}
