"""SQL of the tables, generated from their models, and comparison of a file's tables with the models."""

from functools import cache

import duckdb

from demur.warehouse.records import batch
from demur.warehouse.schemas import arrow_schema, models
from demur.warehouse.statements import statement
from demur.warehouse.tables import Table


def create_tables() -> str:
    """Return the CREATE TABLE statements of all tables: columns in the models' order, NOT NULL, primary keys."""
    with duckdb.connect() as con:
        return "\n".join(_create_table(table, con) for table in Table)


def differences(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the sorted names of tables whose columns or primary key differ between the file of `con` and the models.

    A table that only the file has, or only the models have, differs too.
    """
    there = _described(con)
    return sorted(table for table in there.keys() | _declared().keys() if there.get(table) != _declared().get(table))


def _create_table(table: Table, con: duckdb.DuckDBPyConnection) -> str:
    model = models()[table]
    with batch(con, arrow_schema(table).empty_table()):
        kinds = {name: kind for name, kind, *_ in con.execute(statement("describe_batch")).fetchall()}
    lines = []
    for name, column in model.to_schema().columns.items():
        kind = (column.metadata or {}).get("type", kinds[name])
        lines.append(f'    "{name}" {kind}{"" if column.nullable else " NOT NULL"}')
    if key := model.primary_key():
        lines.append("    PRIMARY KEY ({})".format(", ".join(f'"{name}"' for name in key)))
    return statement("create_table", table).replace("${columns}", ",\n".join(lines))


@cache
def _declared() -> dict[str, frozenset[str]]:
    with duckdb.connect() as con:
        con.execute(create_tables())
        return _described(con)


def _described(con: duckdb.DuckDBPyConnection) -> dict[str, frozenset[str]]:
    """Return columns and primary key of every table as sets, since rows are inserted by column name."""
    return {table: frozenset(parts) for table, parts in con.execute(statement("described_tables")).fetchall()}
