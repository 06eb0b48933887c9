"""How a command ends: at once, and with one message where somebody interrupted what the same command continues."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final

from demur.flows.cli.printing import echo

INTERRUPTED: Final = 130


@contextmanager
def resumable() -> Iterator[None]:
    """Where somebody interrupts what the block does, say that the same command goes on with it."""
    try:
        yield
    except KeyboardInterrupt:
        _say_that_it_goes_on()
        raise


def _say_that_it_goes_on() -> None:
    echo(
        "\ndemur: interrupted. Nothing that was answered is lost; the same command goes on from here."
        + batches_under_way(),
        err=True,
    )


def batches_under_way() -> str:
    """Return what becomes of batches that a round of this process waited for, nothing where there are none."""
    if "demur.flows.batching.store" not in sys.modules:
        return ""
    from demur.flows.batching.batches import known_batches
    from demur.flows.settings import demur_home

    try:
        count = len(known_batches(demur_home(), only_open=True))
    except Exception:  # an interruption ends the process, whatever cannot be read
        return ""
    if not count:
        return ""
    return f" Batches that go on at their providers and are collected then: {count} (demur batches list)."


def leave(status: int) -> None:
    """End the process at once: everything durable is on the disk, and threads of a cut-off round must not linger."""
    if "prefect" in sys.modules:
        from demur.flows.api import stop_temporary_api

        stop_temporary_api()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # whoever reads it is gone, or its disk is full
            stream.flush()
    os._exit(status)


def leave_when_interrupted(first: Callable[[], None]) -> None:
    """From now on let Ctrl-C end the process where it stands, after `first`.

    A terminal sends Ctrl-C to the temporary Prefect server too. A flow that is left by an exception then tells that
    server, which is gone, and tries again for minutes. A round may die anywhere, so it need not say goodbye.
    """

    def end(number: int, frame: FrameType | None) -> None:
        first()
        _say_that_it_goes_on()
        leave(INTERRUPTED)

    signal.signal(signal.SIGINT, end)
