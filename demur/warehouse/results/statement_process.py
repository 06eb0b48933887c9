"""Statements of readers, each in a process of its own. The operating system limits the memory of the process.

DuckDB's own limit does not bound the values of functions and the rows of a result: one `repeat` can take gigabytes. A
process that is stopped, or that wants too much memory, harms no other statement and no page.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import threading
import time
import uuid
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection as Channel
from multiprocessing.connection import Pipe
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final

import duckdb

from demur.warehouse.connection import reading
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home
from demur.warehouse.results.query import (
    QueryResult,
    Row,
    StatementStoppedError,
    StopSignal,
    confine,
    explanation,
    one_statement,
)

PROCESS_MEGABYTES: Final = 512
"""Private memory of a statement's process (RLIMIT_DATA). 110 of it are DuckDB's own before the statement begins."""
_DUCKDB_MEMORY: Final = "200MB"
"""Memory of DuckDB before it spills to disk; the rest is for values and rows, which DuckDB does not count."""
_SPILLED: Final = "1GB"
_THREADS: Final = 1
"""Each thread reserves 8 MB for its stack and has buffers of its own; statements at once share the cores."""
PART_BYTES: Final = 4 * 2**20
MOST_BYTES: Final = 16 * 2**20
"""Most bytes of a page's rows, and of a single row. The page holds several copies of them."""
_START_SECONDS: Final = 60.0
_LOOK_SECONDS: Final = 0.05
_TOO_MUCH: Final = (
    f"SQL: the statement wanted more memory than the {PROCESS_MEGABYTES} MB that one statement may have here. Ask for "
    "fewer or shorter rows, or use `demur sql`"
)
_NOT_STARTED: Final = (
    "SQL: the process of the statement does not start; the explorer's terminal shows why. Make sure that memory is "
    "free, and try again"
)


@dataclass(frozen=True, slots=True)
class StatementRequest:
    """A statement, and where its process finds the data.

    Attributes:
        home: the home.
        copy: path of the published copy.
        tables: a file with the explorer's own tables; None if they are not made yet.
        sql: the statement.
        values: the values of its parameters.
        spill: a folder for data that DuckDB spills to disk. It is deleted at the end.
    """

    home: Home
    copy: Path
    tables: Path | None
    sql: str
    values: Mapping[str, object]
    spill: Path


class StatementProcess:
    """A process that waits for a statement. It ends when this end of the channel is closed, also by a crash."""

    def __init__(self) -> None:
        self.channel, theirs = Pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", __name__, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is meant for the explorer
        )
        theirs.close()

    @property
    def id(self) -> int:
        """The id of the process."""
        return self._process.pid

    @property
    def runs(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    def end(self) -> int:
        """End the process; return its exit status."""
        self._process.kill()
        self.channel.close()
        return self._process.wait()


class StatementProcesses:
    """The processes of an explorer. One waits with everything imported, so that a statement begins at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[StatementProcess] = []
        self._ended = weakref.finalize(self, _end_all, self._waiting)

    def prepare(self) -> None:
        """Start the process of the next statement, unless it waits already."""
        with self._lock:
            if not self._waiting:
                self._waiting.append(StatementProcess())

    def start(
        self, asked: StatementRequest, seconds: float, stop: StopSignal, ended: Callable[[], object]
    ) -> "LimitedStatement":
        """Start a statement; `ended` is called when its process has ended.

        Raises:
            WarehouseError: as `LimitedStatement`.
        """
        with self._lock:
            process = self._waiting.pop() if self._waiting else StatementProcess()
        if not process.runs:
            process.end()
            process = StatementProcess()
        with contextlib.suppress(OSError):  # too many processes: the next statement tries again
            self.prepare()
        statement = LimitedStatement(process, asked, stop, ended)
        statement.begin(seconds)
        return statement


def _end_all(waiting: list[StatementProcess]) -> None:
    while waiting:
        waiting.pop().end()


class LimitedStatement:
    """One reading statement in a process of its own; rows are fetched in parts."""

    def __init__(
        self, process: StatementProcess, asked: StatementRequest, stop: StopSignal, ended: Callable[[], object]
    ) -> None:
        self._channel = process.channel
        self._asked = asked
        self._stop = stop
        self._seconds = 0.0
        self._end = weakref.finalize(self, _end, process, asked.spill, ended)
        self.process_id = process.id
        self.columns: tuple[str, ...] = ()

    def begin(self, seconds: float) -> None:
        """Send the statement, and wait until it has begun. It and each part of its rows may take `seconds`.

        Raises:
            WarehouseError: the text is not exactly one reading statement, DuckDB refuses it, or it wants too much
                memory.
            StatementStoppedError: the statement took longer than `seconds` to begin, or was stopped.
        """
        self._seconds = _START_SECONDS
        self._reply(broken=_NOT_STARTED)
        self._seconds = seconds
        self.columns = self._reply(self._asked)

    def first(self, limit: int) -> QueryResult:
        """Return the first rows, at most `limit`, and then stop the statement.

        Raises:
            WarehouseError: as `fetch`, or the rows have more than MOST_BYTES.
        """
        rows: list[Row] = []
        size = 0
        while len(rows) <= limit and (part := self._part(limit + 1 - len(rows)))[1]:
            rows += part[0]
            if (size := size + part[1]) > MOST_BYTES:
                self.close()
                raise WarehouseError(
                    f"SQL: the first {len(rows):,} rows have more than {MOST_BYTES >> 20} MB. Ask for fewer or shorter "
                    "rows, or download them as CSV"
                )
        self.close()
        return QueryResult(self.columns, rows[:limit], len(rows) > limit)

    def fetch(self, count: int) -> list[Row]:
        """Return the next rows, at most `count` and about PART_BYTES; an empty list if no rows remain.

        Raises:
            WarehouseError: DuckDB reports an error, or the statement wants too much memory.
            StatementStoppedError: the rows took longer than allowed, or the statement was stopped.
        """
        return self._part(count)[0]

    def close(self) -> None:
        """End the statement and its process; a second call changes nothing."""
        self._end()

    def _part(self, count: int) -> tuple[list[Row], int]:
        found: tuple[list[Row], int] = self._reply(count)
        return found

    def _reply(self, request: object = None, broken: str = _TOO_MUCH) -> Any:
        channel = self._channel
        until = time.monotonic() + self._seconds
        try:
            if request is not None:
                channel.send(request)
            while not channel.poll(_LOOK_SECONDS):
                if self._stop.given.done():
                    raise StatementStoppedError("SQL: stopped")
                if time.monotonic() > until:
                    raise StatementStoppedError(
                        f"SQL: stopped after {self._seconds:g} s; ask for less, or use `demur sql`, which has no time "
                        "limit"
                    )
            reply = channel.recv()
        except (EOFError, OSError) as exc:
            self.close()
            raise WarehouseError(broken) from exc
        except BaseException:
            self.close()
            raise
        if isinstance(reply, WarehouseError):
            self.close()
            raise reply
        return reply


def _end(process: StatementProcess, spill: Path, ended: Callable[[], object]) -> None:
    process.end()
    shutil.rmtree(spill, ignore_errors=True)
    ended()


def main(handle: int) -> None:
    """Run one statement and send its rows, as the other end of the channel asks for them."""
    channel = Channel(handle)
    requests: SimpleQueue[Any] = SimpleQueue()
    _limit_memory()
    threading.Thread(target=_listen, args=(channel, requests), daemon=True).start()
    duckdb.connect(":memory:", config={"threads": _THREADS}).close()  # loads what the first connection loads
    channel.send("ready")
    try:
        _answer(channel, requests)
    except WarehouseError as exc:
        channel.send(exc)
    except (MemoryError, OSError):
        channel.send(WarehouseError(_TOO_MUCH))


def _listen(channel: Channel, requests: "SimpleQueue[Any]") -> None:
    """Put requests into a queue. End the process when nobody waits for it, also while DuckDB works."""
    while True:
        try:
            requests.put(channel.recv())
        except (EOFError, OSError):
            os._exit(0)


def _answer(channel: Channel, requests: "SimpleQueue[Any]") -> None:
    asked: StatementRequest = requests.get()
    with contextlib.suppress(OSError):  # of a home that takes no file; few statements spill
        asked.spill.mkdir(parents=True)
    with reading(asked.home, memory_limit=_DUCKDB_MEMORY, copy=asked.copy, threads=_THREADS) as con:
        con.execute(f"SET temp_directory = '{quoted(asked.spill)}'; SET max_temp_directory_size = '{_SPILLED}'")
        if asked.tables is not None:
            con.execute(f"ATTACH '{quoted(asked.tables)}' AS made (READ_ONLY)")
            con.execute("SET search_path = 'made.main,warehouse.main'")
        confine(con)
        try:
            cursor = con.execute(one_statement(con, asked.sql), dict(asked.values) or None)
            channel.send(tuple(str(column[0]) for column in cursor.description))
            left: list[Row] = []
            while True:
                channel.send(_next_part(cursor, left, requests.get()))
        except duckdb.OutOfMemoryException as exc:
            raise WarehouseError(_TOO_MUCH) from exc
        except duckdb.Error as exc:
            raise WarehouseError(explanation(asked.sql, exc)) from exc


def _next_part(cursor: Any, left: list[Row], count: int) -> tuple[list[Row], int]:
    """Return the next rows, at most `count`, and their size; `left` holds rows that were fetched but not sent."""
    rows: list[Row] = []
    size = 0
    while len(rows) < count and size < PART_BYTES:
        if not left:
            left += cursor.fetchmany(100)
            left.reverse()
            if not left:
                break
        row = left.pop()
        if (bytes_of_row := _size(row)) > MOST_BYTES:
            raise WarehouseError(
                f"SQL: a row has more than {MOST_BYTES >> 20} MB. Ask for a part of it, such as left(column, 1000)"
            )
        rows.append(row)
        size += bytes_of_row
    return rows, size


def _size(value: object) -> int:
    """Return the size of a value in bytes, roughly: texts and lists count, other values count little."""
    if isinstance(value, (str, bytes)):
        return len(value)
    if isinstance(value, Mapping):
        return sum(_size(one) for pair in value.items() for one in pair)
    if isinstance(value, (list, tuple)):
        return 16 * len(value) + sum(map(_size, value))
    return 32


def quoted(path: Path) -> str:
    """Return a path as the content of a quoted text in SQL; ATTACH and SET take no parameters."""
    return str(path).replace("'", "''")


def _limit_memory() -> None:
    """Limit the private memory of this process, if the operating system can do this.

    RLIMIT_AS would count the address space that threads and allocators reserve, which is 780 MB before any statement.
    """
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        limit = PROCESS_MEGABYTES * 2**20
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    with contextlib.suppress(OSError):  # if memory is short all the same, the system ends this process first
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def new_spill(home: Home) -> Path:
    """Return the path of a new folder for data that a statement spills to disk."""
    return home.spill / f"statement-{uuid.uuid4().hex[:12]}"


if __name__ == "__main__":
    main(int(sys.argv[1]))
    os._exit(0)
