"""Answers one SQL query on the published copy, and lets it reach nothing else: no file, no network, no setting."""

import json
import re
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import duckdb

from demur.warehouse.connection import Connection, reading
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home

_FIRST_WORD = re.compile(r"(?:\s|\(|--[^\n]*(?:\n|$)|/\*.*?\*/)*(\w*)", re.S)
_READING_WORDS = {"SELECT", "FROM", "WITH", "PIVOT", "PIVOT_WIDER", "DESCRIBE", "DESC", "SUMMARIZE", "SHOW", "EXPLAIN"}
_CONFINEMENT = "SET enable_external_access = false; SET errors_as_json = true; SET lock_configuration = true"


@dataclass(frozen=True, slots=True)
class QueryResult:
    """Rows of a query in the order of its columns; `truncated` says that there were more than the limit."""

    columns: tuple[str, ...]
    rows: list[tuple[object, ...]]
    truncated: bool


def query(
    home: Home, sql: str, *, limit: int | None, memory_limit: str = "1GB", values: Mapping[str, object] | None = None
) -> QueryResult:
    """Return the rows of one SELECT (also FROM, WITH, PIVOT, DESCRIBE, SUMMARIZE, SHOW, EXPLAIN) on the published copy.

    Args:
        home: whose published copy.
        sql: one statement.
        limit: at most so many rows; None for all.
        memory_limit: what the query may use before it spills to disk.
        values: what the statement's named parameters (`$name`) are bound to.

    Raises:
        WarehouseMissingError: nothing was published yet.
        WarehouseError: not one reading statement, or DuckDB refuses it; names line and column where known.
        KeyboardInterrupt: somebody pressed Ctrl-C; the query has ended.
    """
    if limit is not None and limit < 1:
        raise WarehouseError(f"limit {limit} must be at least 1")
    with reading(home, memory_limit=memory_limit) as con:
        confine(con)
        return run_statement(con, sql, limit=limit, values=values)


def confine(con: Connection) -> None:
    """Let no statement on this connection's instance reach a file, a network or a setting any more."""
    con.execute(_CONFINEMENT)


def run_statement(
    con: Connection,
    sql: str,
    *,
    limit: int | None,
    values: Mapping[str, object] | None = None,
    seconds: float | None = None,
) -> QueryResult:
    """Return the rows of one reading statement on a confined connection, as `query` does.

    Raises:
        WarehouseError: not one reading statement, DuckDB refuses it, or it takes longer than `seconds`.
        KeyboardInterrupt: somebody pressed Ctrl-C; the query has ended.
    """
    if not _is_unicode(sql):
        raise WarehouseError("SQL: the text is not valid UTF-8")
    try:
        statement = _one_statement(con, sql)
        if seconds is None and threading.current_thread() is not threading.main_thread():
            columns, rows = _ask(con, statement, limit, values)
        else:
            columns, rows = _interruptibly(con, statement, limit, values, seconds)
    except duckdb.Error as exc:
        raise WarehouseError(explanation(sql, exc)) from exc
    if limit is None:
        return QueryResult(columns, rows, False)
    return QueryResult(columns, rows[:limit], len(rows) > limit)


def _ask(
    con: Connection, statement: duckdb.Statement, limit: int | None, values: Mapping[str, object] | None
) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    cursor = con.execute(statement, values or None)
    columns = tuple(str(column[0]) for column in cursor.description)
    return columns, cursor.fetchall() if limit is None else cursor.fetchmany(limit + 1)


def _interruptibly(
    con: Connection,
    statement: duckdb.Statement,
    limit: int | None,
    values: Mapping[str, object] | None,
    seconds: float | None,
) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """Columns and rows, asked for in another thread: DuckDB does not look for Ctrl-C while a statement runs."""
    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(_ask, con, statement, limit, values)
        try:
            return asked.result(seconds)
        except KeyboardInterrupt:
            con.interrupt()
            raise
        except TimeoutError:
            con.interrupt()
            raise WarehouseError(
                f"SQL: stopped after {seconds:g} s; ask for less, or take `demur sql`, which has no time limit"
            ) from None


def _one_statement(con: Connection, sql: str) -> duckdb.Statement:
    statements = con.extract_statements(sql)
    if len(statements) != 1:
        raise WarehouseError(f"SQL: {len(statements)} statements were given; give exactly one")
    kind = statements[0].type.name
    if kind == "MULTI" and (first := _FIRST_WORD.match(sql)):  # PIVOT makes an enumeration of its values first
        kind = first[1].upper()
    if kind not in _READING_WORDS:
        raise WarehouseError(f"SQL: {kind} is not allowed here; only statements that read, such as SELECT, are")
    return statements[0]


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def explanation(sql: str, exc: Exception) -> str:
    """One line: place in the query, what DuckDB says."""
    try:
        parsed = json.loads(str(exc).partition(": ")[2])
        message = str(parsed["exception_message"])
    except (ValueError, KeyError, TypeError):
        return "SQL: " + " ".join(str(exc).split())
    place = "SQL"
    if "position" in parsed:
        before = sql.encode(errors="replace")[: int(parsed["position"])].decode(errors="replace")
        place = f"SQL, line {before.count(chr(10)) + 1}, column {len(before) - (before.rfind(chr(10)) + 1) + 1}"
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return f"{place}: {'; '.join(lines)}"
