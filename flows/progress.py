"""Who is told how far a stage is: the command line's bars, or a log line now and then on a worker."""

import logging
import threading
import time

SECONDS_BETWEEN_LINES = 10.0


class Progress:
    """Told by the stage engine what happens, from any thread; what a subclass leaves out says nothing."""

    def entered(self, stage: str, step: str) -> None:
        """A stage is at a step beside its units: loading, planning, checking, publishing."""

    def started(self, stage: str, units: int, landed: int) -> None:
        """A stage has `units` in its plan, of which `landed` need no work."""

    def advanced(self, stage: str, units: int) -> None:
        """So many more units ended, with a result or without."""

    def ended(self, stage: str, failed: int) -> None:
        """A stage has nothing left to do."""

    def spent(self, usd: float) -> None:
        """So much counts as spent on the round, by all that was loaded."""

    def paid(self, usd: float) -> None:
        """One more request counts as so much, which nothing loaded has."""

    def waiting(self, message: str) -> None:
        """Something outside holds the round up."""


class LogProgress(Progress):
    """One log line every ten seconds, with rate and time left: for workers and pipes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._units = self._done = 0
        self._since = self._said = time.monotonic()

    def started(self, stage: str, units: int, landed: int) -> None:
        """Begin counting for another stage."""
        with self._lock:
            self._units, self._done = units - landed, 0
            self._since = self._said = time.monotonic()
        if units > landed:
            _say("%s: %d units planned, %d landed, %d to do", stage, units, landed, units - landed)

    def advanced(self, stage: str, units: int) -> None:
        """Count, and say so if ten seconds have passed."""
        with self._lock:
            self._done += units
            now = time.monotonic()
            if now - self._said < SECONDS_BETWEEN_LINES:
                return
            self._said = now
            rate = self._done / (now - self._since)
            left = (self._units - self._done) / rate
        _say("%s: %d of %d units, %.1f/s, %.0f s left", stage, self._done, self._units, rate, left)

    def ended(self, stage: str, failed: int) -> None:
        """Say how the stage ended."""
        took = time.monotonic() - self._since
        _say("%s: done in %.1f s%s", stage, took, f", {failed} units failed" if failed else "")

    def waiting(self, message: str) -> None:
        """Pass the message on."""
        _say("%s", message, level=logging.WARNING)


def _say(text: str, *values: object, level: int = logging.INFO) -> None:
    """Log to the flow or task run that this happens in, where its readers look; outside of any, to our own logger."""
    from prefect.exceptions import MissingContextError
    from prefect.logging import get_run_logger

    try:
        get_run_logger().log(level, text, *values)
    except MissingContextError:
        logging.getLogger("demur.progress").log(level, text, *values)


_observer: Progress = LogProgress()


def observe(progress: Progress) -> None:
    """Tell `progress` from now on what happens in this process."""
    global _observer
    _observer = progress


def observer() -> Progress:
    """Return who is told in this process."""
    return _observer
