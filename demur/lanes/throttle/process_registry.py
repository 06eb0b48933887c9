"""The processes that ask a model at the same time, registered where they all see it: in a folder, if nothing else.

A process that asks holds a file in it and keeps that file locked. The operating system lets go of the lock when a
process ends, however it ends; what a killed one has left behind is removed by the next that counts.
"""

import fcntl
import os
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from demur.lanes.throttle.circuit_breaker import Finding


class Lapsed(OSError):
    """A registration could not be renewed for so long that others may not count on it: nothing is to be asked."""


class Registration(Protocol):
    """One process among those that ask a model."""

    def active(self) -> int:
        """Return how many processes are registered, this one included; raises OSError, or Lapsed, if it cannot."""

    def unregister(self) -> None:
        """End the registration."""


@runtime_checkable
class Leasing(Protocol):
    """A registration over which rates are shared: one allowance for all processes, taken in portions."""

    def take(self, rate: str, amount: float, per_minute: float) -> float:
        """Return how much of an amount there was to take; a negative one is given back; raises OSError."""


@runtime_checkable
class FindingExchange(Protocol):
    """A registration over which processes tell each other that a model does not answer, whenever they renew."""

    finding: Finding | None
    heard: Finding | None


class Registry(Protocol):
    """Where processes are registered; as text, what a message calls it."""

    @property
    def remedy(self) -> str:
        """What to do where it cannot be used."""

    def register(self, model: str) -> Registration:
        """Count this process among those that ask a model; raises OSError: ConnectionError if it can be soon."""


@dataclass(frozen=True, slots=True)
class FolderRegistry:
    """Processes that share a file system, in a folder for each model."""

    folder: Path

    @property
    def remedy(self) -> str:
        """What to do where it cannot be used."""
        return "it must be a folder that can be written and locked in"

    def __str__(self) -> str:
        """Return the folder."""
        return str(self.folder)

    def register(self, model: str) -> Registration:
        """Count this process among those that ask a model; raises OSError if it cannot be."""
        return register(self.folder / model)


class FolderRegistration:
    """One process among those of a folder."""

    def __init__(self, folder: Path, path: Path, file: int) -> None:
        self._folder = folder
        self._path = path
        self._file = file

    def active(self) -> int:
        """Return how many processes are registered, this one included."""
        return max(1, sum(_is_held(path) for path in self._folder.iterdir()))

    def unregister(self) -> None:
        """End the registration."""
        self._path.unlink(missing_ok=True)
        os.close(self._file)


def register(folder: Path) -> FolderRegistration:
    """Count this process among those of a folder, which is made where there is none; raises OSError if it cannot be."""
    folder.mkdir(parents=True, exist_ok=True)
    while True:
        path = folder / uuid.uuid4().hex
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
        fcntl.flock(file, fcntl.LOCK_EX)
        if path.exists():  # it was not removed between its making and its locking
            return FolderRegistration(folder, path, file)
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
