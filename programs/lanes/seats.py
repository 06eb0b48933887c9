"""How many processes ask a model at the same time, as far as they share a folder.

Whoever asks holds a file in it and keeps that file locked. The operating system lets go of the lock when a process
ends, however it ends; so nobody has to say goodbye, and whoever counts next sweeps what a killed one has left behind.
"""

import fcntl
import os
import uuid
from pathlib import Path


class Seat:
    """One of those who ask a model."""

    def __init__(self, folder: Path) -> None:
        """Take a seat in a folder, which is made where there is none; raises OSError where it cannot be."""
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        while True:
            self._path = folder / uuid.uuid4().hex
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
            fcntl.flock(self._file, fcntl.LOCK_EX)
            if self._path.exists():  # nobody swept it between its making and its locking
                return
            os.close(self._file)

    def taken(self) -> int:
        """Return how many seats are taken, this one included."""
        return max(1, sum(_is_held(path) for path in self._folder.iterdir()))

    def leave(self) -> None:
        """Free the seat."""
        self._path.unlink(missing_ok=True)
        os.close(self._file)


def _is_held(path: Path) -> bool:
    """Whether somebody keeps a file locked; it is removed where nobody does."""
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
