"""Answers one SQL query on the published copy, and lets it reach nothing else: no file, no network, no setting."""

import json
from dataclasses import dataclass

import duckdb

from demur.warehouse.connection import Connection, reading
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home

_ALLOWED = {duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN}
_CONFINEMENT = "SET enable_external_access = false; SET errors_as_json = true; SET lock_configuration = true"


@dataclass(frozen=True, slots=True)
class QueryResult:
    """Rows of a query in the order of its columns; `truncated` says that there were more than the limit."""

    columns: tuple[str, ...]
    rows: list[tuple[object, ...]]
    truncated: bool


def query(home: Home, sql: str, *, limit: int | None, memory_limit: str = "1GB") -> QueryResult:
    """Return the rows of one SELECT (also FROM, WITH, DESCRIBE, SUMMARIZE, SHOW, EXPLAIN) on the published copy.

    Args:
        home: whose published copy.
        sql: one statement.
        limit: at most so many rows; None for all.
        memory_limit: what the query may use before it spills to disk.

    Raises:
        WarehouseMissingError: nothing was published yet.
        WarehouseError: not one reading statement, or DuckDB refuses it; names line and column where known.
    """
    if limit is not None and limit < 1:
        raise WarehouseError(f"limit {limit} must be at least 1")
    if not _is_unicode(sql):
        raise WarehouseError("SQL: the text is not valid UTF-8")
    with reading(home, memory_limit=memory_limit) as con:
        con.execute(_CONFINEMENT)
        try:
            cursor = con.execute(_one_statement(con, sql))
            columns = tuple(str(column[0]) for column in cursor.description)
            rows = cursor.fetchall() if limit is None else cursor.fetchmany(limit + 1)
        except duckdb.Error as exc:
            raise WarehouseError(_explanation(sql, exc)) from exc
    if limit is None:
        return QueryResult(columns, rows, False)
    return QueryResult(columns, rows[:limit], len(rows) > limit)


def _one_statement(con: Connection, sql: str) -> duckdb.Statement:
    statements = con.extract_statements(sql)
    if len(statements) != 1:
        raise WarehouseError(f"SQL: {len(statements)} statements were given; give exactly one")
    if statements[0].type not in _ALLOWED:
        kind = statements[0].type.name
        raise WarehouseError(f"SQL: {kind} is not allowed here; only statements that read, such as SELECT, are")
    return statements[0]


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _explanation(sql: str, exc: Exception) -> str:
    """One line: place in the query, what DuckDB says."""
    try:
        told = json.loads(str(exc).partition(": ")[2])
        message = str(told["exception_message"])
    except (ValueError, KeyError, TypeError):
        return "SQL: " + " ".join(str(exc).split())
    place = "SQL"
    if "position" in told:
        before = sql.encode(errors="replace")[: int(told["position"])].decode(errors="replace")
        place = f"SQL, line {before.count(chr(10)) + 1}, column {len(before) - (before.rfind(chr(10)) + 1) + 1}"
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return f"{place}: {'; '.join(lines)}"
