"""A filter of Prefect's log: each of demur's errors appears once per run, without a traceback."""

import logging
from typing import Final

from demur.errors import OURS

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
