"""SQL that the models of tables decide: CREATE TABLE statements and comments; comparison of a file with the models."""

import re
from functools import cache

import duckdb

from demur.warehouse.statements import batch, statement
from demur.warehouse.tables import UNIT_TABLES, Table
from demur.warehouse.tables.models import arrow_schema, models

_COLUMNS = """
    SELECT c.table_name, v.sql, c.column_name, c.comment FROM duckdb_columns() c
    LEFT JOIN duckdb_views() v ON v.view_oid = c.table_oid AND v.database_name = c.database_name
    WHERE c.database_name = current_database() AND c.schema_name = 'main' AND NOT c.internal
    ORDER BY c.table_oid, c.column_index
"""
_READ = re.compile(r"\b(?:FROM|JOIN) \(*(?:warehouse\.)?(?:main\.)?(\w+)")


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


def comment(con: duckdb.DuckDBPyConnection) -> None:
    """Comment the tables, views and columns of an open file.

    The comments of a table, of its columns and of its live view `live_<table>` come from the table's model. Other views
    get their comments in views/*.sql. If a view's column has no comment there, it gets the comment of a column with the
    same name, preferably of a relation that the view reads.
    """
    _comment_tables(con)
    _comment_inherited(con)


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
    """Return the columns and the primary key of every table, as one set for each table.

    The order of columns does not matter, since rows are inserted by column name.
    """
    return {table: frozenset(parts) for table, parts in con.execute(statement("described_tables")).fetchall()}


def _comment_tables(con: duckdb.DuckDBPyConnection) -> None:
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


def _comment_inherited(con: duckdb.DuckDBPyConnection) -> None:
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
