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

from demur.flows.engine.postgres import Database


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds between renewals, until a process that cannot renew stops, and until others take what it held."""

    beat_seconds: float = 1.0
    stopping_seconds: float = 6.0
    lease_seconds: float = 10.0


USUAL: Final = Timing()


@dataclass(slots=True)
class Life:
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
        self._life: Life | None = None

    def life(self) -> Life:
        """Return the life of this process, which is begun where it has none, or has lapsed.

        Raises:
            OSError: the database does not answer, or refuses.
        """
        with self._lock:
            if self._life is not None and not self._life.lapsed:
                return self._life
            begun = self._life is None
            life = Life(uuid.uuid4(), time.monotonic(), self.timing.stopping_seconds)
            self._beat(life)
            self._life = life
            if begun:
                threading.Thread(target=self._renew, name="state", daemon=True).start()
            return life

    def end(self) -> None:
        """Renew no more, as a process that has ended."""
        self._ended.set()

    def _renew(self) -> None:
        while not self._ended.wait(self.timing.beat_seconds):
            life = self._life
            if life is None or life.lapsed:
                continue
            try:
                self._beat(life)
            except OSError:
                continue

    def _beat(self, life: Life) -> None:
        asked_at = time.monotonic()
        values = {"process": life.process, "host": socket.gethostname()}
        withdrawn = frozenset(name for (name,) in self._database.run("beat", values))
        if not life.lapsed:  # a life that has lapsed stays lapsed
            life.renewed_at, life.withdrawn = asked_at, withdrawn
