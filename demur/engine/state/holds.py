"""Holds: exclusive locks of processes on shards and rounds.

A hold ends when the process releases the hold, ends, or cannot renew the hold.
"""

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from demur.engine.state.database import Database, Transaction
from demur.engine.state.processes import Heartbeat, ProcessSession, is_alive
from demur.programs.errors import Halted
from demur.warehouse.errors import WarehouseError

OnWait = Callable[[str], None]
POLL_SECONDS: Final = 0.2
_NOTICE_SECONDS: Final = 5.0


class HoldLapsed(Halted):
    """This process could not renew its holds in time, so other processes may have taken them.

    The work on the shard starts again.
    """


class NamedHold:
    """A hold of a shard or a round by name. The hold lasts while the process renews its session."""

    def __init__(self, database: Database, heartbeat: Heartbeat, name: str) -> None:
        self._database = database
        self._heartbeat = heartbeat
        self._name = name
        self._holder = uuid.uuid4().hex
        self._session = heartbeat.session()

    def take(self) -> bool:
        """Take the hold if no other process has it; return whether it was taken.

        Raises:
            OSError: the database cannot be used.
        """
        return self._taken("hold")

    def take_again(self) -> bool:
        """Continue a lapsed hold. Return False if another process has taken the hold meanwhile.

        Raises:
            OSError: the database cannot be used.
        """
        return self._taken("hold_on")

    def _taken(self, statement: str) -> bool:
        """Run a statement that takes the hold, and return whether the hold was taken."""
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
        """Whether the process could not renew its session for too long."""
        return self._session.lapsed

    def let_go(self) -> None:
        """Release the hold.

        If the database does not answer, the session of this process ends, and with it all holds of the process.
        """
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
    """A living process has the hold. The message names the process."""


@dataclass(frozen=True, slots=True)
class Holder:
    """A process with a hold, and the time of its last renewal."""

    process: str
    machine: str
    pid: int
    began: str
    host: str
    renewed_at: float


@contextmanager
def name_held(database: Database, heartbeat: Heartbeat, name: str, what: str, on_wait: OnWait) -> Iterator[NamedHold]:
    """Hold a name inside the block.

    If a process on another machine has the hold, the call waits until the holder renews its session (then BusyError) or
    the hold has expired.

    `what` names the held shard or round in messages. `on_wait` is called with a message about the wait.

    Raises:
        BusyError: a living process has the hold.
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
            raise BusyError(f"{what} is being worked on by {who}. Wait until that process ends, or start another round")
        if first is None:
            first = found
            longest = f"{heartbeat.timing.lease_seconds:.0f} s"
            on_wait(f"{what} was last worked on by {who}, which has not released it; waiting up to {longest}")
        time.sleep(POLL_SECONDS)
    try:
        yield held
    finally:
        held.let_go()


def holder_of(database: Database, heartbeat: Heartbeat, name: str, *, patient: bool = True) -> Holder | None:
    """Return the living process with the hold of a name; None if there is none."""
    for row in database.read("holder", {**heartbeat.here(), "name": name}, patient=patient):
        holder = Holder(*row)
        if holder.machine != heartbeat.machine or is_alive(holder.pid, holder.began):
            return holder
    return None


def wait_until_free(what: str, is_held: Callable[[], bool], wait_seconds: float, on_wait: OnWait) -> None:
    """Wait until `is_held` returns False.

    Raises:
        WarehouseError: a shard is still held after `wait_seconds`.
    """
    began = noticed = time.monotonic()
    while is_held():
        now = time.monotonic()
        if now - began >= wait_seconds:
            raise WarehouseError(
                f"{what}: a worker of an earlier run still works on this shard after {now - began:.0f} s. A second "
                "worker would pay for the answers again. End that worker, then run the same command again"
            )
        if now - noticed >= _NOTICE_SECONDS:
            noticed = now
            on_wait(f"shard {what} is being ended by a worker of an earlier run; waiting for it")
        time.sleep(POLL_SECONDS)
