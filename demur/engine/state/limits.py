"""Limits of models, shared by all processes that use the same state.

A process that cannot renew its session stops asking before other processes take over its share. So all processes
together never exceed a limit.
"""

import time
import uuid
from collections.abc import Callable
from functools import partial
from typing import Final, TypeVar

from demur.engine.state.database import Database, Rows, Transaction, Values
from demur.engine.state.processes import Heartbeat, ProcessSession, is_alive
from demur.lanes.throttle.circuit_breaker import Finding
from demur.lanes.throttle.pace import PORTION_SECONDS
from demur.lanes.throttle.shared import Lapsed
from demur.programs.errors import ErrorKind

T = TypeVar("T")

BURST_SECONDS: Final = 0.5
"""Size of a token bucket, in seconds of its rate."""
PAUSE_SECONDS: Final = 1.0
"""Time for which a database that did not answer is not asked again, so that waits for several models do not add up."""


class StateRegistry:
    """The registry of the processes that ask each model."""

    def __init__(self, database: Database, heartbeat: Heartbeat) -> None:
        self.database = database
        self.heartbeat = heartbeat
        self._again_at = 0.0
        self._because: OSError | None = None

    def __str__(self) -> str:
        """Return the address of the database, without user and password."""
        return str(self.database)

    @property
    def remedy(self) -> str:
        """The remedy if the database cannot be used."""
        return self.database.remedy

    def register(self, model: str) -> "StateRegistration":
        """Register this process for a model, and return the registration.

        Raises:
            OSError: the database cannot be used. The subclass ConnectionError means that the database may answer soon.
        """
        return StateRegistration(self, model)

    def ask(self, question: Callable[[], T]) -> T:
        """Return the result of `question`, which asks the database.

        For PAUSE_SECONDS after an error, the database is not asked, and the same error is raised.

        Raises:
            OSError: the database does not answer, or did not answer a moment ago.
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
    """The registration of this process for a model.

    Attributes:
        finding: The outage of the model that this process has found; None without an outage.
        heard: An outage of the model that another process has found; None without an outage.
    """

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
        """Return the last known number of registered processes, this process included.

        Raises:
            Lapsed: the session of this process could not be renewed for too long.
        """
        try:
            self._known = self._registry.ask(self._registered)
        except OSError as exc:
            if self._session is None or self._session.lapsed:
                raise Lapsed(str(exc)) from exc
        return self._known

    def take(self, rate: str, amount: float, per_minute: float) -> float:
        """Take up to `amount` from the token bucket of a rate; return the amount that was taken.

        A negative amount is put back into the bucket.

        In one minute, processes can use three amounts: the content of a full bucket, the tokens that flow into the
        bucket, and tokens taken before this minute. The bucket fills so slowly that the sum of the three amounts is at
        most `per_minute`. But the bucket never fills at less than half of `per_minute`.
        """
        most = max(1.0, per_minute / 60 * BURST_SECONDS)
        at_once = most + self._known * max(1.0, per_minute / 60 * PORTION_SECONDS)
        per_second = max(per_minute - at_once, per_minute / 2) / 60
        values = {"model": self._values["model"], "rate": rate, "most": most}
        take = partial(_take, values, amount, per_second, most)
        return self._database.transact(take, durable=False, patient=False)

    def unregister(self) -> None:
        """End the registration.

        If the database does not answer, the registration stays in the database until the session of this process ends.

        Raises:
            OSError: the database does not answer.
        """
        if self._session is not None:
            self._session.holding.discard(str(self._values["registration"]))
        self._session = None

        def unregister(transaction: Transaction) -> None:
            transaction.run("unregister", self._values)

        self._registry.ask(partial(self._database.transact, unregister, durable=False, patient=False))

    def _registered(self) -> int:
        """Register this process if needed, and return the number of registered processes, this one included.

        This also tells the other processes about the outage in `finding`, and stores in `heard` an outage that another
        process has found.
        """
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
    """Return the other registrations of a model. If `begins` is True, register this process first.

    Registration locks the model's row. If two processes register at the same time, the second one therefore finds the
    registration of the first.
    """
    if begins:
        transaction.run("lock_model", values)
        transaction.run("unregister_ended", values)
        transaction.run("register", values)
    return transaction.run("registered", values)


def _take(values: Values, amount: float, per_second: float, most: float, transaction: Transaction) -> float:
    [(level, filled_at, now)] = transaction.run("bucket", values)
    filled = min(most, level + max(0.0, now - filled_at) * per_second)
    taken = min(amount, float(max(filled, 0.0) // 1))
    after = {**values, "level": min(most, filled - taken), "filled_at": max(filled_at, now)}
    transaction.run("fill_bucket", after)
    return taken
