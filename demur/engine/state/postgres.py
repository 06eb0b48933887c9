"""The state in the PostgreSQL database of DEMUR_STATE, for processes on all machines."""

import logging
import os
import re
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from threading import Lock
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import psycopg
from psycopg_pool import ConnectionPool, PoolTimeout

from demur.engine.logs import observer
from demur.engine.state.database import VERSION, Database, Rows, Transaction, Values, is_current, tables, text_of
from demur.engine.state.locks import BEAT_SECONDS, SILENT_SECONDS, SURE_SECONDS, Holder

T = TypeVar("T")

TIMEOUT_SECONDS: Final = 3
STATEMENT_SECONDS: Final = 30
"""Longest time of a statement with many rows. A broken connection is noticed earlier."""
PATIENCE_SECONDS: Final = 300.0
"""Time for which statements are repeated while the database is away, such as during a restart or a failover."""
PAUSE_SECONDS: Final = 0.5
OLDEST: Final = 140_000
"""The oldest version of PostgreSQL that ends silent sessions, as libpq counts versions."""
MOST_CONNECTIONS: Final = 8
_NETWORK: Final[dict[str, Any]] = {
    "connect_timeout": TIMEOUT_SECONDS,
    "keepalives_idle": 1,
    "keepalives_interval": 1,
    "keepalives_count": 2,
    "tcp_user_timeout": 3_000,
}
"""Connection parameters by which a broken connection is noticed in time. tcp_user_timeout is in milliseconds."""
_REFUSED: Final = (
    psycopg.errors.InvalidAuthorizationSpecification,
    psycopg.errors.InvalidPassword,
    psycopg.errors.InvalidCatalogName,
)
_VALUE: Final = re.compile(r"(?<!:):([a-z_]+)")


class AwayError(ConnectionError):
    """A database does not answer now and may answer soon."""


class _Work:
    def __init__(self, con: "psycopg.Connection[Any]") -> None:
        self._con = con

    def run(self, name: str, values: Values) -> Rows:
        found = self._con.execute(_text_of(name), values)
        return found.fetchall() if found.description else []

    def run_each(self, name: str, values: Iterable[Values]) -> None:
        with self._con.cursor() as cursor:
            cursor.executemany(_text_of(name), values)


class LockSession:
    """A connection that holds advisory locks, and is used each second, since the server ends a silent one."""

    def __init__(self, address: str) -> None:
        parameters = _parameters(STATEMENT_SECONDS)
        parameters["options"] += f" -c idle_session_timeout={SILENT_SECONDS:.0f}s"
        parameters["application_name"] = f"demur {os.getpid()} {socket.gethostname()}"[:60]
        self._con = psycopg.connect(address, **parameters)
        self._one_at_a_time = threading.Lock()
        self._lasted_at = time.monotonic()
        self._ended = threading.Event()
        self.taken: set[tuple[str, str]] = set()
        """Names and parts that the session has locked: the server would give it each of them again."""
        threading.Thread(target=self._beat, name="locks", daemon=True).start()

    def run(self, query: str, values: Values) -> Rows:
        """Run a statement; an error ends the session.

        Raises:
            psycopg.Error: the session has ended.
        """
        with self._one_at_a_time:
            asked_at = time.monotonic()
            try:
                found = self._con.execute(query.encode(), values).fetchall()
            except psycopg.Error:
                self._ended.set()
                self._con.close()
                raise
            self._lasted_at = asked_at
            return found

    def lasts(self) -> bool:
        """Return whether the server has not ended the session. If that is not sure, the server is asked."""
        if not self._ended.is_set() and time.monotonic() - self._lasted_at > SURE_SECONDS:
            with suppress(psycopg.Error):
                self.run("SELECT 1", {})
        return not self._ended.is_set()

    def close(self) -> None:
        """End the session, and so free its locks."""
        self._ended.set()
        with self._one_at_a_time:
            self._con.close()

    def _beat(self) -> None:
        while not self._ended.wait(BEAT_SECONDS):
            with suppress(psycopg.Error):
                self.run("SELECT 1", {})


@dataclass(frozen=True, slots=True)
class AdvisoryLock:
    """A lock of a session."""

    session: LockSession
    name: str
    part: str

    def is_held(self) -> bool:
        """Return whether the session lasts."""
        return self.session.lasts()

    def release(self) -> None:
        """Free the lock. A session without locks ends."""
        self.session.taken.discard((self.name, self.part))
        with suppress(psycopg.Error):
            self.session.run(f"SELECT pg_advisory_unlock({_KEY})", {"name": self.name, "part": self.part})
        if not self.session.taken:
            self.session.close()


_KEY: Final = "hashtext(%(name)s), hashtext(%(name)s || '/' || %(part)s)"
"""Two numbers, so that the locks of a name's parts can be found by the first one."""
_LOCKED: Final = """
SELECT activity.application_name, activity.state_change
FROM pg_locks JOIN pg_stat_activity AS activity USING (pid)
WHERE locktype = 'advisory' AND objsubid = 2 AND granted
  AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND classid::bigint = hashtext(%(name)s)::bigint & 4294967295
  AND (objid::bigint = hashtext(%(name)s || '/')::bigint & 4294967295) = %(whole)s
"""


class PostgresDatabase(Database):
    """A PostgreSQL database with the schema `demur`, and a pool of connections. A missing schema is created."""

    several_machines = True
    _pid: int
    _lock: Lock
    _pool: ConnectionPool | None
    _locks: LockSession | None
    _threads: ThreadPoolExecutor
    _away_since: float | None

    def __init__(self, address: str) -> None:
        self._address = address
        self._begin()

    def __str__(self) -> str:
        """Return the address of the database, without user and password."""
        return place_of(self._address)

    @property
    def remedy(self) -> str:
        """The remedy if the database cannot be used."""
        return "check DEMUR_STATE, and check that the database answers and takes this user"

    def submit(self, work: Callable[[Transaction], T], *, durable: bool = True) -> "Future[T]":
        """Return the future of the result of `work` in a transaction.

        While the database is away, `work` is repeated.
        """
        self._own()
        return self._threads.submit(self.transact, work)

    def transact(self, work: Callable[[Transaction], T], *, durable: bool = True, patient: bool = True) -> T:
        """Return the result of `work` in a transaction.

        If `patient` is True, `work` is repeated while the database is away, for at most PATIENCE_SECONDS.

        Raises:
            AwayError: the database stays away, or is away now and `patient` is False.
            OSError: the database refuses the connection or the statement.
        """

        def attempt() -> T:
            with self._connection() as con, con.transaction():
                return work(_Work(con))

        return self._patiently(attempt) if patient else attempt()

    def read(self, name: str, values: Values, *, patient: bool = True) -> Rows:
        """Return the rows of a statement. The statement is repeated like `work` in `transact`."""

        def attempt() -> Rows:
            with self._connection() as con:
                return _Work(con).run(name, values)

        return self._patiently(attempt) if patient else attempt()

    def read_each(self, name: str, values: Iterable[Values]) -> list[Rows]:
        """Return the rows of a statement for each set of values. They are repeated like `work` in `transact`."""
        each = list(values)

        def attempt() -> list[Rows]:
            with self._connection() as con, con.pipeline():
                cursors = [con.execute(_text_of(name), one) for one in each]
                return [cursor.fetchall() for cursor in cursors]

        return self._patiently(attempt)

    def write(self, name: str, values: Values, *, durable: bool = True) -> Rows:
        """Return the rows of a statement after its commit. The statement is repeated like `work` in `transact`."""
        return self.read(name, values)

    def submit_write(self, name: str, values: Values) -> "Future[Rows]":
        """Return the future of the rows of a statement."""
        self._own()
        return self._threads.submit(self.write, name, values)

    def lock(self, name: str, part: str = "") -> AdvisoryLock | None:
        """Return the lock of a name or part; None if it is taken already. While the database is away, wait for it."""

        def attempt() -> AdvisoryLock | None:
            self._own()
            try:
                with self._lock:
                    if self._locks is None or not self._locks.lasts():
                        self._locks = LockSession(self._address)
                    session = self._locks
                    if (name, part) in session.taken:
                        return None
                    if session.run(f"SELECT pg_try_advisory_lock({_KEY})", {"name": name, "part": part}) == [(False,)]:
                        return None
                    session.taken.add((name, part))
                    return AdvisoryLock(session, name, part)
            except psycopg.Error as exc:
                raise failure(self._address, exc) from exc

        return self._patiently(attempt)

    def holder(self, name: str) -> Holder | None:
        """Return the process that has the lock of a name; None if there is none."""
        for said, seen in self._locked(name, whole=True):
            _, pid, host = said.split(" ", 2)
            return Holder(f"PID {pid} on {host}", seen)
        return None

    def has_locked_parts(self, name: str) -> bool:
        """Return whether a process has the lock of a part of what has this name."""
        return bool(self._locked(name, whole=False))

    def _locked(self, name: str, *, whole: bool) -> Rows:
        with self._connection() as con:
            return con.execute(_LOCKED, {"name": name, "whole": whole}).fetchall()

    def facts(self) -> tuple[str, float]:
        """Return the server's version, and the seconds by which the server's clock is ahead of the local clock."""
        before = datetime.now(UTC)
        with self._connection() as con:
            [(version, now)] = con.execute("SELECT current_setting('server_version'), clock_timestamp()").fetchall()
        half = (datetime.now(UTC) - before) / 2
        return f"PostgreSQL {version}", (now - before - half).total_seconds()

    def shrink(self) -> None:
        """Do nothing: the server uses the space of deleted rows again."""

    def close(self) -> None:
        """Close all connections."""
        self._own()
        with self._lock:
            if self._pool is not None:
                self._pool.close()
            self._pool = None
            if self._locks is not None:
                self._locks.close()
            self._locks = None

    def _begin(self) -> None:
        self._pid = os.getpid()
        self._lock = Lock()
        self._pool = None
        self._locks = None
        self._threads = ThreadPoolExecutor(MOST_CONNECTIONS, "state-writer")
        self._away_since = None

    def _own(self) -> None:
        """Reset threads and connections in a forked process, since these belong to the parent process."""
        if self._pid != os.getpid():
            self._begin()

    def _patiently(self, attempt: Callable[[], T]) -> T:
        """Return the result of `attempt`.

        While the database is away, `attempt` is called again, for at most PATIENCE_SECONDS. A connection may break
        after the commit of its statement, so `attempt` must be idempotent.
        """
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                found = attempt()
            except AwayError as exc:
                if time.monotonic() >= deadline:
                    raise
                self._note_away(exc)
                time.sleep(PAUSE_SECONDS)
            else:
                self._note_back()
                return found

    @contextmanager
    def _connection(self) -> "Iterator[psycopg.Connection[Any]]":
        self._own()
        try:
            with self._opened().connection() as con:
                yield con
        except psycopg.Error as exc:
            raise failure(self._address, exc) from exc

    def _check(self, con: "psycopg.Connection[Any]") -> None:
        """Check that a connection works. Drop all connections if it is broken, since a restart breaks all of them."""
        try:
            ConnectionPool.check_connection(con)
        except psycopg.Error:
            if self._pool is not None:
                self._pool.drain()
            raise

    def _note_away(self, exc: AwayError) -> None:
        with self._lock:
            if self._away_since is not None:
                return
            self._away_since = time.monotonic()
        observer().notice(f"DEMUR_STATE: {exc}; trying again for {PATIENCE_SECONDS / 60:.0f} minutes, nothing is lost")

    def _note_back(self) -> None:
        with self._lock:
            since = self._away_since
            self._away_since = None
        if since is not None:
            observer().notice(f"DEMUR_STATE: {self}: answers again, after {time.monotonic() - since:.0f} s")

    def _opened(self) -> ConnectionPool:
        with self._lock:
            if self._pool is None:
                with psycopg.connect(self._address, **_parameters(STATEMENT_SECONDS)) as con:
                    _make_tables(con, self._address)
                logging.getLogger("psycopg.pool").setLevel(logging.ERROR)  # the caller reports the error
                self._pool = ConnectionPool(
                    self._address,
                    kwargs=_parameters(STATEMENT_SECONDS),
                    check=self._check,
                    min_size=0,
                    max_size=MOST_CONNECTIONS,
                    timeout=TIMEOUT_SECONDS,
                    reconnect_timeout=TIMEOUT_SECONDS,
                    open=True,
                )
            return self._pool


def place_of(address: str) -> str:
    """Return the address of a database without user and password."""
    at = urlsplit(address)
    return f"postgresql://{at.hostname or ''}{f':{at.port}' if at.port else ''}{at.path}"


@cache
def _text_of(name: str) -> bytes:
    return _VALUE.sub(r"%(\1)s", text_of(name)).encode()


def _parameters(statement_seconds: int) -> dict[str, Any]:
    options = f"-c statement_timeout={statement_seconds}s -c synchronous_commit=on -c search_path=demur"
    # a database made in the locale C (SQL_ASCII) converts nothing, and psycopg would give its texts as bytes
    return {**_NETWORK, "autocommit": True, "options": options, "client_encoding": "utf8"}


def failure(address: str, exc: psycopg.Error) -> OSError:
    """Return the OSError for an error of psycopg; an AwayError if the database may answer soon."""
    if isinstance(exc, PoolTimeout):  # does not give the reason why there is no connection
        try:
            psycopg.connect(address, **_parameters(TIMEOUT_SECONDS)).close()
        except psycopg.Error as why:
            exc = why
    text = f"{place_of(address)}: {' '.join(str(exc).split()) or type(exc).__name__}"
    if isinstance(exc, psycopg.errors.InsufficientPrivilege):
        return OSError(
            f"{text}. If this role may not create the schema 'demur' or its tables, run `demur doctor` once as a role "
            "that may, and grant this role USAGE on the schema and SELECT, INSERT, UPDATE, DELETE on its tables"
        )
    away = isinstance(exc, psycopg.OperationalError | psycopg.errors.ReadOnlySqlTransaction)
    return AwayError(text) if away and not isinstance(exc, _REFUSED) else OSError(text)


def _make_tables(con: "psycopg.Connection[Any]", address: str) -> None:
    """Create the schema and its tables, one process at a time.

    An advisory lock admits one process. The lock is taken before the transaction, so that the transaction sees tables
    that other processes have created. The lock ends with the connection.
    """
    if con.info.server_version < OLDEST:
        raise OSError(f"{place_of(address)} is a PostgreSQL {con.info.server_version // 10_000}; 14 or later is needed")
    if _has_tables(con, address):
        return
    con.execute("SELECT pg_advisory_lock(hashtextextended('demur', 1))")
    with con.transaction():
        if _has_tables(con, address):
            return
        if con.execute("SELECT to_regnamespace('demur')").fetchone() == (None,):
            con.execute("CREATE SCHEMA demur")
        for text in tables():
            con.execute(text.encode())
        con.execute(f"COMMENT ON TABLE demur.calls IS 'version {VERSION}'".encode())


def _has_tables(con: "psycopg.Connection[Any]", address: str) -> bool:
    there = con.execute("SELECT to_regnamespace('demur') IS NOT NULL AND to_regclass('demur.calls') IS NOT NULL")
    if there.fetchone() != (True,):
        return False
    [(said,)] = con.execute("SELECT obj_description(to_regclass('demur.calls'))").fetchall()
    version = re.fullmatch(r"version (\d+)", said or "")
    elsewhere = "name another database (DEMUR_STATE)"
    return is_current(place_of(address), int(version[1]) if version else None, elsewhere)
