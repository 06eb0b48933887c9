"""Locks of rounds and shards: one process has a lock, and the system frees the locks of a process that has ended.

With SQLite, a lock is a file that its process keeps locked (`flock`). With PostgreSQL, it is an advisory lock of a
session, which the server ends if the process is silent for `SILENT_SECONDS`. A process that was paused or cut off
finds its session ended before it asks a model again.
"""

import fcntl
import os
import socket
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from io import TextIOWrapper
from pathlib import Path
from typing import Final, Protocol

BEAT_SECONDS: Final = 1.0
"""Time between the statements by which a session is known to last."""
SURE_SECONDS: Final = 3.0
"""Time after such a statement for which the session is taken to last, without asking. It must be well below
`SILENT_SECONDS`, since nothing is sent to a model once another process may have the lock."""
SILENT_SECONDS: Final = 10.0


class Lock(Protocol):
    """A lock that this process has taken."""

    def is_held(self) -> bool:
        """Return whether no other process can have taken the lock. A lock that is lost stays lost."""

    def release(self) -> None:
        """Free the lock."""


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that has a lock, in words, and the last time at which a database heard of it."""

    who: str
    seen: datetime | None = None


@dataclass(frozen=True, slots=True)
class FileLock:
    """A locked file. A home that was renamed, unmounted or deleted has other files at its path, or none."""

    path: Path
    file: TextIOWrapper

    @classmethod
    def taken(cls, path: Path) -> "FileLock | None":
        """Return the lock of a file; None if another process has it."""
        while True:
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = cls(path, path.open("a+", encoding="utf-8"))
            try:
                fcntl.flock(lock.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                lock.file.close()
                return None
            if lock.is_held():
                break
            lock.file.close()  # who had the lock deleted the file meanwhile
        lock.file.truncate(0)
        lock.file.write(f"{os.getpid()} {socket.gethostname()}")
        lock.file.flush()
        return lock

    def is_held(self) -> bool:
        """Return whether the file is still the one at its path."""
        try:
            return os.path.samestat(self.path.stat(), os.fstat(self.file.fileno()))
        except OSError:
            return False

    def release(self) -> None:
        """Delete the file, then unlock it."""
        if self.is_held():
            with suppress(OSError):
                self.path.unlink()
        self.file.close()


def file_holder(path: Path) -> Holder | None:
    """Return the process that has locked a file; None if there is none."""
    try:
        with path.open(encoding="utf-8") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                pid, _, host = file.read().partition(" ")
                return Holder(f"PID {pid}{'' if host == socket.gethostname() else f' on {host}'}")
    except FileNotFoundError:
        pass
    return None
