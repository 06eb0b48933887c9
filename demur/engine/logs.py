"""Logs: JSON lines on standard error, a filter of Prefect's log, and the observer that logs the progress of a round."""

import json
import logging
import re
import sys
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from demur.configuration.settings import logs_json
from demur.engine.progress_events import Progress, Quoting, StagePace, TimeLeft, phrases
from demur.errors import OURS, ConfigError, CorpusError, ModelsDoNotAnswerError, RoundBusyError, StageStopped
from demur.warehouse.errors import RowError, WarehouseError

# The log if DEMUR_LOG is json: JSON lines on standard error, with round, stage and unit.
#
# A line has names, ids, numbers and demur's own words. It never has texts of items, prompts or replies, nor
# quotations in errors. Such texts are in the tables `failures` and `calls` and in the run's own log.


UNQUOTING: Final = (ConfigError, ModelsDoNotAnswerError, RoundBusyError, WarehouseError)
"""Errors whose messages quote no text of others."""
_LOGGERS: Final = ("", "prefect", "prefect.flow_runs", "prefect.task_runs")
_PLACE: Final = re.compile(r"(\S{1,300}?(?:: (?:line|row) \d+)?): ")
_writing: Final = threading.Lock()


class JsonProgress(Progress):
    """Writes a line for each event of a round. Lines about ended units come at most every ten seconds."""

    def __init__(self) -> None:
        self._round: str | None = None
        self._pace = StagePace()

    def of_round(self, round_id: str) -> None:
        """Set the round of later lines."""
        self._round = round_id

    def entered(self, stage: str, step: str) -> None:
        """Write the step of a stage."""
        self._line("step", stage, step=step)

    def started(self, stage: str, units: int, landed: int) -> None:
        """Write the numbers of planned and landed units of a stage."""
        self._pace.start(units - landed)
        self._line("stage started", stage, planned=units, landed=landed)

    def advanced(self, stage: str, units: int) -> None:
        """Add to the number of ended units. Write a line with this number at most every ten seconds."""
        if (pace := self._pace).count(units):
            self._line("units", stage, done=pace.done, units=pace.units, per_second=pace.rate, **_left(self.left))

    def failed(self, stage: str, reason: str, units: int = 1, unit: str | None = None) -> None:
        """Write the reason of failed units."""
        self._line("unit failed", stage, "WARNING", unit=unit, reason=reason, units=units)

    def ended(self, stage: str, failed: int) -> None:
        """Write the duration of the stage and its failed units."""
        self._line("stage ended", stage, failed=failed, seconds=round(self._pace.seconds, 1), **_left(self.left))

    def spent(self, usd: float) -> None:
        """Write the costs of the round."""
        self._line("spent", usd=round(usd, 6))

    def notice(self, message: str) -> None:
        """Write a notice without its quotation."""
        self._line("notice", None, "WARNING", message=message.plain if isinstance(message, Quoting) else message)

    def _line(self, event: str, stage: str | None = None, level: str = "INFO", **values: object) -> None:
        write_line({"level": level, "event": event, "round": self._round, "stage": stage, **values})


class JsonFormatter(logging.Formatter):
    """Formats log records of libraries.

    A line has the message only if the message quotes nothing: messages of Prefect below WARNING, and some errors.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as a line without quotations."""
        raised = record.exc_info[1] if record.exc_info else None
        values: dict[str, object] = {"level": record.levelname, "event": "log", "logger": record.name}
        if raised is not None:
            values |= {"error": type(raised).__name__, "message": unquoted(raised)}
        elif record.name.startswith("prefect") and record.levelno < logging.WARNING:
            values["message"] = record.getMessage()
        for name in ("flow_run_name", "task_run_name"):
            if isinstance(found := getattr(record, name, None), str):
                values[name] = found
        return _text(values, datetime.fromtimestamp(record.created, UTC))


def unquoted(error: BaseException) -> str | None:
    """Return the message of an error without texts of others; None if nothing is left of it.

    A stopped stage keeps its reason, and an error of a corpus its file, its line and the kind of its fault.
    """
    if isinstance(error, StageStopped):
        return error.plain
    if isinstance(error, CorpusError):
        place = _PLACE.match(str(error))
        return f"{place[1]}: {getattr(error.__cause__, 'reason', 'cannot be used')}" if place is not None else None
    return str(error) if isinstance(error, UNQUOTING) and not isinstance(error, RowError) else None


def log_as_json() -> None:
    """Format the log records of libraries in this process as JSON lines."""
    kept = JsonFormatter()
    for name in _LOGGERS:
        for handler in logging.getLogger(name).handlers:
            if isinstance(handler, logging.StreamHandler):
                handler.setFormatter(kept)
    if not logging.getLogger().handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(kept)
        logging.getLogger().addHandler(handler)


def write_line(values: Mapping[str, object]) -> None:
    """Write a line without the values that are None."""
    with _writing:
        print(_text(values, datetime.now(UTC)), file=sys.stderr, flush=True)


def _text(values: Mapping[str, object], moment: datetime) -> str:
    line = {"time": moment.isoformat(timespec="milliseconds"), **values}
    return json.dumps({name: value for name, value in line.items() if value is not None})


def _left(left: TimeLeft) -> dict[str, Any]:
    found = {"stage_left_seconds": left.stage, "round_left_seconds": left.round}
    return {name: [round(span.low), round(span.high)] for name, span in found.items() if span is not None}


# A filter of Prefect's log: each of demur's errors appears once per run, without a traceback.


LOGGERS: Final = ("prefect.flow_runs", "prefect.task_runs", "prefect.engine")
"""Prefect's loggers of errors. Each run logs an error where it is raised and where the run ends."""


class _MessageOnly(logging.Filter):
    """Reduces records of demur's errors to the message. Other errors keep their traceback."""

    def __init__(self) -> None:
        super().__init__()
        self._last: tuple[object, int] | None = None

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True if the record is logged, False if it repeats the last error of the run."""
        exc = record.exc_info[1] if record.exc_info else None
        if not isinstance(exc, OURS):
            return True
        said = getattr(record, "flow_run_id", None), id(exc)
        repeated = said == self._last
        self._last = said
        record.exc_info, record.msg, record.args = None, "%s", (str(exc),)
        return not repeated


def log_messages_only() -> None:
    """Log demur's errors in runs as one message each."""
    kept = _MessageOnly()
    for name in LOGGERS:
        logging.getLogger(name).addFilter(kept)


# The observer of a process: logs the progress of a round, unless the command line shows bars.


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
