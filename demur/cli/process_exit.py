"""The end of a command: at once, with one message if the same command continues the interrupted work."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final

from demur.cli.printing import echo

SIGNALLED: Final = 128
"""Exit status of a process that a signal has ended, to which the signal's number is added."""
INTERRUPTED: Final = SIGNALLED + signal.SIGINT
LONGEST_ENDING_SECONDS: Final = 8.0
"""How long the end of a process may take that a signal has ended; then it stops wherever it stands."""
LONGEST_PRINT_SECONDS: Final = 1.0
"""How long one thread waits for what another one prints."""
_stopping = threading.RLock()
_said: list[str] = []
_announced = threading.Lock()


def announce_stop() -> None:
    """Print at once that the process stops, unless this was printed before."""
    if not _stopping.acquire(timeout=LONGEST_PRINT_SECONDS):
        return
    try:
        if not _said:
            _said.append("stopping")
            with suppress(OSError, RuntimeError):  # nobody reads it, or the print that was interrupted is not over
                echo("\ndemur: interrupted, stopping", err=True)
    finally:
        _stopping.release()


def is_interruption(exc: BaseException) -> bool:
    """Return whether an error is Ctrl-C. An interrupted statement of DuckDB raises a RuntimeError instead."""
    return isinstance(exc, KeyboardInterrupt) or (type(exc) is RuntimeError and str(exc) == "Query interrupted")


@contextmanager
def explaining_interruption() -> Iterator[None]:
    """Print on interruption of the block that the same command continues the work."""
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
            "demur: nothing that was answered is lost; the same command goes on from here." + batches_under_way(),
            err=True,
        )


def batches_under_way() -> str:
    """Return how many batches of this home go on at their providers, nothing where no round waited for any."""
    if "demur.engine.state.batches" not in sys.modules:
        return ""
    from demur.configuration.settings import demur_home
    from demur.flows.rounds.batches import known_batches

    try:
        count = len(known_batches(demur_home(), only_open=True))
    except Exception:  # an interruption ends the process, whatever cannot be read
        return ""
    if not count:
        return ""
    return f" Batches that go on at their providers and are collected then: {count} (demur batches list)."


def exit_process(status: int) -> None:
    """End the process at once: everything durable is on the disk, and threads of a cut-off round must not linger."""
    if "demur.flows.orchestration.temporary_api" in sys.modules:
        from demur.flows.orchestration.temporary_api import stop_temporary_api

        stop_temporary_api()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # its reader is gone, or its disk is full
            stream.flush()
    os._exit(status)


def end_on_signals(first: Callable[[], None], within_seconds: float = 0.0) -> None:
    """From now on let Ctrl-C and SIGTERM end the process after `first`, at the latest after the given time.

    Both signals reach a temporary Prefect server too if they are sent to the process group. A flow left by an exception
    would then retry requests to that server for minutes. A round may be killed anywhere, so it need not report its end.
    While a flow runs, Prefect's handler for SIGTERM replaces ours. A thread therefore reads the signals that Python
    notes under any handler. A timer ends the process when handler or thread waits for a lock of the interrupted code.
    """
    ending = threading.Lock()

    def end(number: int, frame: FrameType | None = None) -> None:
        if ending.acquire(blocking=False):
            with suppress(Exception):  # the process ends, whatever the terminal looks like
                first()
            _announce_resumption()
            exit_process(SIGNALLED + number)

    def ended(number: int) -> None:
        time.sleep(within_seconds)
        last = threading.Timer(LONGEST_ENDING_SECONDS, os._exit, (SIGNALLED + number,))
        last.daemon = True
        last.start()  # first, as `first` may wait for a lock in this thread too
        end(number)

    signal.signal(signal.SIGTERM, end)
    if not within_seconds:
        signal.signal(signal.SIGINT, end)
    _watch_signals(ended)


def announce_interruptions() -> None:
    """From now on acknowledge Ctrl-C at once, even if the interrupted code ends later."""
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        _watch_signals(lambda number: None)


def _watch_signals(then: Callable[[int], None]) -> None:
    """Let a thread announce that the process stops, and call `then`, whichever handler of the signal there is."""
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
