"""The database that DEMUR_STATE names: its connections, its migrations, and what its errors say."""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import psycopg
from psycopg_pool import ConnectionPool, PoolTimeout

from demur.engine.progress import observer
from demur.warehouse.errors import LandingError, WarehouseError

T = TypeVar("T")

TIMEOUT_SECONDS: Final = 3
STATEMENT_SECONDS: Final = 30
"""The longest that a statement may take which brings many rows; a link that is cut is noticed sooner."""
PATIENCE_SECONDS: Final = 300.0
"""How long what is asked of a database is tried again while it is away: it may be started anew, or fail over."""
PAUSE_SECONDS: Final = 0.5
MOST_CONNECTIONS: Final = 8
REMEDY: Final = "check DEMUR_STATE, and that the database answers and takes this user"
_NETWORK: Final[dict[str, Any]] = {
    "connect_timeout": TIMEOUT_SECONDS,
    "keepalives_idle": 1,
    "keepalives_interval": 1,
    "keepalives_count": 2,
    "tcp_user_timeout": 3_000,
}
"""So that a link that is cut is noticed in time; tcp_user_timeout is in milliseconds."""
_SQL: Final = Path(__file__).parent / "state"
_REFUSED: Final = (
    psycopg.errors.InvalidAuthorizationSpecification,
    psycopg.errors.InvalidPassword,
    psycopg.errors.InvalidCatalogName,
)


class AwayError(ConnectionError):
    """A database does not answer now, and may in a moment."""


def place_of(address: str) -> str:
    """Return the address of a database without user and password."""
    at = urlsplit(address)
    return f"postgresql://{at.hostname or ''}{f':{at.port}' if at.port else ''}{at.path}"


def connected(address: str, statement_seconds: int = STATEMENT_SECONDS) -> psycopg.Connection[Any]:
    """Return a connection to a database whose schema is that of this version."""
    con = psycopg.connect(address, **_parameters(statement_seconds))
    _migrate(con)
    return con


class Database:
    """A database and a pool of connections to it; statements are those of the folder `state`, by name."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._lock = Lock()
        self._pool: ConnectionPool | None = None
        self._away_since: float | None = None

    def __str__(self) -> str:
        """Return the place without user and password."""
        return place_of(self._address)

    def run(self, name: str, values: Mapping[str, object]) -> list[tuple[Any, ...]]:
        """Return the rows of a statement, which is committed then; tried again for minutes while the database is away.

        Raises:
            OSError: the database does not answer for so long, or refuses.
        """
        return self.patiently(lambda: self.run_once(name, values))

    def transact(self, work: Callable[[psycopg.Connection[Any]], T]) -> T:
        """Return what `work` does in a transaction; all of it is done again for minutes while the database is away.

        Raises:
            OSError: the database does not answer for so long, or refuses.
        """

        def attempt() -> T:
            with self._connection() as con, con.transaction():
                return work(con)

        return self.patiently(attempt)

    def run_once(self, name: str, values: Mapping[str, object]) -> list[tuple[Any, ...]]:
        """Return the rows of a statement, which is committed then.

        Raises:
            AwayError: the database does not answer now.
            OSError: it refuses.
        """
        with self._connection() as con:
            found = con.execute(text_of(name), values)
            return found.fetchall() if found.description else []

    def patiently(self, attempt: Callable[[], T]) -> T:
        """Return what an attempt does, which is made again for minutes while the database is away.

        A connection may break when its statement was committed already, so an attempt must bear to be made twice.

        Raises:
            OSError: the database does not answer for so long, or refuses.
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

    def facts(self) -> tuple[str, int, float]:
        """Return the server's version, how many migrations it has, and by how many seconds its clock is ahead."""
        before = datetime.now(UTC)
        [(version, now, migrations)] = self.run_once("facts", {})
        half = (datetime.now(UTC) - before) / 2
        return str(version), int(migrations), (now - before - half).total_seconds()

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            if self._pool is not None:
                self._pool.close()
            self._pool = None

    @contextmanager
    def _connection(self) -> Iterator[psycopg.Connection[Any]]:
        try:
            with self._opened().connection() as con:
                yield con
        except psycopg.Error as exc:
            raise failure(self._address, exc) from exc

    def _check(self, con: psycopg.Connection[Any]) -> None:
        """Return if a connection works; where it does not, a restart has broken all of that age, which are given up."""
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
                connected(self._address).close()
                logging.getLogger("psycopg.pool").setLevel(logging.ERROR)  # who asks says what is wrong
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


@cache
def database(address: str) -> Database:
    """Return the database of an address, one in a process."""
    return Database(address)


@cache
def text_of(name: str) -> bytes:
    """Return a statement."""
    return (_SQL / f"{name}.sql").read_bytes()


def _parameters(statement_seconds: int) -> dict[str, Any]:
    options = f"-c statement_timeout={statement_seconds}s -c synchronous_commit=on"
    return {**_NETWORK, "autocommit": True, "options": options}


def failure(address: str, exc: psycopg.Error) -> OSError:
    """Return the error for what a database, or the way to it, has raised: an AwayError where it may answer soon."""
    if isinstance(exc, PoolTimeout):  # which does not say why there is no connection
        try:
            psycopg.connect(address, **_parameters(TIMEOUT_SECONDS)).close()
        except psycopg.Error as why:
            exc = why
    text = f"{place_of(address)}: {' '.join(str(exc).split()) or type(exc).__name__}"
    if isinstance(exc, psycopg.errors.InsufficientPrivilege):
        return OSError(
            f"{text}. Where this role may not make the schema 'demur' or its tables, run `demur doctor` once as one "
            "that may, and grant this one USAGE on the schema and SELECT, INSERT, UPDATE, DELETE on its tables"
        )
    away = isinstance(exc, psycopg.OperationalError | psycopg.errors.ReadOnlySqlTransaction)
    return AwayError(text) if away and not isinstance(exc, _REFUSED) else OSError(text)


def _migrate(con: psycopg.Connection[Any]) -> None:
    """Bring the schema to the tables of this version, one process at a time; who finds them there only looks."""
    if not _missing_migrations(con):
        return
    with con.transaction():
        con.execute("SELECT pg_advisory_xact_lock(hashtextextended('demur', 1))")
        if con.execute("SELECT to_regnamespace('demur')").fetchone() == (None,):
            con.execute("CREATE SCHEMA demur")
        if con.execute("SELECT to_regclass('demur.migrations')").fetchone() == (None,):
            con.execute("CREATE TABLE demur.migrations (name text PRIMARY KEY)")
        for path in _missing_migrations(con):
            con.execute(path.read_bytes())
            con.execute("INSERT INTO demur.migrations VALUES (%s)", [path.stem])


def _missing_migrations(con: psycopg.Connection[Any]) -> list[Path]:
    """Return the migrations of this version that a database has not, in their order."""
    done: set[str] = set()
    if con.execute("SELECT to_regclass('demur.migrations')").fetchone() != (None,):
        done = {name for (name,) in con.execute("SELECT name FROM demur.migrations").fetchall()}
    return [path for path in sorted(_SQL.glob("[0-9]*.sql")) if path.stem not in done]


@contextmanager
def explained() -> Iterator[None]:
    """Turn what a database that does not answer raises into an error that says what to do."""
    try:
        yield
    except WarehouseError:
        raise
    except OSError as exc:
        raise LandingError(
            f"DEMUR_STATE: {exc}; check that the database answers and takes this user, then run the same command "
            "again: what was answered is kept"
        ) from exc
