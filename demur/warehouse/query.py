"""SQL queries on the published copy, without access to files, the network or settings."""

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import duckdb

from demur.warehouse.connection import Connection, reading
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home

_FIRST_WORD = re.compile(r"(?:\s|\(|--[^\n]*(?:\n|$)|/\*.*?\*/)*(\w*)", re.S)
_READING_WORDS = {"SELECT", "FROM", "WITH", "PIVOT", "PIVOT_WIDER", "DESCRIBE", "DESC", "SUMMARIZE", "SHOW", "EXPLAIN"}
_CONFINEMENT = "SET enable_external_access = false; SET errors_as_json = true; SET lock_configuration = true"


Row = tuple[object, ...]
Made = TypeVar("Made")


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
    if threading.current_thread() is threading.main_thread():  # DuckDB does not look for Ctrl-C while a statement runs
        with closing(RunningStatement(con, sql, values)) as statement:
            return statement.first(limit)
    with _explained(sql):
        cursor = con.execute(_one_statement(con, sql), values or None)
        rows = cursor.fetchall() if limit is None else cursor.fetchmany(limit + 1)
        return _result(cursor, rows, limit)


class RunningStatement:
    """One reading statement on its own thread; rows are fetched in parts.

    The constructor and each `fetch` return after at most `seconds`, or as soon as `stop.give` is called. DuckDB may
    still work on a stopped statement for a while; the thread calls `ended` when this work is over.

    Raises:
        WarehouseError: `sql` is not exactly one reading statement, or DuckDB refuses it.
        StatementStoppedError: the statement took longer than `seconds` to begin, or was stopped.
    """

    def __init__(
        self,
        con: Connection,
        sql: str,
        values: Mapping[str, object] | None = None,
        *,
        seconds: float | None = None,
        stop: StopSignal | None = None,
        ended: Callable[[], None] = lambda: None,
    ) -> None:
        self._con = con
        self._sql = sql
        self._seconds = seconds
        self._stop = stop or StopSignal()
        self._ended = ended
        self._closed = False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="statement")
        self._cursor = self._step(lambda: self._begin(values))
        self.columns = _columns(self._cursor)

    def first(self, limit: int | None) -> QueryResult:
        """Return the first rows, at most `limit`, and then stop the statement."""
        rows = self.fetch(None if limit is None else limit + 1)
        self.close()
        return _result(self._cursor, rows, limit)

    def fetch(self, count: int | None) -> list[Row]:
        """Return the next `count` rows (None: all remaining rows); an empty list if no rows remain.

        Raises:
            WarehouseError: DuckDB reports an error.
            StatementStoppedError: the rows took longer than `seconds`, or the statement was stopped.
        """
        return self._step(lambda: self._cursor.fetchall() if count is None else self._cursor.fetchmany(count))

    def close(self) -> None:
        """Stop the statement; do not wait until DuckDB has ended its work."""
        if self._closed:
            return
        self._closed = True
        self._con.interrupt()
        self._thread.submit(self._ended)
        self._thread.shutdown(wait=False)

    def _begin(self, values: Mapping[str, object] | None) -> Connection:
        asked = _one_statement(self._con, self._sql)
        if self._closed:  # an interruption before the statement begins would be lost
            raise StatementStoppedError("SQL: stopped")
        return self._con.execute(asked, values or None)

    def _step(self, made: Callable[[], Made]) -> Made:
        asked = self._thread.submit(made)
        try:
            with _explained(self._sql):
                both: list[Future[Any]] = [asked, self._stop.given]
                done, _ = wait(both, self._seconds, FIRST_COMPLETED)
                if asked in done:
                    return asked.result()
        except BaseException:
            self.close()
            raise
        self.close()
        if self._stop.given in done:
            raise StatementStoppedError("SQL: stopped")
        raise StatementStoppedError(
            f"SQL: stopped after {self._seconds:g} s; ask for less, or use `demur sql`, which has no time limit"
        )


def _result(cursor: Connection, rows: list[Row], limit: int | None) -> QueryResult:
    if limit is None:
        return QueryResult(_columns(cursor), rows, False)
    return QueryResult(_columns(cursor), rows[:limit], len(rows) > limit)


def _columns(cursor: Connection) -> tuple[str, ...]:
    return tuple(str(column[0]) for column in cursor.description)


@contextmanager
def _explained(sql: str) -> Iterator[None]:
    """Raise errors of DuckDB inside the block as WarehouseError, with line and column of the statement."""
    try:
        yield
    except duckdb.Error as exc:
        raise WarehouseError(explanation(sql, exc)) from exc


def _one_statement(con: Connection, sql: str) -> duckdb.Statement:
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
