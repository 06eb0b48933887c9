"""The processes that share a state, and their exclusive locks (holds) on orders and rounds."""

import os
import socket
import subprocess
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

from demur.engine.state.database import Database, Transaction
from demur.programs.errors import Halted
from demur.warehouse.errors import WarehouseError

# The processes that share a state. Each process renews its row every second.
#
# The row of a process entitles it to holds and a share of limits. When a process has ended, other processes take
# these over. Processes on the same machine notice the end by the PID, without delay. Processes on other machines
# assume the end ten seconds after the last renewal. A process that cannot renew its row for six seconds by its own
# clock therefore gives up its holds and share. When renewals succeed again, the process continues as a new process.


IDLE_SECONDS: Final = 5.0
"""Time for which a process without holds continues to renew."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Times in seconds.

    Attributes:
        beat_seconds: The time between renewals.
        stopping_seconds: The time without renewal after which a process stops.
        lease_seconds: The time without renewal after which processes on other machines take over the holds of a
            process.
    """

    beat_seconds: float = 1.0
    stopping_seconds: float = 6.0
    lease_seconds: float = 10.0


USUAL: Final = Timing()


@dataclass(slots=True)
class ProcessSession:
    """The time from the first to the last renewal of a process. Holds end with their session.

    Attributes:
        process: The id of the session.
        renewed_at: The time of the last renewal, of the monotonic clock.
        stopping_seconds: The time without renewal after which the session lapses.
        holding: Ids of the holds and registrations that have not ended.
    """

    process: str
    renewed_at: float
    stopping_seconds: float
    holding: set[str] = field(default_factory=set)

    @property
    def lapsed(self) -> bool:
        """Whether the session was not renewed for `stopping_seconds`. Other processes may soon take over its holds."""
        return time.monotonic() - self.renewed_at >= self.stopping_seconds


class Heartbeat:
    """Renews the session of this process in a separate thread while the process has holds.

    Attributes:
        machine: The machine and container in which the PID of this process is valid.
        timing: The times between renewals, and the times without renewal after which a session lapses.
    """

    _pid: int
    _lock: threading.Lock
    _ended: threading.Event
    _session: ProcessSession | None
    _thread: threading.Thread | None

    def __init__(self, database: Database, timing: Timing = USUAL, machine: str | None = None) -> None:
        self._database = database
        self.timing = timing
        self.machine = machine or this_machine()
        self._begin()

    def session(self, holding: str | None = None, *, patient: bool = True) -> ProcessSession:
        """Return the session of this process. A new session begins if there is none or if it has lapsed.

        `holding` is the id of a new hold. If `patient` is False and the database is away, the call fails at once.

        Raises:
            OSError: the database cannot be used, or processes of another machine use a SQLite file.
        """
        if self._pid != os.getpid():
            self._begin()  # a forked process is another one
        with self._lock:
            if self._session is None or self._session.lapsed:
                self._session = self._begun(patient)
            if holding is not None:
                self._session.holding.add(holding)
            if self._thread is None:
                self._thread = threading.Thread(target=self._renew, name="state", daemon=True)
                self._thread.start()
            return self._session

    def here(self) -> dict[str, object]:
        """Return the values with which statements find out which processes are alive."""
        return {"machine": self.machine, "lease_seconds": self.timing.lease_seconds}

    def bury(self, transaction: Transaction) -> None:
        """Delete the rows of ended processes of this machine, and so end the holds of these processes."""
        for process, pid, began in transaction.run("neighbours", {"machine": self.machine}):
            if not is_alive(int(pid), began):
                transaction.run("end_process", {"process": process})

    def end(self) -> None:
        """Stop the renewals. For other processes, this process then ends."""
        self._ended.set()

    def _begin(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._session = None
        self._thread = None

    def _begun(self, patient: bool) -> ProcessSession:
        if not self._database.several_machines:
            self._check_alone()

        lapsed = self._session

        def begin(transaction: Transaction) -> None:
            self.bury(transaction)
            if lapsed is not None:  # then its holds are free at once
                transaction.run("end_process", {"process": lapsed.process})
            transaction.run("end_old_processes", {})

        self._database.transact(begin, durable=False, patient=patient)
        while True:
            session = ProcessSession(uuid.uuid4().hex, time.monotonic(), self.timing.stopping_seconds)
            self._beat(session, first=True, patient=patient)
            if not session.lapsed:  # the database may have been away for longer than a session lasts
                return session

    def _check_alone(self) -> None:
        """Check that no process of another machine uses the SQLite file. SQLite's locks work on one machine only."""
        kernel = self.machine.partition("/")[0]
        for machine, host in self._database.read("elsewhere", self.here()):
            if machine.partition("/")[0] != kernel:
                raise OSError(
                    f"{self._database}: processes of {host} use this file too, but it is only for processes of one "
                    "machine. Set DEMUR_STATE on all machines to a database that they share"
                )

    def _renew(self) -> None:
        idle_since = time.monotonic()
        while not self._ended.wait(self.timing.beat_seconds):
            session = self._session
            if session is None or self._thread is not threading.current_thread():
                return
            if session.holding:
                idle_since = time.monotonic()
            elif time.monotonic() - idle_since >= IDLE_SECONDS and self.retire():
                return
            if not session.lapsed:
                try:
                    self._beat(session, first=False, patient=False)
                except OSError:
                    continue

    def retire(self) -> bool:
        """End the session of this process if it has no holds; return True if there is no session now."""
        with self._lock:
            session = self._session
            if session is None or session.holding:
                return session is None
            self._session = None
            self._thread = None
        ended = {"process": session.process}
        with suppress(OSError):  # other processes then soon take it for ended
            self._database.transact(lambda one: one.run("end_process", ended), durable=False, patient=False)
        return True

    def _beat(self, session: ProcessSession, *, first: bool, patient: bool) -> None:
        asked_at = time.monotonic()
        values = {
            "process": session.process, "machine": self.machine, "pid": os.getpid(), "began": began_of(os.getpid()),
            "host": socket.gethostname(),
        }  # fmt: skip
        self._database.transact(lambda one: one.run("beat", values), durable=False, patient=patient)
        if first or not session.lapsed:  # a session that has lapsed stays lapsed
            session.renewed_at = asked_at


@cache
def this_machine() -> str:
    """Return an id of the machine, its boot and its container, within which a PID means one process."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        return f"{boot}/{os.stat('/proc/self/ns/pid').st_ino}"  # noqa: PTH116  (a link that leads nowhere)
    except OSError:
        return f"{uuid.getnode():x}-{socket.gethostname()}/"


def is_alive(pid: int, began: str) -> bool:
    """Return whether the process with a PID on this machine is still the process that began at `began`."""
    return began_of(pid) == began


def began_of(pid: int) -> str:
    """Return the start time of a process in the notation of this machine; "" if there is no such process."""
    if Path("/proc/self/stat").exists():
        try:
            fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return ""
        return "" if fields[0] in (b"Z", b"X") else fields[19].decode("ascii")
    asked = subprocess.run(["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    state, _, began = asked.stdout.strip().partition(" ")
    return "" if state.startswith("Z") else began.strip()


# Holds: exclusive locks of processes on shards and rounds.
#
# A hold ends when the process releases the hold, ends, or cannot renew the hold.


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
