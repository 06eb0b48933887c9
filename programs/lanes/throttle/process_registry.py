"""The processes that ask a model at the same time, registered in a folder that they share.

A process that asks holds a file in it and keeps that file locked. The operating system lets go of the lock when a
process ends, however it ends; what a killed one has left behind is removed by the next that counts.
"""

import fcntl
import os
import uuid
from pathlib import Path


class Registration:
    """One process among those that ask a model."""

    def __init__(self, folder: Path, path: Path, file: int) -> None:
        self._folder, self._path, self._file = folder, path, file

    def active(self) -> int:
        """Return how many processes are registered, this one included."""
        return max(1, sum(_is_held(path) for path in self._folder.iterdir()))

    def unregister(self) -> None:
        """End the registration."""
        self._path.unlink(missing_ok=True)
        os.close(self._file)


def register(folder: Path) -> Registration:
    """Count this process among those of a folder, which is made where there is none; raises OSError if it cannot be."""
    folder.mkdir(parents=True, exist_ok=True)
    while True:
        path = folder / uuid.uuid4().hex
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
        fcntl.flock(file, fcntl.LOCK_EX)
        if path.exists():  # it was not removed between its making and its locking
            return Registration(folder, path, file)
        os.close(file)


def _is_held(path: Path) -> bool:
    """Return whether a process keeps a file locked; it is removed where none does."""
    try:
        file = os.open(path, os.O_RDWR)
    except OSError:  # gone meanwhile
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    else:
        path.unlink(missing_ok=True)
        return False
    finally:
        os.close(file)
