"""Events of a round for observers, and counters of units."""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass

from demur.engine.time_left import TimeLeft

SECONDS_BETWEEN_LINES = 10.0


class Quoting(str):
    """A message with something that it quotes, which may be text of items; `plain` is the message without that."""

    plain: str

    def __new__(cls, plain: str, quoted: str) -> "Quoting":
        """Return the message, with what it quotes behind it."""
        made = super().__new__(cls, f"{plain} ({quoted})")
        made.plain = plain
        return made


class Progress:
    """Receives events of the stage engine, from any thread; handlers do nothing unless a subclass overrides them."""

    left: TimeLeft = TimeLeft()
    """The time left as it was estimated last, for whoever shows it."""

    def of_round(self, round_id: str) -> None:
        """Events from now on are of this round."""

    def expect(self, units: Mapping[str, float], cap_usd: float | None) -> None:
        """The round has these stages, with about so many units of models each, and this cap on its cost."""

    def estimated(self, left: TimeLeft) -> None:
        """Take the time that is left as of now."""
        self.left = left

    def entered(self, stage: str, step: str) -> None:
        """A stage entered a step beside its units: loading, planning, checking, publishing."""

    def started(self, stage: str, units: int, landed: int) -> None:
        """A stage has `units` in its plan, of which `landed` need no work."""

    def advanced(self, stage: str, units: int) -> None:
        """So many more units ended, with a result or without."""

    def failed(self, stage: str, reason: str, units: int = 1, unit: str | None = None) -> None:
        """So many of the units that ended have no result, for this reason; `unit` is the id of one alone."""

    def ended(self, stage: str, failed: int) -> None:
        """A stage has nothing left to do."""

    def spent(self, usd: float) -> None:
        """So much counts as spent on the round, by all that was loaded."""

    def paid(self, usd: float) -> None:
        """One more request counts as so much, which nothing loaded has."""

    def notice(self, message: str) -> None:
        """A warning, or a wait for something outside the round."""


@dataclass(frozen=True, slots=True)
class UnitRate:
    """Units that ended of those to do, and how many a second."""

    done: int
    units: int
    rate: float


class StagePace:
    """Counts the units of a stage from any thread, and says now and then how it gets on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._units = self._done = 0
        self._since = self._logged = time.monotonic()

    @property
    def seconds(self) -> float:
        """The time since the stage began."""
        return time.monotonic() - self._since

    def start(self, units: int) -> None:
        """Begin counting for another stage."""
        with self._lock:
            self._units = units
            self._done = 0
            self._since = self._logged = time.monotonic()

    def count(self, units: int, every_seconds: float) -> UnitRate | None:
        """Count, and return the rate where none was returned for so long."""
        with self._lock:
            self._done += units
            now = time.monotonic()
            if now - self._logged < every_seconds:
                return None
            self._logged = now
            return UnitRate(self._done, self._units, self._done / (now - self._since))
