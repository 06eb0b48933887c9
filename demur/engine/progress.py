"""Observers of a round's progress: the command line's bars, or a log line every ten seconds on a worker."""

import logging
import threading
import time
from collections.abc import Mapping

from demur.engine.time_left import TimeLeft, phrases

SECONDS_BETWEEN_LINES = 10.0


class Progress:
    """Receives events of the stage engine, from any thread; handlers do nothing unless a subclass overrides them."""

    left: TimeLeft = TimeLeft()
    """The time left as it was estimated last, for whoever shows it."""

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

    def failed(self, stage: str, reason: str, units: int = 1) -> None:
        """So many of the units that ended have no result, for this reason."""

    def ended(self, stage: str, failed: int) -> None:
        """A stage has nothing left to do."""

    def spent(self, usd: float) -> None:
        """So much counts as spent on the round, by all that was loaded."""

    def paid(self, usd: float) -> None:
        """One more request counts as so much, which nothing loaded has."""

    def notice(self, message: str) -> None:
        """A warning, or a wait for something outside the round."""


class LogProgress(Progress):
    """One log line every ten seconds, with rate and time left: for workers and pipes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._units = self._done = 0
        self._since = self._logged = time.monotonic()

    def started(self, stage: str, units: int, landed: int) -> None:
        """Begin counting for another stage."""
        with self._lock:
            self._units = units - landed
            self._done = 0
            self._since = self._logged = time.monotonic()
        if units > landed:
            _log("%s: %d units planned, %d landed, %d to do", stage, units, landed, units - landed)

    def advanced(self, stage: str, units: int) -> None:
        """Count, and log after ten seconds."""
        with self._lock:
            self._done += units
            now = time.monotonic()
            if now - self._logged < SECONDS_BETWEEN_LINES:
                return
            self._logged = now
            rate = self._done / (now - self._since)
        counts = f"{stage}: {self._done} of {self._units} units, {rate:.1f}/s"
        _log("%s", "; ".join([counts, *phrases(self.left)]))

    def ended(self, stage: str, failed: int) -> None:
        """Log how the stage ended."""
        took = time.monotonic() - self._since
        _log("%s: done in %.1f s%s", stage, took, f", {failed} units failed" if failed else "")

    def notice(self, message: str) -> None:
        """Log the message as a warning."""
        _log("%s", message, level=logging.WARNING)


def _log(text: str, *values: object, level: int = logging.INFO) -> None:
    """Log to the flow or task run that is active, else to our own logger."""
    from prefect.exceptions import MissingContextError
    from prefect.logging import get_run_logger

    try:
        get_run_logger().log(level, text, *values)
    except MissingContextError:
        logging.getLogger("demur.progress").log(level, text, *values)


_observer: Progress = LogProgress()


def observe(progress: Progress) -> None:
    """Make `progress` the observer of this process."""
    global _observer
    _observer = progress


def observer() -> Progress:
    """Return the observer of this process."""
    return _observer
