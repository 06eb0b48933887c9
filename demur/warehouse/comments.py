"""Comments in the DuckDB catalog on tables, views and columns.

The pandera model of a table declares the comments of the table, its columns and its live view. Other views have
`COMMENT ON` statements. If a view's column has no comment, it gets the comment of a column with the same name. That
column is in the first relation that the view reads and that has such a column, or else in any table or view.
"""

import re

import duckdb

from demur.warehouse.schemas import models
from demur.warehouse.tables import UNIT_TABLES

_COLUMNS = """
    SELECT c.table_name, v.sql, c.column_name, c.comment FROM duckdb_columns() c
    LEFT JOIN duckdb_views() v ON v.view_oid = c.table_oid AND v.database_name = c.database_name
    WHERE c.database_name = current_database() AND c.schema_name = 'main' AND NOT c.internal
    ORDER BY c.table_oid, c.column_index
"""
_READ = re.compile(r"\b(?:FROM|JOIN) \(*(?:warehouse\.)?(?:main\.)?(\w+)")


def comment_tables(con: duckdb.DuckDBPyConnection) -> None:
    """Comment all tables and live views, and their columns, with the texts of the models."""
    present = {name for (name,) in con.execute("SELECT table_name FROM duckdb_tables() WHERE NOT internal").fetchall()}
    steps: list[str] = []
    for table, model in models().items():
        if table not in present:
            continue
        columns = model.to_schema().columns.items()
        meaning = (model.__doc__ or "").partition("\n\n")[0]
        steps.append(f"COMMENT ON TABLE {table} IS {_text(meaning)}")
        relations = [str(table)]
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
    """Comment the remaining columns of views with the comment of a column of the same name."""
    meanings: dict[str, dict[str, str]] = {
        str(table): {name: declared.description for name, declared in model.to_schema().columns.items()}
        for table, model in models().items()
    }
    anywhere: dict[str, str] = {}
    for declared in meanings.values():
        anywhere = declared | anywhere
    steps: list[str] = []
    for relation, view, column, comment in con.execute(_COLUMNS).fetchall():
        if comment is None:
            read = (meanings.get(name, {}).get(column) for name in _READ.findall(view or ""))
            comment = next(filter(None, read), anywhere.get(column))
            if comment is None:
                continue
            steps.append(f"COMMENT ON COLUMN {_name(relation)}.{_name(column)} IS {_text(comment)}")
        meanings.setdefault(relation, {})[column] = comment
        anywhere.setdefault(column, comment)
    con.execute(";\n".join(steps))


def _name(identifier: str) -> str:
    return '"' + identifier.replace('"', '""') + '"'


def _text(meaning: str | None) -> str:
    return "'" + (meaning or "").replace("'", "''") + "'"
