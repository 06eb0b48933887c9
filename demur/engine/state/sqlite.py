"""The state in a SQLite file of the home, for processes on one machine.

One thread of each process writes. Work submitted during a commit is committed together, with one sync of the disk.
Every read has its own connection, which waits for no writer.
"""

import errno
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import closing, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, Final

from demur.engine.state.database import VERSION, Database, Rows, Transaction, Values, is_current, tables, text_of
from demur.engine.state.locks import FileLock, Holder, file_holder
from demur.levers.durable import sync_directory

BUSY_SECONDS: Final = 30.0
"""Longest wait for the commit of another process."""
IDLE_SECONDS: Final = 5.0
"""Time without work after which the writing thread ends and closes its connection."""
CHECKPOINT_PAGES: Final = 16_384
"""Number of pages (4 KiB) in the write-ahead log at which a checkpoint starts. The number is large so that checkpoints
are rare: a copy of database and log that is made during a checkpoint may lack changes."""


class _Writer:
    def __init__(self, con: sqlite3.Connection) -> None:
        self._con = con

    def run(self, name: str, values: Values) -> Rows:
        return self._con.execute(text_of(name), values).fetchall()

    def run_each(self, name: str, values: Iterable[Values]) -> None:
        self._con.executemany(text_of(name), values)


class _Submitted:
    def __init__(self, work: Callable[[Transaction], Any], durable: bool) -> None:
        self.work = work
        self.durable = durable
        self.future: Future[Any] = Future()
        self.future.set_running_or_notify_cancel()  # work cannot be cancelled
        self.result: Any = None
        self.error: BaseException | None = None

    def settle(self, failure: BaseException | None = None) -> None:
        if (error := failure or self.error) is not None:
            self.future.set_exception(error)
        else:
            self.future.set_result(self.result)


class SqliteDatabase(Database):
    """A SQLite file."""

    several_machines = False
    _pid: int
    _lock: Lock
    _queue: "SimpleQueue[_Submitted | None]"
    _thread: Thread | None

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self._home: tuple[int, int] | None = None
        self._begin()

    def __str__(self) -> str:
        """Return the path of the file."""
        return str(self.path)

    @property
    def remedy(self) -> str:
        """The remedy if the file cannot be used."""
        return "it must be a file on a disk of this machine that can be written"

    def submit(self, work: Callable[[Transaction], Any], *, durable: bool = True) -> "Future[Any]":
        """Return the future of the result of `work` in a transaction."""
        if self._pid != os.getpid():
            self._begin()  # threads and connections belong to the parent process
        submitted = _Submitted(work, durable)
        with self._lock:
            if self._thread is None:
                thread = Thread(target=self._write, name="state-writer", daemon=True)
                thread.start()
                self._thread = thread
            self._queue.put(submitted)
        return submitted.future

    def read(self, name: str, values: Values, *, patient: bool = True) -> Rows:
        """Return the rows of a statement; an empty list if the file does not exist."""
        [rows] = self.read_each(name, [values])
        return rows

    def read_each(self, name: str, values: Iterable[Values]) -> list[Rows]:
        """Return the rows of a statement for each set of values; empty lists if the file does not exist."""
        each = list(values)
        if not self.path.exists():
            return [[] for _ in each]
        try:
            # without a log no process writes; an immutable file is then read without creating a log
            how = "mode=ro" if _log(self.path).exists() else "immutable=1"
            with closing(_connected(f"{self.path.as_uri()}?{how}")) as con:
                if not _has_tables(con, self.path):
                    return [[] for _ in each]
                return [con.execute(text_of(name), one).fetchall() for one in each]
        except sqlite3.Error as exc:
            raise failure(self.path, exc) from exc

    def lock(self, name: str, part: str = "") -> FileLock | None:
        """Return the lock of a name or part; None if it is taken already."""
        return FileLock.taken(self._locks / f"{name}@{part}")

    def holder(self, name: str) -> Holder | None:
        """Return the process that has the lock of a name; None if there is none."""
        return file_holder(self._locks / f"{name}@")

    def has_locked_parts(self, name: str) -> bool:
        """Return whether a process has the lock of a part of what has this name."""
        return any(file_holder(path) is not None for path in self._locks.glob(f"{name}@?*"))

    @property
    def _locks(self) -> Path:
        return self.path.with_name("locks")

    def facts(self) -> tuple[str, float]:
        """Return SQLite's version, and 0.0 because SQLite uses the clock of this machine."""
        self.transact(lambda transaction: transaction.run("progress", {"home": ""}))
        return f"SQLite {sqlite3.sqlite_version}", 0.0

    def shrink(self) -> None:
        """Give the space of deleted rows back to the disk, unless another process is writing."""
        with suppress(sqlite3.OperationalError), closing(_connected(str(self.path))) as con:
            con.execute("VACUUM")
            con.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """End the writing thread after all submitted work, and close its connection."""
        if self._pid != os.getpid():
            self._begin()
        with self._lock:
            thread = self._thread
            if thread is not None:
                self._queue.put(None)
        if thread is not None:
            thread.join()

    def _begin(self) -> None:
        self._pid = os.getpid()
        self._lock = Lock()
        self._queue = SimpleQueue()
        self._thread = None

    def _write(self) -> None:
        """Commit submitted work in groups until no more work comes."""
        opened: _Opened | None = None
        try:
            while (group := self._next_group()) is not None:
                try:
                    if opened is None or not opened.is_current():
                        _close(opened)
                        opened = None
                        self._check_home()
                        opened = _Opened(self.path)
                        self._home = _identity(self.path.parent)
                    opened.commit(group)
                except BaseException as exc:
                    error: BaseException = exc
                    if isinstance(exc, sqlite3.Error):
                        error = failure(self.path, exc)
                        _close(opened)
                        opened = None
                    for one in group:
                        one.settle(error)
                else:
                    for one in group:
                        one.settle()
        finally:
            _close(opened)

    def _check_home(self) -> None:
        """Check that the directory of the file is the one of before: a disk may be unmounted while a round works.

        Raises:
            OSError: it is another directory, or there is none.
        """
        if self._home is not None and _identity(self.path.parent) != self._home:
            why = (
                "the directory was moved, deleted, unmounted or replaced while work went on: put it back, or run again"
            )
            raise OSError(errno.ESTALE, why, str(self.path.parent))

    def _next_group(self) -> list[_Submitted] | None:
        """Wait for submitted work and return all of it; None if the thread must end."""
        try:
            first = self._queue.get(timeout=IDLE_SECONDS)
        except Empty:
            first = None
        if first is None:
            with self._lock:
                if self._queue.empty():
                    self._thread = None
                    return None
            return self._next_group()
        group = [first]
        with suppress(Empty):
            while (another := self._queue.get_nowait()) is not None:
                group.append(another)
            self._queue.put(None)
        return group


class _Opened:
    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.con = _connected(str(path))
        try:
            _make_tables(self.con, path)
            self._durable = True
            self._file = _identity(path)
        except BaseException:
            self.con.close()
            raise

    def is_current(self) -> bool:
        """Return False if the file was replaced since it was opened: a home may be deleted and created again."""
        return _identity(self._path) == self._file

    def commit(self, group: list[_Submitted]) -> None:
        """Run all work in one transaction. If one piece of work fails, only this piece is rolled back."""
        durable = any(one.durable for one in group)
        if durable != self._durable:
            self.con.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._durable = durable
        self.con.execute("BEGIN IMMEDIATE")
        try:
            if len(group) == 1:
                group[0].result = group[0].work(_Writer(self.con))
            else:
                for one in group:
                    self._do(one)
            self.con.execute("COMMIT")
        finally:
            if self.con.in_transaction:
                self.con.execute("ROLLBACK")

    def _do(self, one: _Submitted) -> None:
        self.con.execute("SAVEPOINT one")
        try:
            one.result = one.work(_Writer(self.con))
        except Exception as exc:
            if not self.con.in_transaction:  # as on a full disk: the whole group is rolled back
                raise
            one.error = failure(self._path, exc) if isinstance(exc, sqlite3.Error) else exc
            self.con.execute("ROLLBACK TO one")
        self.con.execute("RELEASE one")


def _close(opened: _Opened | None) -> None:
    if opened is not None:
        with suppress(sqlite3.Error):
            opened.con.close()


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _connected(address: str) -> sqlite3.Connection:
    return sqlite3.connect(address, timeout=BUSY_SECONDS, isolation_level=None, uri=address.startswith("file:"))


def _make_tables(con: sqlite3.Connection, path: Path) -> None:
    """Create the tables of a new file; one process at a time."""
    con.execute("PRAGMA journal_mode = WAL")
    con.execute("PRAGMA synchronous = FULL")
    con.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
    if not _has_tables(con, path):
        con.execute("BEGIN IMMEDIATE")
        if not _has_tables(con, path):
            for text in tables():
                con.execute(text)
            con.execute(f"PRAGMA user_version = {VERSION}")
        con.execute("COMMIT")
        sync_directory(path.parent)


def _has_tables(con: sqlite3.Connection, path: Path) -> bool:
    """Return whether a file has its tables; False for a new file."""
    [(version,)] = con.execute("PRAGMA user_version").fetchall()
    return is_current(path, version, "set DEMUR_HOME to another directory")


def failure(path: Path, exc: sqlite3.Error) -> OSError:
    """Return the OSError for an error of SQLite, with the cause in the file system if it can be found."""
    name = getattr(exc, "sqlite_errorname", "")
    if name.startswith("SQLITE_FULL"):
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
    if name.startswith("SQLITE_BUSY"):
        why = f"another program has kept the file locked for {BUSY_SECONDS:.0f} s: end it"
        return OSError(errno.EBUSY, why, str(path))
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        why = (
            f"the file is damaged ({exc}). It holds answers that no warehouse has yet, and what may have been billed; "
            "put back a copy, or else move it away with its -wal file, and lower budget.max_usd by what may be missing"
        )
        return OSError(errno.EUCLEAN, why, str(path))
    if name.startswith(("SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_READONLY")) and (found := _refusal(path)):
        return OSError(found.errno, found.strerror, str(path))
    return OSError(errno.EIO, f"{exc} ({name})", str(path))


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _refusal(path: Path) -> OSError | None:
    """Return the system's error of a trial write in the database's folder; None if the write succeeds.

    The trial opens the database's file for writing. Then it writes one page into a temporary file, at the offset where
    the write-ahead log ends.
    """
    log = _log(path)
    try:
        with suppress(FileNotFoundError), path.open("r+b"):
            pass
        with tempfile.TemporaryFile(dir=path.parent) as file:
            os.pwrite(file.fileno(), bytes(4096), log.stat().st_size if log.exists() else 0)
            os.fsync(file.fileno())
    except OSError as exc:
        return exc
    return None
