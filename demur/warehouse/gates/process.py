"""A process of its own that writes Data Docs, because Great Expectations takes 130 MB of memory."""

import atexit
import logging
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from demur.warehouse.errors import WarehouseError, disk_explained
from demur.warehouse.gates.declared import StageGate
from demur.warehouse.gates.results import ExpectationResult, GateBounds

_lock: Final = threading.Lock()
_running: Final[list[subprocess.Popen[bytes]]] = []


def write_in_process(
    folder: Path, found: Mapping[StageGate, Sequence[ExpectationResult]], round_id: str, bounds: GateBounds
) -> None:
    """Write the Data Docs of a round's gates in a subprocess, which is kept for the next rounds.

    Raises:
        WarehouseError: Great Expectations fails, the pages cannot be written, or the subprocess has ended.
    """
    with _lock:
        try:
            failure = _asked(pickle.dumps((folder, found, round_id, bounds)))
        except (OSError, EOFError, pickle.UnpicklingError) as exc:
            code = _end()
            raise WarehouseError(
                f"{folder}: the process that writes these pages ended (exit {code}). Make sure that 300 MB of "
                "memory are free, then run the same command again: landed rows are kept"
            ) from exc
        except BaseException:  # interrupted: the reply must not be taken for the next one
            _end()
            raise
    if failure is not None:
        raise failure


def _asked(request: bytes) -> WarehouseError | None:
    """Send a request to the subprocess; return the error in the reply, or None if the pages were written."""
    if not _running or _running[0].poll() is not None:
        # A session of its own: Ctrl-C is meant for this process, which ends the other one.
        arguments = [sys.executable, "-P", "-m", __name__]
        pipe = subprocess.PIPE
        _running[:] = [subprocess.Popen(arguments, stdin=pipe, stdout=pipe, start_new_session=True)]
    writer = _running[0]
    assert writer.stdin is not None and writer.stdout is not None
    writer.stdin.write(request)
    writer.stdin.flush()
    failure: WarehouseError | None = pickle.load(writer.stdout)
    return failure


@atexit.register
def _end() -> int | None:
    """End the subprocess, and return its exit status; None if no subprocess was started."""
    if not _running:
        return None
    writer = _running.pop()
    writer.kill()
    with suppress(BrokenPipeError):  # an unsent request
        writer.communicate()
    return writer.returncode


def main() -> None:
    """Answer requests from the standard input until the parent process closes it or ends."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no reply
    with suppress(EOFError, BrokenPipeError):
        while True:
            reply = pickle.dumps(_failure(*pickle.load(sys.stdin.buffer)))
            replies.write(reply)
            replies.flush()


def _failure(
    folder: Path, found: Mapping[StageGate, Sequence[ExpectationResult]], round_id: str, bounds: GateBounds
) -> WarehouseError | None:
    try:
        from demur.warehouse.gates.data_docs import write_pages

        with disk_explained(folder), errors_of_disks_raised():
            write_pages(folder, found, round_id, bounds)
    except WarehouseError as exc:
        return exc
    except Exception as exc:  # of Great Expectations
        return WarehouseError(
            f"{folder}: Great Expectations fails ({type(exc).__name__}: {exc}). Move this folder away, then "
            "run the same command again: landed rows are kept"
        )
    return None


class _Kept(logging.Handler):
    """Keeps the exceptions that are handled while a library logs an error."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[BaseException | None] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(sys.exc_info()[1])


@contextmanager
def errors_of_disks_raised() -> Iterator[None]:
    """Raise the first OSError that Great Expectations logs with a page of its traceback, and goes on."""
    logger, kept = logging.getLogger("great_expectations"), _Kept()
    logger.addHandler(kept)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(kept)
        logger.propagate = True
    for error in kept.found:
        if isinstance(error, OSError):
            raise error


if __name__ == "__main__":
    main()
