"""This process among those that work over one database: renewed every second, so that others know that it lives.

What a process holds there (orders, leases) is free again for others ten seconds after it has renewed last. One that
cannot renew gives it up after six, by its own clock, and goes on as another process once it can.
"""

import socket
import threading
import time
import uuid
from dataclasses import dataclass
from typing import Final

from demur.engine.postgres import Database


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds between renewals, until a process that cannot renew stops, and until others take what it held."""

    beat_seconds: float = 1.0
    stopping_seconds: float = 6.0
    lease_seconds: float = 10.0


USUAL: Final = Timing()


@dataclass(slots=True)
class ProcessSession:
    """The time from the first renewal of a process to its last; what was held in it ends with it."""

    process: uuid.UUID
    renewed_at: float
    stopping_seconds: float
    withdrawn: frozenset[str] = frozenset()

    @property
    def lapsed(self) -> bool:
        """Whether it could not renew for so long that others may soon take what it holds."""
        return time.monotonic() - self.renewed_at >= self.stopping_seconds


class Heartbeat:
    """Renews this process from a thread of its own."""

    def __init__(self, database: Database, timing: Timing = USUAL) -> None:
        self._database = database
        self.timing = timing
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._session: ProcessSession | None = None

    def session(self) -> ProcessSession:
        """Return the session of this process, which is begun where it has none, or has lapsed.

        Raises:
            OSError: the database does not answer for minutes, or refuses.
        """
        with self._lock:
            if self._session is not None and not self._session.lapsed:
                return self._session
            begun = self._session is None
            self._session = session = self._database.patiently(self._begun)
            if begun:
                threading.Thread(target=self._renew, name="state", daemon=True).start()
            return session

    def _begun(self) -> ProcessSession:
        session = ProcessSession(uuid.uuid4(), time.monotonic(), self.timing.stopping_seconds)
        self._beat(session)
        return session

    def end(self) -> None:
        """Renew no more, as a process that has ended."""
        self._ended.set()

    def _renew(self) -> None:
        while not self._ended.wait(self.timing.beat_seconds):
            session = self._session
            if session is None or session.lapsed:
                continue
            try:
                self._beat(session)
            except OSError:
                continue

    def _beat(self, session: ProcessSession) -> None:
        asked_at = time.monotonic()
        values = {"process": session.process, "host": socket.gethostname()}
        withdrawn = frozenset(name for (name,) in self._database.run_once("beat", values))
        if not session.lapsed:  # a session that has lapsed stays lapsed
            session.renewed_at = asked_at
            session.withdrawn = withdrawn
