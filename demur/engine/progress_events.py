"""Events of a round for observers, and counters of units."""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass

from demur.engine.time_left import TimeLeft

SECONDS_BETWEEN_LINES = 10.0


class Quoting(str):
    """A message that quotes text of others, such as a provider's error.

    `plain` is the message without the quotation.
    """

    plain: str

    def __new__(cls, plain: str, quoted: str) -> "Quoting":
        """Return the message, followed by the quotation in parentheses."""
        made = super().__new__(cls, f"{plain} ({quoted})")
        made.plain = plain
        return made


class Progress:
    """Receives events of the stage engine from any thread.

    Handlers do nothing unless a subclass overrides them.
    """

    left: TimeLeft = TimeLeft()
    """The latest estimate of the time left."""

    def of_round(self, round_id: str) -> None:
        """Set the round of later events."""

    def expect(self, units: Mapping[str, float], cap_usd: float | None) -> None:
        """Set the expected number of units by stage, and the cap of the round."""

    def estimated(self, left: TimeLeft) -> None:
        """Set the estimate of the time left."""
        self.left = left

    def entered(self, stage: str, step: str) -> None:
        """A stage entered a step other than the work on units: loading, planning, checking or publishing."""

    def started(self, stage: str, units: int, landed: int) -> None:
        """A stage started with `units` planned units, of which `landed` had landed before."""

    def advanced(self, stage: str, units: int) -> None:
        """A number of units ended, with or without a result."""

    def failed(self, stage: str, reason: str, units: int = 1, unit: str | None = None) -> None:
        """A number of ended units failed for a reason. `unit` is the id if it is a single unit."""

    def ended(self, stage: str, failed: int) -> None:
        """A stage ended with a number of failed units."""

    def spent(self, usd: float) -> None:
        """The loaded calls of the round cost this much."""

    def paid(self, usd: float) -> None:
        """A call that is not loaded yet cost this much."""

    def notice(self, message: str) -> None:
        """A warning, or a wait for something outside the round."""


@dataclass(frozen=True, slots=True)
class UnitRate:
    """Three numbers of units: ended units, all units, and units ended per second."""

    done: int
    units: int
    rate: float


class StagePace:
    """Counts the ended units of a stage from any thread, and returns their rate from time to time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._units = self._done = 0
        self._since = self._logged = time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds since the start of the stage."""
        return time.monotonic() - self._since

    def start(self, units: int) -> None:
        """Restart the count for a stage with a number of pending units."""
        with self._lock:
            self._units = units
            self._done = 0
            self._since = self._logged = time.monotonic()

    def count(self, units: int, every_seconds: float) -> UnitRate | None:
        """Count ended units; return the rate if none was returned for `every_seconds`, else None."""
        with self._lock:
            self._done += units
            now = time.monotonic()
            if now - self._logged < every_seconds:
                return None
            self._logged = now
            return UnitRate(self._done, self._units, self._done / (now - self._since))
