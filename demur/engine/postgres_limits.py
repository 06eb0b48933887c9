"""Limits divided over a PostgreSQL database: among processes of all machines, whatever their homes.

A process renews its registration every second and is gone for the others LEASE_SECONDS after it did so last. One that
cannot renew stops asking before that, so that all together never ask for more than the limits.
"""

import threading
import time
import uuid
from typing import Any, Final

import psycopg

from demur.engine.postgres import REMEDY, TIMEOUT_SECONDS, connected, database, failure, place_of, text_of
from demur.lanes.throttle.circuit_breaker import Finding
from demur.lanes.throttle.process_registry import Lapsed
from demur.lanes.throttle.rates import PORTION_SECONDS
from demur.programs.errors import ErrorKind

LEASE_SECONDS: Final = 10.0
STOPPING_SECONDS: Final = 6.0
"""After so long without a renewal a process stops asking; what it has sent by then may still be under way."""
BURST_SECONDS: Final = 0.5
"""So many seconds' worth of a rate can be taken at once."""


class PostgresRegistry:
    """The processes that ask each model, in the schema `demur` of a database, which is made where it is missing."""

    remedy = REMEDY

    def __init__(self, address: str) -> None:
        self._address = address
        self.database = database(address)
        self._lock = threading.Lock()
        self._con: psycopg.Connection[Any] | None = None
        self._again_at = 0.0
        self._because: OSError | None = None

    def __str__(self) -> str:
        """Return the place without user and password."""
        return place_of(self._address)

    def register(self, model: str) -> "PostgresRegistration":
        """Count this process among those that ask a model.

        Raises:
            OSError: the database does not answer, or refuses.
        """
        return PostgresRegistration(self, model)

    def run(self, name: str, values: dict[str, object]) -> list[tuple[Any, ...]]:
        """Run a statement, of one model at a time, so that of two processes that begin at once one sees the other."""
        with self._lock:
            if self._because is not None and time.monotonic() < self._again_at:
                raise self._because
            try:
                con = self._con = self._con or connected(self._address, TIMEOUT_SECONDS)
                with con.transaction():
                    con.execute("SELECT pg_advisory_xact_lock(hashtextextended(%(model)s, 0))", values)
                    found = con.execute(text_of(name), values)
                    return found.fetchall() if found.description else []
            except psycopg.Error as exc:
                if self._con is not None:
                    self._con.close()
                self._con = None
                self._again_at = time.monotonic() + 1.0  # models take turns, and each is to know in time
                self._because = failure(self._address, exc)
                raise self._because from exc


class PostgresRegistration:
    """One process among those that ask a model."""

    def __init__(self, registry: PostgresRegistry, model: str) -> None:
        self._registry = registry
        self._values = {"model": model, "process": uuid.uuid4(), "lease_seconds": LEASE_SECONDS}
        self.finding: Finding | None = None
        self.heard: Finding | None = None
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

    def take(self, rate: str, amount: float, per_minute: float) -> float:
        """Return how much of an amount there was to take; a negative one is given back.

        The bucket fills more slowly than the limit says, so that what it and all processes hold, and use at once, is
        within the limit of that minute. Of a limit that is not much more than they hold, half a minute's worth stays.
        """
        most = max(1.0, per_minute / 60 * BURST_SECONDS)
        at_once = most + self._known * max(1.0, per_minute / 60 * PORTION_SECONDS)
        per_second = max(per_minute - at_once, per_minute / 2) / 60
        values = {"model": self._values["model"], "rate": rate, "amount": amount, "per_second": per_second}
        [(taken,)] = self._registry.database.run_once("take", {**values, "most": most})
        return float(taken)

    def unregister(self) -> None:
        """End the registration."""
        self._registry.run("unregister", self._values)

    def _renewed(self) -> int:
        asked_at = time.monotonic()
        own = self.finding
        found = {"outage": own and own.outage, "kind": own and own.kind.value, "because": own and own.because}
        [(count, outage, kind, because)] = self._registry.run("renew", {**self._values, **found})
        self.heard = None if outage is None else Finding(outage, ErrorKind(kind), because)
        self._renewed_at = asked_at
        return int(count)
