"""Prefect's log of an error of ours: its message alone, once a run and without a traceback."""

import logging
from typing import Final

from demur.errors import OURS

LOGGERS: Final = ("prefect.flow_runs", "prefect.task_runs", "prefect.engine")
"""Prefect's loggers that write down what a run raised; each run logs it where it is raised and where it ends."""


class _MessageOnly(logging.Filter):
    """Keeps the message of an error of ours and drops its traceback; errors that are bugs keep theirs."""

    def __init__(self) -> None:
        super().__init__()
        self._last: tuple[object, int] | None = None

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is new: not the error that the same run logged last."""
        exc = record.exc_info[1] if record.exc_info else None
        if not isinstance(exc, OURS):
            return True
        said = getattr(record, "flow_run_id", None), id(exc)
        repeated = said == self._last
        self._last = said
        record.exc_info, record.msg, record.args = None, "%s", (str(exc),)
        return not repeated


def log_messages_only() -> None:
    """Let runs log errors of ours as one message each."""
    kept = _MessageOnly()
    for name in LOGGERS:
        logging.getLogger(name).addFilter(kept)
