"""Holds of orders and rounds: one process works on each, until it lets go, ends, or cannot renew."""

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Protocol

from demur.engine.concurrency import Standing
from demur.engine.state.database import Database, Transaction
from demur.engine.state.processes import Heartbeat, ProcessSession, is_alive
from demur.warehouse.errors import WarehouseError

OnWait = Callable[[str], None]
POLL_SECONDS: Final = 0.2
_NOTICE_SECONDS: Final = 5.0


class Hold(Standing, Protocol):
    """What holds an order."""

    @property
    def lapsed(self) -> bool:
        """Whether it could not be renewed, so that the order may be held anew: nobody is known to have withdrawn it."""

    def let_go(self) -> None:
        """Let others hold it."""


class Withdrawn:
    """What holds an order that nobody is to work on any more."""

    lapsed = False

    def exists(self) -> bool:
        """Return False."""
        return False

    def let_go(self) -> None:
        """Let others hold it: nobody does."""


class NamedHold:
    """A name that a process holds as long as it renews."""

    def __init__(self, database: Database, heartbeat: Heartbeat, name: str) -> None:
        self._database = database
        self._heartbeat = heartbeat
        self._name = name
        self._holder = uuid.uuid4().hex
        self._session = heartbeat.session()

    def take(self) -> bool:
        """Return whether nobody else holds the name, so that it is held now.

        Raises:
            OSError: the database cannot be used.
        """
        return self._taken("hold")

    def take_again(self) -> bool:
        """Return whether nobody has held the name since this process could not renew, so that it is held on.

        Raises:
            OSError: the database cannot be used.
        """
        return self._taken("hold_on")

    def _taken(self, statement: str) -> bool:
        """Run a statement that takes the name; what was not taken stays as lapsed as it was."""
        session = self._heartbeat.session(self._holder)

        def take(transaction: Transaction) -> bool:
            self._heartbeat.bury(transaction)
            return bool(transaction.run(statement, self._values(session)))

        taken = False
        try:
            taken = self._database.transact(take, durable=False)
        finally:
            if taken:
                self._session = session
            else:
                session.holding.discard(self._holder)
        return taken

    @property
    def lapsed(self) -> bool:
        """Whether its process could not renew for too long."""
        return self._session.lapsed

    def exists(self) -> bool:
        """Return whether it was not withdrawn, and is still ours."""
        return not self.lapsed and self._name not in self._session.withdrawn

    def let_go(self) -> None:
        """Let others hold it; where the database does not answer, once this session has lapsed."""
        try:
            self._database.write("release", self._values(self._session), durable=False)
        except OSError:
            self._session.renewed_at = float("-inf")
        self._session.holding.discard(self._holder)

    def _values(self, session: ProcessSession) -> dict[str, object]:
        return {
            **self._heartbeat.here(),
            "name": self._name,
            "holder": self._holder,
            "process": session.process,
        }


class BusyError(WarehouseError):
    """A living process holds the name; the message names it."""


@dataclass(frozen=True, slots=True)
class Holder:
    """A process that holds a name, and when it renewed last."""

    process: str
    machine: str
    pid: int
    began: str
    host: str
    renewed_at: float


@contextmanager
def name_held(database: Database, heartbeat: Heartbeat, name: str, what: str, on_wait: OnWait) -> Iterator[NamedHold]:
    """Hold a name inside the block, once a holder on another machine that says nothing is taken for ended.

    Raises:
        BusyError: a living process holds it.
        OSError: the database cannot be used.
    """
    held = NamedHold(database, heartbeat, name)
    first: Holder | None = None
    while not held.take():
        found = holder_of(database, heartbeat, name)
        if found is None:
            continue
        here = found.machine == heartbeat.machine
        who = f"PID {found.pid}" if here else f"PID {found.pid} on {found.host}"
        if here or (first is not None and found != first):
            raise BusyError(f"{what} is being worked on by {who}. Wait for it, or start another round")
        if first is None:
            first = found
            longest = f"{heartbeat.timing.lease_seconds:.0f} s"
            on_wait(f"{what} was last worked on by {who}, which has not ended it; waiting up to {longest} for its word")
        time.sleep(POLL_SECONDS)
    try:
        yield held
    finally:
        held.let_go()


def holder_of(database: Database, heartbeat: Heartbeat, name: str, *, patient: bool = True) -> Holder | None:
    """Return the living process that holds a name."""
    for row in database.read("holder", {**heartbeat.here(), "name": name}, patient=patient):
        holder = Holder(*row)
        if holder.machine != heartbeat.machine or is_alive(holder.pid, holder.began):
            return holder
    return None


def wait_until_free(what: str, is_held: Callable[[], bool], wait_seconds: float, on_wait: OnWait) -> None:
    """Return once nobody holds an order.

    Raises:
        WarehouseError: somebody still does after so long.
    """
    began = noticed = time.monotonic()
    while is_held():
        now = time.monotonic()
        if now - began >= wait_seconds:
            raise WarehouseError(
                f"{what}: a worker of an earlier run still works on this shard after {now - began:.0f} s, so that "
                "its answers would be bought twice. End that worker, then run the same command again"
            )
        if now - noticed >= _NOTICE_SECONDS:
            noticed = now
            on_wait(f"shard {what} is being ended by a worker of an earlier run; waiting for it")
        time.sleep(POLL_SECONDS)
