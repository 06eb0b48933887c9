"""Snapshots of the published copy for the explorer's pages, replaced after each publication, and their statements."""

import os
import re
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import duckdb

from demur.warehouse.connection import reading
from demur.warehouse.errors import WarehouseError, WarehouseMissingError
from demur.warehouse.home import Home
from demur.warehouse.results.query import (
    QueryResult,
    StatementStoppedError,
    StopSignal,
    confine,
    explanation,
    run_statement,
)
from demur.warehouse.results.statement_process import (
    LimitedStatement,
    StatementProcesses,
    StatementRequest,
    new_spill,
    quoted,
)
from demur.warehouse.statements import statement
from demur.warehouse.tables.made_tables import require_current
from demur.warehouse.transactions import Connection

# SQL statements of pages, built from files. Values are always bound, never formatted into the text.


_IF: Final = re.compile(r"\s*-- if (\w+)$")
_INCLUDED: Final = re.compile(r"\s*-- include (\w+)$")
_PARAMETER: Final = re.compile(r"\$([a-z_0-9]+)")

ORDERS: Final = {
    "stratum": "class NULLS LAST, CASE intensity WHEN 'LOW' THEN 1 WHEN 'MEDIUM' THEN 2 ELSE 3 END, id",
    "difficulty": "difficulty DESC NULLS LAST, id",
    "easiest": "difficulty NULLS LAST, id",
    "disagreement": "disagreement DESC NULLS LAST, id",
    "verifiers": "verifier_disagreement DESC NULLS LAST, id",
    "cost": "cost_usd DESC NULLS LAST, id",
    "lever": "lever NULLS LAST, id",
    "generator": "generator NULLS LAST, id",
    "status": "status, id",
}
"""ORDER BY clauses of lists of items; no other texts are formatted into statements."""


@dataclass(frozen=True, slots=True)
class BoundStatement:
    """A statement and the values of its parameters (`$name`)."""

    sql: str
    values: dict[str, object]


def parts_of(file: Path, values: Mapping[str, object], order: str | None = None) -> BoundStatement:
    """Return a file's statement with its values.

    A line that ends in `-- if NAME` is omitted if `values` has no NAME, or None. `${order}` is replaced by the entry
    `order` of ORDERS. The result has only those values whose names occur in the remaining lines.
    """
    given = {name for name, value in values.items() if value is not None}
    lines = []
    for line in _lines(file):
        wanted = _IF.search(line)
        if wanted is None:
            lines.append(line)
        elif wanted[1] in given:
            lines.append(_IF.sub("", line))
    sql = "\n".join(lines)
    if order is not None:
        sql = sql.replace("${order}", ORDERS[order])
    return BoundStatement(sql, {name: values[name] for name in dict.fromkeys(_PARAMETER.findall(sql))})


@cache
def _lines(file: Path) -> tuple[str, ...]:
    """Return the lines of a statement; `-- include NAME` is replaced by the lines of NAME.sql in the same folder."""
    found: list[str] = []
    for line in file.read_text(encoding="utf-8").strip().removesuffix(";").splitlines():
        included = _INCLUDED.match(line)
        found += [line] if included is None else _lines(file.with_name(f"{included[1]}.sql"))
    return tuple(found)


# Snapshots of the published copy for the explorer's pages, replaced after each publication.
#
# Besides the published copy, a snapshot has tables in memory. A thread fills the tables once, because computing their
# rows for each page would take too long. Readers' own statements run in processes of their own, which read the copy
# and a file with these tables, and nothing else.


OWN_TABLES: Final = ("response_outcomes", "item_states")
"""The snapshot's own tables, in the order of their creation; sql/<name>.sql creates each."""
COPIED_VIEWS: Final = (
    "yield_by_stratum", "lever_coverage", "lever_coverage_by_stratum", "leaderboard", "spending", "rejection_reasons",
    "near_copies", "costs_by_stage",
)  # fmt: skip
"""Views that are copied into tables of the same names in memory, since each read of them sums over whole rounds."""
_SEARCH_PATH: Final = "SET search_path = 'memory.main,warehouse.main'"
_FOLDER: Final = Path(__file__).parent / "sql"
MEMORY_LIMIT: Final = "1GB"
"""Memory of DuckDB for pages. With it, the explorer and MOST_AT_ONCE statements stay below the 3 GiB of its pod."""
MOST_AT_ONCE: Final = 3
"""Largest number of readers' statements, downloads included, that run at once."""
MOST_WAITING: Final = 5
"""Largest number of statements that wait for one of these to end; more would take the threads that serve pages."""
_LOOK_SECONDS: Final = 0.05
START_SECONDS: Final = 1.5
"""Delay before the tables are filled if no page needs them, so that the first page is not slowed down."""


@dataclass(frozen=True, slots=True)
class TableRows:
    """Rows of a statement as dicts, its column names, and the statement with its values."""

    columns: tuple[str, ...]
    rows: list[dict[str, Any]]
    asked: BoundStatement


class Snapshot:
    """An open version of the published copy, which is closed when no page refers to the snapshot any more.

    Raises:
        WarehouseMissingError: nothing was published yet.
        WarehouseVersionError: another version of demur published the copy.
    """

    def __init__(self, home: Home, statements: "Statements | None" = None) -> None:
        self.stamp = stamp_of(home)
        self._home = home
        self._statements = statements or Statements()
        self._open = ExitStack()
        self._con = self._open.enter_context(reading(home, memory_limit=MEMORY_LIMIT))
        require_current(self._con, str(home.published))
        self._copy = self._kept_open(home.published)
        self._folder = tempfile.TemporaryDirectory(prefix="demur-explorer-")
        self._tables = Path(self._folder.name) / "tables.duckdb"
        self._con.execute(f"ATTACH '{quoted(self._tables)}' AS kept")  # a confined connection can attach no file
        confine(self._con)
        self._wanted = threading.Event()
        self._made = threading.Event()
        self._failed: str | None = None
        self._kept = threading.Event()

    def _kept_open(self, published: Path) -> Path:
        """Return a path by which other processes open this version of the copy, also after it was replaced."""
        handle = os.open(published, os.O_RDONLY)
        weakref.finalize(self, os.close, handle)
        path = Path(f"/proc/{os.getpid()}/fd/{handle}")
        return path if path.exists() else published

    def make_tables(self) -> None:
        """Fill the tables in memory; statements that read OWN_TABLES wait until these are filled."""
        self._wanted.wait(START_SECONDS)
        try:
            con = self._cursor()
            for name in OWN_TABLES:
                con.execute(statement(_FOLDER / f"{name}.sql"))
            self._made.set()
            for name in COPIED_VIEWS:
                con.execute(f"CREATE TABLE memory.main.{name} AS FROM warehouse.main.{name}")
            for name in (*OWN_TABLES, *COPIED_VIEWS):
                con.execute(f"CREATE TABLE kept.main.{name} AS FROM memory.main.{name}")
            con.execute("DETACH kept")  # other processes can open it from now on
        except duckdb.Error as exc:
            self._failed = explanation("", exc)
        finally:
            self._made.set()
            self._kept.set()

    def table(self, name: str, values: Mapping[str, object] | None = None, order: str | None = None) -> TableRows:
        """Return the rows of the statement `sql/<name>.sql`, built by `parts_of`.

        Raises:
            WarehouseError: DuckDB refuses the statement.
        """
        asked = self.statement(name, values or {}, order)
        found = self.query(asked, limit=None)
        return TableRows(found.columns, [dict(zip(found.columns, row, strict=True)) for row in found.rows], asked)

    def statement(self, name: str, values: Mapping[str, object], order: str | None = None) -> BoundStatement:
        """Return the statement `sql/<name>.sql`, built by `parts_of`."""
        return parts_of(_FOLDER / f"{name}.sql", values, order)

    def rows(self, name: str, **values: object) -> list[dict[str, Any]]:
        """Return the rows of the statement `sql/<name>.sql` as dicts."""
        return self.table(name, values).rows

    def connection(self) -> Connection:
        """Return a new connection to the snapshot."""
        return self._cursor()

    def query(self, asked: BoundStatement, *, limit: int | None) -> QueryResult:
        """Return at most `limit` rows of a page's statement; None for all rows.

        Raises:
            WarehouseError: the text is not exactly one reading statement, or DuckDB refuses it.
        """
        self._await_tables(asked, None, self._made)
        return run_statement(self._cursor(), asked.sql, limit=limit, values=asked.values)

    def start(self, asked: BoundStatement, seconds: float, stop: StopSignal) -> LimitedStatement:
        """Start a statement that a user of the explorer wrote, in a process of its own.

        The start and each fetch of rows stop after `seconds`, or when `stop.give` is called.

        Raises:
            WarehouseError: the text is not exactly one reading statement, DuckDB refuses the statement, it wants too
                much memory, it was stopped, or too many statements run and wait already.
        """
        self._await_tables(asked, seconds, self._kept)
        tables = self._tables if self._kept.is_set() and self._failed is None else None
        wanted = StatementRequest(self._home, self._copy, tables, asked.sql, asked.values, new_spill(self._home))
        return self._statements.start(wanted, seconds, stop)

    def prepare(self) -> None:
        """Start the process of the next statement, so that the statement does not wait for it."""
        self._statements.prepare()

    def _await_tables(self, asked: BoundStatement, seconds: float | None, made: threading.Event) -> None:
        if not any(name in asked.sql for name in OWN_TABLES):
            return
        self._wanted.set()
        if not made.wait(seconds):
            raise WarehouseError(f"the tables of the explorer were not made within {seconds:g} s: try again")
        if self._failed is not None:
            raise WarehouseError(f"the tables of the explorer could not be made ({self._failed})")

    def _cursor(self) -> Connection:
        cursor = self._con.cursor()
        cursor.execute(_SEARCH_PATH)
        return cursor


class Statements:
    """Readers' statements: at most MOST_AT_ONCE run, and at most MOST_WAITING wait for them."""

    def __init__(self) -> None:
        self._processes = StatementProcesses()
        self._running = threading.BoundedSemaphore(MOST_AT_ONCE)
        self._there = threading.BoundedSemaphore(MOST_AT_ONCE + MOST_WAITING)

    def prepare(self) -> None:
        """Start the process of the next statement."""
        self._processes.prepare()

    def start(self, asked: StatementRequest, seconds: float, stop: StopSignal) -> LimitedStatement:
        """Start a statement, as `Snapshot.start`, once fewer than MOST_AT_ONCE run."""
        turn = ExitStack()
        try:
            self._await(turn, seconds, stop)
            return self._processes.start(asked, seconds, stop, turn.close)
        except BaseException:
            turn.close()
            raise

    def _await(self, turn: ExitStack, seconds: float, stop: StopSignal) -> None:
        """Wait until another statement may run; `turn` gives its place back."""
        if not self._there.acquire(blocking=False):
            raise WarehouseError(_FULL)
        turn.callback(self._there.release)
        until = time.monotonic() + seconds
        while not self._running.acquire(timeout=_LOOK_SECONDS):
            if stop.given.done():
                raise StatementStoppedError("SQL: stopped")
            if time.monotonic() > until:
                raise WarehouseError(_FULL)
        turn.callback(self._running.release)


_FULL: Final = (
    f"SQL: {MOST_AT_ONCE} statements of readers are running, and others wait: try again when one has ended, or use "
    "`demur sql`"
)


class Snapshots:
    """The current snapshot of a home. While the tables of a newer snapshot are filled, pages get the older one."""

    def __init__(self, home: Home, afterwards: Callable[[], object] = lambda: None) -> None:
        """Store the home; `afterwards` is called once the tables of the first snapshot are filled."""
        self.home = home
        self._afterwards = afterwards
        self._lock = threading.Lock()
        self._current: Snapshot | None = None
        self._making: tuple[int, ...] | None = None
        self._statements = Statements()

    def current(self) -> Snapshot:
        """Return the current snapshot; the first call opens it, later calls look for a newer copy.

        Raises:
            WarehouseMissingError: nothing was published yet.
            WarehouseError: the copy cannot be read.
        """
        with self._lock:
            if self._current is None:
                self._current = Snapshot(self.home, self._statements)
                self._start(self._current)
            elif (stamp := stamp_of(self.home)) not in (self._current.stamp, self._making):
                self._making = stamp
                threading.Thread(target=self._replace, daemon=False).start()
            return self._current

    def _start(self, snapshot: Snapshot) -> None:
        def make() -> None:
            snapshot.make_tables()
            self._afterwards()

        threading.Thread(target=make, daemon=False).start()  # DuckDB ends the process if it is cut off

    def _replace(self) -> None:
        try:
            fresh = Snapshot(self.home, self._statements)
            fresh.make_tables()
        except WarehouseError:  # removed or damaged meanwhile: the next page looks again
            fresh = None
        with self._lock:
            self._making = None
            self._current = fresh or self._current


def stamp_of(home: Home) -> tuple[int, ...]:
    """Return a stamp of the newest published copy; different copies have different stamps.

    Raises:
        WarehouseMissingError: nothing was published yet.
    """
    try:
        found = home.published.stat()
    except FileNotFoundError:
        raise WarehouseMissingError(
            f"{home.published}: there is no warehouse yet; run a round first (demur round)"
        ) from None
    return (found.st_ino, found.st_mtime_ns, found.st_size)
