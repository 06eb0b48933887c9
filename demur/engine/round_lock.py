"""The lock of a round: one process works on it; to look whether it is held blocks no other process."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from demur.engine.progress import observer
from demur.errors import RoundBusyError
from demur.warehouse.home import Home
from demur.warehouse.store_locks import StoreLockBusyError, store_lock

_RETRY_SECONDS: Final = 0.01
_held: set[Path] = set()


@contextmanager
def round_lock(home: Home, round_id: str) -> Iterator[None]:
    """Keep other processes off a round inside the block; the same process may enter again.

    The lock is the operating system's, so that it ends with the process, however that ends.

    Raises:
        RoundBusyError: another process holds it; the message names its PID.
    """
    path = _lock_path(home, round_id)
    if path in _held:
        yield
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+") as file:
        if not _acquire(file):
            file.seek(0)
            raise RoundBusyError(
                f"round {round_id} is being worked on by PID {file.read().strip() or 'unknown'}. Wait for it, or start "
                "another round"
            )
        file.seek(0)
        file.truncate()
        file.write(str(os.getpid()))
        file.flush()
        try:
            with store_lock(home, round_id, on_wait=observer().notice):
                _held.add(path)
                yield
        except StoreLockBusyError as exc:
            raise RoundBusyError(str(exc)) from exc
        finally:
            _held.discard(path)


def is_locked(home: Home, round_id: str) -> bool:
    """Return whether a process works on a round."""
    path = _lock_path(home, round_id)
    if path in _held:
        return True
    if not path.exists():
        return False
    with path.open() as file:
        return not _locked(file, fcntl.LOCK_SH)


def _lock_path(home: Home, round_id: str) -> Path:
    return home.locks / f"{round_id}.lock"


def _acquire(file: IO[str]) -> bool:
    """Take the lock unless a process works on the round; return whether it was taken.

    Who looks shares the lock for a moment. Who works on the round has it alone, so where it can be shared it is soon
    free.
    """
    while not _locked(file, fcntl.LOCK_EX):
        if not _locked(file, fcntl.LOCK_SH):
            return False
        fcntl.flock(file, fcntl.LOCK_UN)
        time.sleep(_RETRY_SECONDS)
    return True


def _locked(file: IO[str], kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
