"""Transactions of DuckDB, and waiting for the loader's file."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Final

import duckdb

from demur.warehouse.errors import WarehouseBusyError, WarehouseError

# Transactions of DuckDB.


Connection = duckdb.DuckDBPyConnection


@contextmanager
def undone(con: Connection) -> Iterator[None]:
    """Roll back what the block changes."""
    con.begin()
    try:
        yield
    finally:
        con.rollback()


@contextmanager
def transaction(con: Connection) -> Iterator[None]:
    """Commit at the end of the block; roll back and re-raise if the block raises an error."""
    con.begin()
    try:
        yield
        con.commit()
    except BaseException:
        # A commit that failed (a full disk) has ended the transaction already.
        with suppress(duckdb.Error):
            con.rollback()
        raise


# Waiting for the loader's file: a lock for the threads of this process, and repeated pauses with messages.


OnWait = Callable[[str], None]

_FIRST_NOTICE_SECONDS: Final = 1.0
_NEXT_NOTICE_SECONDS: Final = 5.0
_LONGEST_PAUSE_SECONDS: Final = 0.04
_WANTED_SECONDS: Final = 1.0


class Turn:
    """The lock of the loader's file for threads of this process, and the mark of processes that wait for the file.

    DuckDB's own lock works between processes only.
    """

    def __init__(self, loader: Path) -> None:
        self._lock = threading.Lock()
        self._owner: int | None = None
        self._wanted = loader.with_name(".wanted-loader")

    @contextmanager
    def taken(self, place: Path, patience: "Patience") -> Iterator[None]:
        """Hold the lock inside the block.

        Raises:
            WarehouseError: this thread holds the lock already.
            WarehouseBusyError: another thread holds the lock for longer than `patience` allows.
        """
        if self._owner == threading.get_ident():
            raise WarehouseError(f"{place}: is already open in this thread; leave that block before opening it again")
        while not self._lock.acquire(timeout=0.2):
            patience.wait(f"{place} is in use by another thread of this process (PID {os.getpid()})", sleep=False)
        self._owner = threading.get_ident()
        try:
            yield
        finally:
            self._owner = None
            self._lock.release()

    @contextmanager
    def taken_if_free(self) -> Iterator[bool]:
        """Hold the lock inside the block if no thread holds it; yield whether."""
        is_taken = self._lock.acquire(blocking=False)
        try:
            yield is_taken
        finally:
            if is_taken:
                self._lock.release()

    def want(self) -> None:
        """Let the process that has the file open know that this process waits for it."""
        with suppress(OSError):
            self._wanted.touch()

    def is_wanted(self) -> bool:
        """Return whether another process has waited for the file in the last second."""
        try:
            return time.time() - self._wanted.stat().st_mtime < _WANTED_SECONDS
        except OSError:
            return False


class Patience:
    """Repeated pauses of growing length until a deadline, with a message every few seconds."""

    def __init__(self, seconds: float, on_wait: OnWait | None) -> None:
        self._allowed = seconds
        self._started = time.monotonic()
        self._notice = _FIRST_NOTICE_SECONDS
        self._pause = 0.02
        self._on_wait = on_wait

    def wait(self, why: str, *, sleep: bool = True) -> None:
        """Pause once.

        Raises:
            WarehouseBusyError: the deadline has passed.
        """
        waited = time.monotonic() - self._started
        if waited >= self._allowed:
            raise WarehouseBusyError(
                f"{why}; waited {waited:.0f} s. End that program, then run the same command again: "
                f"nothing that has landed is lost"
            )
        if waited >= self._notice and self._on_wait is not None:
            self._notice = waited + _NEXT_NOTICE_SECONDS
            self._on_wait(f"{why}; waiting up to {self._allowed - waited:.0f} s more")
        if sleep:
            time.sleep(min(self._pause, self._allowed - waited))
            self._pause = min(self._pause * 1.6, _LONGEST_PAUSE_SECONDS)


@cache
def turn_of(loader: Path) -> Turn:
    """Return the lock of a loader's file; all threads of this process get the same lock."""
    return Turn(loader)
