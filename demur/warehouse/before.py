"""Rows of earlier rounds, from which a round learns which base instances it may draw and how novel its items are."""

from collections.abc import Mapping
from typing import Final

import pyarrow as pa

from demur.warehouse.connection import Connection
from demur.warehouse.records import batch
from demur.warehouse.statements import statement
from demur.warehouse.tables import Table
from demur.warehouse.transaction import transaction

_DECIDING: Final = (
    Table.ROUNDS,
    Table.UNITS,
    Table.BASE_INSTANCES,
    Table.RECALLS,
    Table.SCREENINGS,
    Table.RELEASES,
    Table.RELEASED_ITEMS,
)
"""Tables that decide which base instances a round may draw, and which items were released before."""

Before = Mapping[Table, pa.Table]


def rows_before(con: Connection, round_id: str) -> Before:
    """Return the rows of all rounds that began before this round, for each table in `_DECIDING`."""
    return {
        table: con.sql(statement("rows_before_round", table), params=[round_id]).to_arrow_table() for table in _DECIDING
    }


def insert_before(con: Connection, rows: Before) -> None:
    """Insert the result of `rows_before` into a warehouse without rounds."""
    with transaction(con):
        for table, found in rows.items():
            with batch(con, found):
                con.execute(statement("insert_batch", table))
