"""The log if DEMUR_LOG is json: JSON lines on standard error, with round, stage and unit.

A line has names, ids, numbers and demur's own words. It never has texts of items, prompts or replies, nor quotations in
errors. Such texts are in the tables `failures` and `calls` and in the run's own log.
"""

import json
import logging
import sys
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from demur.engine.progress_events import Progress, Quoting, StagePace
from demur.engine.time_left import TimeLeft
from demur.errors import ConfigError, ModelsDoNotAnswerError, RoundBusyError, StageStopped
from demur.warehouse.errors import RowError, WarehouseError

UNQUOTING: Final = (ConfigError, ModelsDoNotAnswerError, RoundBusyError, WarehouseError)
"""Errors whose messages quote no text of others."""
_LOGGERS: Final = ("", "prefect", "prefect.flow_runs", "prefect.task_runs")
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
    """Return an error's message if it quotes nothing, a stopped stage's message without its quotations, else None."""
    if isinstance(error, StageStopped):
        return error.plain
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
