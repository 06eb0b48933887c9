"""The database that DEMUR_STATE names: its connections, its migrations, and what its errors say."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Final
from urllib.parse import urlsplit

import psycopg
from psycopg_pool import ConnectionPool

from demur.warehouse.errors import LandingError, WarehouseError

TIMEOUT_SECONDS: Final = 3
STATEMENT_SECONDS: Final = 30
"""The longest that a statement may take which brings many rows; a link that is cut is noticed sooner."""
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

    def __str__(self) -> str:
        """Return the place without user and password."""
        return place_of(self._address)

    @contextmanager
    def transaction(self) -> Iterator[psycopg.Connection[Any]]:
        """Yield a connection in a transaction of its own.

        Raises:
            OSError: the database does not answer, or refuses.
        """
        try:
            with self._opened().connection() as con, con.transaction():
                yield con
        except psycopg.Error as exc:
            raise OSError(f"{self}: {' '.join(str(exc).split()) or type(exc).__name__}") from exc

    def run(self, name: str, values: Mapping[str, object]) -> list[tuple[Any, ...]]:
        """Return the rows of a statement, which is committed then.

        Raises:
            OSError: the database does not answer, or refuses.
        """
        try:
            with self._opened().connection() as con:
                found = con.execute(text_of(name), values)
                return found.fetchall() if found.description else []
        except psycopg.Error as exc:
            raise OSError(f"{self}: {' '.join(str(exc).split()) or type(exc).__name__}") from exc

    def facts(self) -> tuple[str, int, float]:
        """Return the server's version, how many migrations it has, and by how many seconds its clock is ahead."""
        before = datetime.now(UTC)
        [(version, now, migrations)] = self.run("facts", {})
        half = (datetime.now(UTC) - before) / 2
        return str(version), int(migrations), (now - before - half).total_seconds()

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            if self._pool is not None:
                self._pool.close()
            self._pool = None

    def _opened(self) -> ConnectionPool:
        with self._lock:
            if self._pool is None:
                connected(self._address).close()
                logging.getLogger("psycopg.pool").setLevel(logging.ERROR)  # who asks says what is wrong
                self._pool = ConnectionPool(
                    self._address,
                    kwargs=_parameters(STATEMENT_SECONDS),
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


def _migrate(con: psycopg.Connection[Any]) -> None:
    """Bring the schema to the tables of this version, one process at a time."""
    with con.transaction():
        con.execute("SELECT pg_advisory_xact_lock(hashtextextended('demur', 1))")
        con.execute("CREATE SCHEMA IF NOT EXISTS demur")
        con.execute("CREATE TABLE IF NOT EXISTS demur.migrations (name text PRIMARY KEY)")
        done = {name for (name,) in con.execute("SELECT name FROM demur.migrations").fetchall()}
        for path in sorted(_SQL.glob("[0-9]*.sql")):
            if path.stem not in done:
                con.execute(path.read_bytes())
                con.execute("INSERT INTO demur.migrations VALUES (%s)", [path.stem])


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
