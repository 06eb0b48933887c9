"""Pandera models of all tables, and the Arrow schemas made from them; both are loaded on first use."""

from functools import cache
from typing import TYPE_CHECKING

import pyarrow as pa

from demur.warehouse.tables import Table

if TYPE_CHECKING:
    from demur.warehouse.tables.columns import TableModel


@cache
def models() -> dict[Table, "type[TableModel]"]:
    """Return the model of every table; the first call imports pandas and pandera (about a second)."""
    from demur.warehouse.tables import evaluation, items, operations, questions, rewards, scores
    from demur.warehouse.tables.columns import TableModel

    found: dict[Table, type[TableModel]] = {}
    for module in (
        questions,
        items,
        operations,
        evaluation,
        rewards,
        scores,
    ):
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, TableModel) and value.__module__ == module.__name__:
                found[value.table()] = value
    return {table: found[table] for table in Table}


@cache
def arrow_schema(table: Table) -> pa.Schema:
    """Return the Arrow schema of a table, with columns in the order of its model."""
    columns = models()[table].to_schema().columns
    fields = [pa.field(name, column.dtype.type.pyarrow_dtype, column.nullable) for name, column in columns.items()]
    return pa.schema(fields)


def references(table: Table) -> dict[str, Table]:
    """Return the foreign keys of a table: the referenced table by column."""
    columns = models()[table].to_schema().columns
    return {name: column.metadata["names"] for name, column in columns.items() if "names" in (column.metadata or {})}
