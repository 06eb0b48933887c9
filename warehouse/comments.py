"""What tables, views and columns mean, as comments in the DuckDB catalog.

Meanings of a table and its columns are declared in its pandera model; a live view has those of its table. Meanings of
other views and their columns stand as `COMMENT ON` beside the view; a column without one means what the column of that
name means in the first table that has it, or else in the first view.
"""

import duckdb

from demur.warehouse.schemas import models
from demur.warehouse.tables import UNIT_TABLES

_COLUMNS = """
    SELECT table_name, column_name, comment FROM duckdb_columns()
    WHERE database_name = current_database() AND schema_name = 'main' AND NOT internal
    ORDER BY table_oid, column_index
"""


def comment_tables(con: duckdb.DuckDBPyConnection) -> None:
    """Write the meanings of the models' tables and columns, and of their live views, into the catalog."""
    present = {name for (name,) in con.execute("SELECT table_name FROM duckdb_tables() WHERE NOT internal").fetchall()}
    steps: list[str] = []
    for table, model in models().items():
        if table not in present:
            continue
        columns = model.to_schema().columns.items()
        meaning = (model.__doc__ or "").partition("\n\n")[0]
        steps.append(f"COMMENT ON TABLE raw.{table} IS {_text(meaning)}")
        relations = [f"raw.{table}"]
        if table in UNIT_TABLES:
            relations.append(f"live_{table}")
            steps.append(f"COMMENT ON VIEW live_{table} IS {_text(f'Rows of {table} whose unit the round plans now.')}")
        steps += [
            f"COMMENT ON COLUMN {relation}.{_name(column)} IS {_text(declared.description)}"
            for relation in relations
            for column, declared in columns
        ]
    con.execute(";\n".join(steps))


def comment_inherited(con: duckdb.DuckDBPyConnection) -> None:
    """Give every column that has no comment the meaning of its name in the first table, or view, that has such one."""
    columns = con.execute(_COLUMNS).fetchall()
    meanings: dict[str, str] = {}
    for model in models().values():
        for column, declared in model.to_schema().columns.items():
            meanings.setdefault(column, declared.description)
    for _, column, comment in columns:
        if comment is not None:
            meanings.setdefault(column, comment)
    steps = [
        f"COMMENT ON COLUMN {_name(relation)}.{_name(column)} IS {_text(meanings[column])}"
        for relation, column, comment in columns
        if comment is None and column in meanings
    ]
    con.execute(";\n".join(steps))


def _name(identifier: str) -> str:
    return '"' + identifier.replace('"', '""') + '"'


def _text(meaning: str | None) -> str:
    return "'" + (meaning or "").replace("'", "''") + "'"
