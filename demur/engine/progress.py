"""The observer of a process: logs the progress of a round, unless the command line shows bars."""

import logging

from demur.configuration.settings import logs_json
from demur.engine.json_log import JsonProgress, log_as_json
from demur.engine.progress_events import Progress as Progress
from demur.engine.progress_events import Quoting as Quoting
from demur.engine.progress_events import StagePace as StagePace
from demur.engine.time_left import phrases


class LogProgress(Progress):
    """Logs lines of text.

    At most every ten seconds, a line has the number of ended units, their rate and the remaining time.
    """

    def __init__(self) -> None:
        self._pace = StagePace()

    def started(self, stage: str, units: int, landed: int) -> None:
        """Log the number of pending units, and start to measure their rate."""
        self._pace.start(units - landed)
        if units > landed:
            _log("%s: %d units planned, %d landed, %d to do", stage, units, landed, units - landed)

    def advanced(self, stage: str, units: int) -> None:
        """Add to the number of ended units. Log this number at most every ten seconds."""
        if self._pace.count(units):
            counts = f"{stage}: {self._pace.done} of {self._pace.units} units, {self._pace.rate:.1f}/s"
            _log("%s", "; ".join([counts, *phrases(self.left)]))

    def ended(self, stage: str, failed: int) -> None:
        """Log the duration of the stage and its failed units."""
        _log("%s: done in %.1f s%s", stage, self._pace.seconds, f", {failed} units failed" if failed else "")

    def notice(self, message: str) -> None:
        """Log the message as a warning."""
        _log("%s", message, level=logging.WARNING)


def _log(text: str, *values: object, level: int = logging.INFO) -> None:
    """Log to the logger of the active flow or task run, else to demur's logger."""
    from prefect.exceptions import MissingContextError
    from prefect.logging import get_run_logger

    try:
        get_run_logger().log(level, text, *values)
    except MissingContextError:
        logging.getLogger("demur.progress").log(level, text, *values)


_observer: Progress | None = None


def observe(progress: Progress) -> None:
    """Set the observer of this process."""
    global _observer
    _observer = progress


def observer() -> Progress:
    """Return the observer of this process. Default: a log, as JSON lines if DEMUR_LOG is json."""
    global _observer
    if _observer is None:
        _observer = log_of_this_process()
    return _observer


def log_of_this_process() -> Progress:
    """Return a new observer that logs, as JSON lines if DEMUR_LOG is json."""
    if not logs_json():
        return LogProgress()
    log_as_json()
    return JsonProgress()
