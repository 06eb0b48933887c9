"""Events of a round for observers, and counters of units."""

import threading
import time
from collections.abc import Mapping
from typing import Final

from demur.engine.time_left import TimeLeft

SECONDS_BETWEEN_LINES: Final = 10.0
"""Least time between two lines about the ended units of a stage."""


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
        """A number of ended units failed for a reason. `unit` is None if only their number is known."""

    def ended(self, stage: str, failed: int) -> None:
        """A stage ended with a number of failed units."""

    def spent(self, usd: float) -> None:
        """All loaded calls of the round cost `usd` together."""

    def paid(self, usd: float) -> None:
        """A call that is not loaded yet cost `usd`."""

    def notice(self, message: str) -> None:
        """A warning, or a wait for something outside the round."""


class StagePace:
    """Counts the ended units of a stage from any thread, and tells when a line about them is due.

    Attributes:
        units: The number of units that were pending at the start.
        done: The number of units that ended after the start.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.start(0)

    @property
    def seconds(self) -> float:
        """Seconds since the start of the stage."""
        return time.monotonic() - self._since

    @property
    def rate(self) -> float:
        """Units ended per second since the start of the stage."""
        return self.done / max(self.seconds, 1e-9)

    def start(self, units: int) -> None:
        """Restart the count for a stage with a number of pending units."""
        with self._lock:
            self.units = units
            self.done = 0
            self._since = self._lined = time.monotonic()

    def count(self, units: int) -> bool:
        """Count ended units; return whether a line about them is due.

        A line is due SECONDS_BETWEEN_LINES after the start of the stage or after the last due line.
        """
        with self._lock:
            self.done += units
            now = time.monotonic()
            if now - self._lined < SECONDS_BETWEEN_LINES:
                return False
            self._lined = now
            return True
