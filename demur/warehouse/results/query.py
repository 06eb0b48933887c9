"""SQL queries on the published copy, without access to files, the network or settings."""

import json
import re
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

import duckdb

from demur.warehouse.connection import reading
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home
from demur.warehouse.transactions import Connection

_FIRST_WORD = re.compile(r"(?:\s|\(|--[^\n]*(?:\n|$)|/\*.*?\*/)*(\w*)", re.S)
_READING_WORDS = {"SELECT", "FROM", "WITH", "PIVOT", "PIVOT_WIDER", "DESCRIBE", "DESC", "SUMMARIZE", "SHOW", "EXPLAIN"}
_CONFINEMENT = "SET enable_external_access = false; SET errors_as_json = true; SET lock_configuration = true"


Row = tuple[object, ...]


class StatementStoppedError(WarehouseError):
    """A statement took longer than allowed, or its caller stopped it."""


@dataclass(frozen=True, slots=True)
class QueryResult:
    """Columns and rows of a query; `truncated` is true if the query has more rows than the limit."""

    columns: tuple[str, ...]
    rows: list[Row]
    truncated: bool


@dataclass(frozen=True, slots=True)
class StopSignal:
    """A signal that lets another thread stop a statement, before or while the statement runs."""

    given: Future[None] = field(default_factory=Future)

    def give(self) -> None:
        """Stop the statement; a second call changes nothing."""
        if not self.given.done():
            self.given.set_result(None)


def query(home: Home, sql: str, *, limit: int | None, values: Mapping[str, object] | None = None) -> QueryResult:
    """Return the rows of one SELECT (also FROM, WITH, PIVOT, DESCRIBE, SUMMARIZE, SHOW, EXPLAIN) on the published copy.

    Args:
        home: the home with the published copy.
        sql: one statement.
        limit: largest number of rows; None for all.
        values: values of the statement's named parameters (`$name`).

    Raises:
        WarehouseMissingError: nothing was published yet.
        WarehouseError: `sql` is not exactly one reading statement, or DuckDB refuses it.
        KeyboardInterrupt: Ctrl-C was pressed, and the query was stopped.
    """
    if limit is not None and limit < 1:
        raise WarehouseError(f"limit {limit} must be at least 1")
    with reading(home) as con:
        confine(con)
        return run_statement(con, sql, limit=limit, values=values)


def confine(con: Connection) -> None:
    """Lock the connection's DuckDB instance: later statements cannot access files, the network or settings."""
    con.execute(_CONFINEMENT)


def run_statement(
    con: Connection,
    sql: str,
    *,
    limit: int | None,
    values: Mapping[str, object] | None = None,
) -> QueryResult:
    """Return the rows of one reading statement on a confined connection, as `query` does.

    Raises:
        WarehouseError: `sql` is not exactly one reading statement, or DuckDB refuses it.
        KeyboardInterrupt: Ctrl-C was pressed, and the query was stopped.
    """
    stop = StopSignal()
    if threading.current_thread() is not threading.main_thread():
        with _explained(sql):
            return _result(con, sql, limit, values, stop)
    thread = ThreadPoolExecutor(1, thread_name_prefix="statement")
    asked = thread.submit(_result, con, sql, limit, values, stop)
    try:
        with _explained(sql):
            return asked.result()  # DuckDB does not look for Ctrl-C while a statement runs
    except BaseException:
        stop.give()  # an interruption before the statement begins would be lost
        con.interrupt()
        raise
    finally:
        thread.shutdown(wait=False)


def _result(
    con: Connection, sql: str, limit: int | None, values: Mapping[str, object] | None, stop: StopSignal
) -> QueryResult:
    asked = one_statement(con, sql)
    if stop.given.done():
        raise StatementStoppedError("SQL: stopped")
    cursor = con.execute(asked, values or None)
    rows = cursor.fetchall() if limit is None else cursor.fetchmany(limit + 1)
    cut = limit is not None and len(rows) > limit
    return QueryResult(_columns(cursor), rows[:limit], cut)


def _columns(cursor: Connection) -> tuple[str, ...]:
    return tuple(str(column[0]) for column in cursor.description)


@contextmanager
def _explained(sql: str) -> Iterator[None]:
    """Raise errors of DuckDB inside the block as WarehouseError, with line and column of the statement."""
    try:
        yield
    except duckdb.Error as exc:
        raise WarehouseError(explanation(sql, exc)) from exc


def one_statement(con: Connection, sql: str) -> duckdb.Statement:
    """Return the parsed statement.

    Raises:
        WarehouseError: the text is not exactly one reading statement.
    """
    if not _is_unicode(sql):
        raise WarehouseError("SQL: the text is not valid UTF-8")
    statements = con.extract_statements(sql)
    if len(statements) != 1:
        raise WarehouseError(f"SQL: {len(statements)} statements were given; give exactly one")
    kind = statements[0].type.name
    if kind == "MULTI" and (first := _FIRST_WORD.match(sql)):  # PIVOT makes an enumeration of its values first
        kind = first[1].upper()
    if kind not in _READING_WORDS:
        raise WarehouseError(f"SQL: {kind} is not allowed here; allowed: statements that only read, such as SELECT")
    return statements[0]


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def explanation(sql: str, exc: Exception) -> str:
    """Return an error of DuckDB as one line: line and column of the statement, then DuckDB's message."""
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
