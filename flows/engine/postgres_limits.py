"""Limits divided over a PostgreSQL database: among processes of all machines, whatever their homes.

A process renews its registration every second and is gone for the others LEASE_SECONDS after it did so last. One that
cannot renew stops asking before that, so that all together never ask for more than the limits.
"""

import threading
import time
import uuid
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import psycopg

from demur.programs.lanes.throttle.process_registry import Lapsed

LEASE_SECONDS: Final = 10.0
STOPPING_SECONDS: Final = 6.0
"""After so long without a renewal a process stops asking; what it has sent by then may still be under way."""
TIMEOUT_SECONDS: Final = 3
_NETWORK: Final[dict[str, Any]] = {
    "keepalives_idle": 1,
    "keepalives_interval": 1,
    "keepalives_count": 2,
    "tcp_user_timeout": 3_000,
}
"""So that a link that is cut is noticed in time; tcp_user_timeout is in milliseconds."""
_SQL: Final = Path(__file__).parent / "state"


class PostgresRegistry:
    """The processes that ask each model, in the schema `demur` of a database, which is made where it is missing."""

    remedy = "check DEMUR_STATE, and that the database answers and takes this user"

    def __init__(self, address: str) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._con: psycopg.Connection[Any] | None = None
        self._again_at = 0.0

    def __str__(self) -> str:
        """Return the place without user and password."""
        at = urlsplit(self._address)
        return f"postgresql://{at.hostname or ''}{f':{at.port}' if at.port else ''}{at.path}"

    def register(self, model: str) -> "PostgresRegistration":
        """Count this process among those that ask a model.

        Raises:
            OSError: the database does not answer, or refuses.
        """
        return PostgresRegistration(self, model)

    def run(self, name: str, values: dict[str, object]) -> list[tuple[Any, ...]]:
        """Run a statement, of one model at a time, so that of two processes that begin at once one sees the other."""
        with self._lock:
            if time.monotonic() < self._again_at:
                raise OSError(f"{self}: did not answer just before")
            try:
                con = self._con = self._con or self._connected()
                with con.transaction():
                    con.execute("SELECT pg_advisory_xact_lock(hashtextextended(%(model)s, 0))", values)
                    found = con.execute(_text(name), values)
                    return found.fetchall() if found.description else []
            except psycopg.Error as exc:
                if self._con is not None:
                    self._con.close()
                self._con = None
                self._again_at = time.monotonic() + 1.0  # models take turns, and each is to know in time
                raise OSError(f"{self}: {' '.join(str(exc).split())}") from exc

    def _connected(self) -> psycopg.Connection[Any]:
        con = psycopg.connect(
            self._address,
            autocommit=True,
            connect_timeout=TIMEOUT_SECONDS,
            options=f"-c statement_timeout={TIMEOUT_SECONDS}s",
            **_NETWORK,
        )
        _migrate(con)
        return con


class PostgresRegistration:
    """One process among those that ask a model."""

    def __init__(self, registry: PostgresRegistry, model: str) -> None:
        self._registry = registry
        self._values = {"model": model, "process": uuid.uuid4(), "lease_seconds": LEASE_SECONDS}
        self._known = self._renewed()

    def active(self) -> int:
        """Return how many processes are registered, this one included, as far as was last known.

        Raises:
            Lapsed: for too long the database has not answered.
        """
        try:
            self._known = self._renewed()
        except OSError as exc:
            if time.monotonic() - self._renewed_at >= STOPPING_SECONDS:
                raise Lapsed(str(exc)) from exc
        return self._known

    def unregister(self) -> None:
        """End the registration."""
        self._registry.run("unregister", self._values)

    def _renewed(self) -> int:
        asked_at = time.monotonic()
        [(count,)] = self._registry.run("renew", self._values)
        self._renewed_at = asked_at
        return int(count)


def _migrate(con: psycopg.Connection[Any]) -> None:
    """Bring the schema to the tables of this version, one process at a time."""
    with con.transaction():
        con.execute("SELECT pg_advisory_xact_lock(hashtextextended('demur', 1))")
        con.execute("CREATE SCHEMA IF NOT EXISTS demur")
        con.execute("CREATE TABLE IF NOT EXISTS demur.migrations (name text PRIMARY KEY)")
        done = {name for (name,) in con.execute("SELECT name FROM demur.migrations").fetchall()}
        for path in sorted(_SQL.glob("[0-9]*.sql")):
            if path.stem not in done:
                con.execute(_text(path.stem))
                con.execute("INSERT INTO demur.migrations VALUES (%s)", [path.stem])


def _text(name: str) -> bytes:
    return (_SQL / f"{name}.sql").read_bytes()
