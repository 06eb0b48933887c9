"""Limits divided over the state: among all processes that use the database and ask a model.

A process that cannot renew stops asking before others take it for ended, so that all together never ask for more than
the limits.
"""

import time
import uuid
from collections.abc import Callable
from functools import partial
from typing import Final, TypeVar

from demur.engine.state.database import Database, Rows, Transaction, Values
from demur.engine.state.processes import Heartbeat, ProcessSession, is_alive
from demur.lanes.throttle.circuit_breaker import Finding
from demur.lanes.throttle.rates import PORTION_SECONDS
from demur.lanes.throttle.shared import Lapsed
from demur.programs.errors import ErrorKind

T = TypeVar("T")

BURST_SECONDS: Final = 0.5
"""So many seconds' worth of a rate can be taken at once."""
PAUSE_SECONDS: Final = 1.0
"""So long a database is not asked again that has just not answered: models take turns, and each is to know in time."""


class StateRegistry:
    """The processes that ask each model; as text, what a message calls it."""

    def __init__(self, database: Database, heartbeat: Heartbeat) -> None:
        self.database = database
        self.heartbeat = heartbeat
        self._again_at = 0.0
        self._because: OSError | None = None

    def __str__(self) -> str:
        """Return the database without user and password."""
        return str(self.database)

    @property
    def remedy(self) -> str:
        """What to do where it cannot be used."""
        return self.database.remedy

    def register(self, model: str) -> "StateRegistration":
        """Count this process among those that ask a model.

        Raises:
            OSError: the database cannot be used; ConnectionError if it may be soon.
        """
        return StateRegistration(self, model)

    def ask(self, question: Callable[[], T]) -> T:
        """Return what the database answers, if it answers now.

        Raises:
            OSError: it does not, or did not a moment ago.
        """
        if self._because is not None and time.monotonic() < self._again_at:
            raise self._because
        try:
            return question()
        except OSError as exc:
            self._again_at = time.monotonic() + PAUSE_SECONDS
            self._because = exc
            raise


class StateRegistration:
    """One process among those that ask a model."""

    def __init__(self, registry: StateRegistry, model: str) -> None:
        self._registry = registry
        self._database = registry.database
        self._heartbeat = registry.heartbeat
        self._values = {"model": model, "registration": uuid.uuid4().hex}
        self.finding: Finding | None = None
        self.heard: Finding | None = None
        self._told: Finding | None = None
        self._session: ProcessSession | None = None
        self._known = registry.ask(self._registered)

    def active(self) -> int:
        """Return how many processes are registered, this one included, as far as was last known.

        Raises:
            Lapsed: for too long the database has taken no renewal.
        """
        try:
            self._known = self._registry.ask(self._registered)
        except OSError as exc:
            if self._session is None or self._session.lapsed:
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
        values = {"model": self._values["model"], "rate": rate, "most": most}
        take = partial(_take, values, amount, per_second, most)
        return self._database.transact(take, durable=False, patient=False)

    def unregister(self) -> None:
        """End the registration, as far as this process is concerned also where the database does not answer.

        Raises:
            OSError: it does not.
        """
        if self._session is not None:
            self._session.holding.discard(str(self._values["registration"]))
        self._session = None

        def unregister(transaction: Transaction) -> None:
            transaction.run("unregister", self._values)

        self._registry.ask(partial(self._database.transact, unregister, durable=False, patient=False))

    def _registered(self) -> int:
        """Return how many processes are registered; tell them what was found here, and hear what they found."""
        values = {**self._values, **self._heartbeat.here()}
        session = self._session
        begins = session is None or session.lapsed or self.finding != self._told
        own = self.finding
        if begins:
            session = self._heartbeat.session(str(self._values["registration"]), patient=False)
            values |= {"outage": own and own.outage.hex, "kind": own and own.kind.value, "because": own and own.because}
            values["process"] = session.process
        count = partial(_count, values, begins)
        others = self._database.transact(count, durable=False, patient=False)
        self._session = session
        self._told = own
        living = [row for row in others if row[0] != self._heartbeat.machine or is_alive(int(row[1]), row[2])]
        outages = (row[3:] for row in living if row[3] is not None)
        self.heard = next((_finding(*row) for row in outages), None)
        return 1 + len(living)


def _finding(outage: str, kind: str, because: str) -> Finding:
    return Finding(uuid.UUID(outage), ErrorKind(kind), because)


def _count(values: Values, begins: bool, transaction: Transaction) -> Rows:
    """Return the other registrations of a model, after writing one down that `begins`.

    That is done by one process at a time, so that of two that begin at once one sees the other.
    """
    if begins:
        transaction.run("lock_model", values)
        transaction.run("unregister_ended", values)
        transaction.run("register", values)
    return transaction.run("registered", values)


def _take(values: Values, amount: float, per_second: float, most: float, transaction: Transaction) -> float:
    """Fill a bucket up to now and take whole units from it, as many as there are."""
    [(level, filled_at, now)] = transaction.run("bucket", values)
    filled = min(most, level + max(0.0, now - filled_at) * per_second)
    taken = min(amount, float(max(filled, 0.0) // 1))
    after = {**values, "level": min(most, filled - taken), "filled_at": max(filled_at, now)}
    transaction.run("fill_bucket", after)
    return taken
