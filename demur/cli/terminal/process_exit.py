"""Interruption and end of the process: one message, within seconds, without loss of results."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final

from demur.cli.terminal.printing import echo

SIGNALLED: Final = 128
"""Exit status after a signal, minus the number of the signal."""
INTERRUPTED: Final = SIGNALLED + signal.SIGINT
LONGEST_ENDING_SECONDS: Final = 8.0
"""Time limit of a clean end after a signal; the process is then killed."""
LONGEST_PRINT_SECONDS: Final = 1.0
"""Time limit of waiting for another thread's message."""
_stopping = threading.RLock()
_said: list[str] = []
_announced = threading.Lock()


def announce_stop() -> None:
    """Print once that the process stops."""
    if not _stopping.acquire(timeout=LONGEST_PRINT_SECONDS):
        return
    try:
        if not _said:
            _said.append("stopping")
            with suppress(OSError, RuntimeError):  # stderr is closed, or an interrupted print holds its lock
                echo("\ndemur: interrupted, stopping", err=True)
    finally:
        _stopping.release()


def is_interruption(exc: BaseException) -> bool:
    """Return whether an error means Ctrl-C. For Ctrl-C in a statement, DuckDB raises a RuntimeError."""
    return isinstance(exc, KeyboardInterrupt) or (type(exc) is RuntimeError and str(exc) == "Query interrupted")


@contextmanager
def explaining_interruption() -> Iterator[None]:
    """If the block is interrupted, print that the same command continues the work."""
    try:
        yield
    except (KeyboardInterrupt, RuntimeError) as exc:
        if not is_interruption(exc):
            raise
        _announce_resumption()
        raise KeyboardInterrupt from exc


def _announce_resumption() -> None:
    announce_stop()
    if _announced.acquire(blocking=False):
        echo(
            "demur: no answer is lost; the same command continues from here." + batches_under_way(),
            err=True,
        )


def batches_under_way() -> str:
    """Return a sentence with the number of open batches at providers, or an empty text without batches."""
    if "demur.engine.state.batches" not in sys.modules:
        return ""
    from demur.configuration.settings import demur_home
    from demur.flows.rounds.open_batches import known_batches

    try:
        count = len(known_batches(demur_home(), only_open=True))
    except Exception:  # the process must end even if the state is unreadable
        return ""
    if not count:
        return ""
    return f" Batches still open at their providers, to be collected then: {count} (demur batches list)."


def exit_process(status: int) -> None:
    """End the process at once, without waiting for threads. No result is lost, since all results are on disk."""
    if "demur.flows.orchestration.temporary_api" in sys.modules:
        from demur.flows.orchestration.temporary_api import stop_temporary_api

        stop_temporary_api()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # closed pipe or full disk
            stream.flush()
    os._exit(status)


def end_on_signals(first: Callable[[], None], within_seconds: float = 0.0) -> None:
    """Make Ctrl-C and SIGTERM call `first` and end the process.

    After the signal, a flow has `within_seconds` to report its end to Prefect. With a temporary Prefect server,
    `within_seconds` must be 0. A signal to the process group also ends the temporary server, and the flow would try to
    report for minutes. A missing report does no harm to the round.

    While a flow runs, Prefect's handler for SIGTERM replaces ours. A thread therefore reads signals from Python's
    wake-up file descriptor. A timer ends the process if our handler blocks on a lock.
    """
    ending = threading.Lock()

    def end(number: int, frame: FrameType | None = None) -> None:
        if ending.acquire(blocking=False):
            with suppress(Exception):  # the process must end
                first()
            _announce_resumption()
            exit_process(SIGNALLED + number)

    def ended(number: int) -> None:
        time.sleep(within_seconds)
        last = threading.Timer(LONGEST_ENDING_SECONDS, os._exit, (SIGNALLED + number,))
        last.daemon = True
        last.start()  # before `end`, since `first` may block on a lock
        end(number)

    signal.signal(signal.SIGTERM, end)
    if not within_seconds:
        signal.signal(signal.SIGINT, end)
    _watch_signals(ended)


def announce_interruptions() -> None:
    """From this call on, print a message at once after Ctrl-C, even if the interrupted code ends later."""
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        _watch_signals(lambda number: None)


def _watch_signals(then: Callable[[int], None]) -> None:
    """Start a thread that calls `then(signal)` after Ctrl-C or SIGTERM, whatever signal handlers are installed.

    After Ctrl-C the thread also prints that the process stops.
    """
    noted, note = os.pipe()
    os.set_blocking(note, False)

    def watch() -> None:
        while number := os.read(noted, 1)[0]:
            if number == signal.SIGINT:
                threading.Thread(target=announce_stop, name="stopping", daemon=True).start()
            if number in (signal.SIGINT, signal.SIGTERM):
                then(number)

    signal.set_wakeup_fd(note, warn_on_full_buffer=False)
    threading.Thread(target=watch, name="signals", daemon=True).start()
