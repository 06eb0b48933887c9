"""Opens the warehouse: one writer at a time, never for long; readers get the published copy or wait briefly.

While a process has the loader's file open, no other process can open it, not even to read. So every caller opens it,
does one thing and closes it. A caller that finds it open waits and names the holder.
"""

import atexit
import gc
import os
import re
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Final, Literal

import duckdb

from demur.levers.durable import write_once
from demur.warehouse.errors import WarehouseBusyError, WarehouseError, WarehouseMissingError, disk_explained
from demur.warehouse.home import Home
from demur.warehouse.migrate import Migration, migrate, migrations, require_versioned
from demur.warehouse.statements import statement
from demur.warehouse.store import Stored
from demur.warehouse.stored_copy import refresh_published
from demur.warehouse.transaction import Connection as Connection

_DUCKDB: Final = tuple(module for name, module in sys.modules.items() if name.startswith("duckdb"))
"""DuckDB's modules, so that Python empties them at its end: else DuckDB lists all of its objects as leaked there, where
a thread of Prefect's, which never ends, still knows a flow."""
OnWait = Callable[[str], None]

READ_WAIT_SECONDS = 10.0
_FIRST_NOTICE_SECONDS = 1.0
_NEXT_NOTICE_SECONDS = 5.0
_HOLDER = re.compile(r"held in (?P<program>.+?) \(PID (?P<pid>\d+)\)")
_DAMAGED = re.compile(
    r"not a valid DuckDB database|Could not read enough bytes|Corrupt database|checksum|WAL file|deserializ|"
    r"sqlite_scanner",
    re.I,
)


class _Turn:
    """Lets one thread of this process at a time have the loader's file, because DuckDB shares it within a process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner: int | None = None

    @contextmanager
    def taken(self, place: Path, patience: "_Patience") -> Iterator[None]:
        """Hold the turn inside the block."""
        if self._owner == threading.get_ident():
            raise WarehouseError(f"{place}: this thread has it open already; leave that block before opening it again")
        while not self._lock.acquire(timeout=0.2):
            patience.wait(f"{place} is in use by another thread of this process (PID {os.getpid()})", sleep=False)
        self._owner = threading.get_ident()
        try:
            yield
        finally:
            self._owner = None
            self._lock.release()


class _Patience:
    """Waits with growing pauses up to a deadline, and says now and then for whom."""

    def __init__(self, seconds: float, on_wait: OnWait | None) -> None:
        self._allowed = seconds
        self._started = time.monotonic()
        self._notice = _FIRST_NOTICE_SECONDS
        self._pause = 0.02
        self._on_wait = on_wait

    def wait(self, why: str, *, sleep: bool = True) -> None:
        """Pause once.

        Raises:
            WarehouseBusyError: the allowed time is over.
        """
        waited = time.monotonic() - self._started
        if waited >= self._allowed:
            raise WarehouseBusyError(
                f"{why}; waited {waited:.0f} s. Close that program, then run the same command again: "
                f"nothing that has landed is lost"
            )
        if waited >= self._notice and self._on_wait is not None:
            self._notice = waited + _NEXT_NOTICE_SECONDS
            self._on_wait(f"{why}; waiting up to {self._allowed - waited:.0f} s more")
        if sleep:
            time.sleep(min(self._pause, self._allowed - waited))
            self._pause = min(self._pause * 1.6, 0.5)


@cache
def _turn(loader: Path) -> _Turn:
    return _Turn()


@contextmanager
def writing(
    home: Home, *, wait_seconds: float, on_wait: OnWait | None = None, memory_limit: str = "1GB"
) -> Iterator[Connection]:
    """Open the loader's file for writing, migrated; do one thing and leave the block.

    Args:
        home: whose loader file.
        wait_seconds: how long to wait while another process or thread has the file open.
        on_wait: called every few seconds of waiting with a message that names the holder's PID.
        memory_limit: memory of DuckDB before it spills to disk, as '1GB'.

    Raises:
        WarehouseBusyError: another process still has it open after `wait_seconds`.
        WarehouseVersionError: another version of demur wrote it.
        WarehouseError: damaged file, no permission, full disk, or any error of DuckDB inside the block.
    """
    patience = _Patience(wait_seconds, on_wait)
    with _turn(home.loader).taken(home.loader, patience), _explained(home.loader):
        _create_if_missing(home)
        with _kept_instance(home, memory_limit) as instance, _attached(instance, str(home.loader), patience, "") as con:
            migrate(con, migrations(), str(home.loader))
            yield con


@contextmanager
def reading(
    home: Home,
    which: Literal["loader", "published"] = "published",
    *,
    wait_seconds: float = READ_WAIT_SECONDS,
    on_wait: OnWait | None = None,
    memory_limit: str = "1GB",
    in_place: Stored | None = None,
) -> Iterator[Connection]:
    """Open the published copy (or the loader's file, briefly) read-only.

    A copy stays readable, unchanged, if it is replaced while open. Waiting is as in `writing`. A copy in the home's
    store is read there, part by part, where `in_place` names it, until it is deleted.

    Raises:
        WarehouseMissingError: nothing was published yet.
        StoreError: the home's store, whose published copy is fetched once, does not answer.
        WarehouseBusyError: a writer has it open for longer than `wait_seconds`.
        WarehouseVersionError: an unreleased version made it.
        WarehouseError: damaged file, no permission, or any error of DuckDB inside the block.
    """
    path = home.published if which == "published" else home.loader
    if which == "published" and in_place is None:
        refresh_published(home)
    patience = _Patience(wait_seconds, on_wait)
    with _explained(path):
        with disk_explained(path):
            found = in_place is not None or path.exists()
        if not found:
            raise WarehouseMissingError(f"{path}: there is no warehouse yet; run a round first (demur round)")
        with ExitStack() as stack:
            if which == "loader":
                stack.enter_context(_turn(path).taken(path, patience))
                instance = stack.enter_context(_kept_instance(home, memory_limit))
            else:  # DuckDB would share one by path, even after the file was replaced
                instance = duckdb.connect(":memory:", config=_config(home, memory_limit))
                stack.callback(_close, instance)
            place = str(path) if in_place is None else _registered(instance, home, in_place)
            con = stack.enter_context(_attached(instance, place, patience, "(READ_ONLY)"))
            require_versioned(con, place)
            yield con


@contextmanager
def _attached(instance: Connection, place: str, patience: _Patience, options: str) -> Iterator[Connection]:
    """Yield a connection of a DuckDB instance to a file, attached inside the block."""
    quoted = place.replace("'", "''")
    _patiently(lambda: instance.execute(f"ATTACH '{quoted}' AS warehouse {options}"), patience)
    con = instance.cursor()
    try:
        con.execute("USE warehouse; SET TimeZone = 'UTC'; SET enable_progress_bar = false")
        yield con
    finally:
        _close(con)
    instance.execute("DETACH warehouse")  # after an error the instance is closed


def _registered(instance: Connection, home: Home, copy: Stored) -> str:
    """Let a DuckDB instance read an object of the home's store, and return its address."""
    from demur.warehouse.stored_file import ADDRESS, StoredFiles

    assert home.store is not None
    instance.register_filesystem(StoredFiles(home.store, copy))
    return ADDRESS


def _close(con: Connection) -> None:
    """Close a connection, unless an interrupted statement on another thread still uses it."""
    with suppress(duckdb.ResourceInUseException):
        con.close()


_KEPT: Final[dict[tuple[int, Path], Connection]] = {}


@contextmanager
def _kept_instance(home: Home, memory_limit: str) -> Iterator[Connection]:
    """Yield the process's instance of DuckDB for the loader's file, to the holder of the turn.

    To start one takes longer than to open the file, so it is kept; after an error another one is started.
    """
    own = os.getpid(), home.spill
    instance = _KEPT.pop(own, None)
    if instance is None:
        _close_kept()
        instance = duckdb.connect(":memory:", config=_config(home, memory_limit))
    try:
        instance.execute(f"SET memory_limit = '{memory_limit}'; RESET threads")
        yield instance
    except BaseException:
        instance.close()
        raise
    _KEPT[own] = instance


@atexit.register
def _forget_tracebacks() -> None:
    """Clear the tracebacks of live exceptions.

    Threads that never end may keep them, and DuckDB would list their frames.
    """
    gc.unfreeze()
    for known in gc.get_objects():
        if isinstance(known, BaseException):
            known.__traceback__ = None


@atexit.register
def _close_kept() -> None:
    for own in list(_KEPT):
        if (instance := _KEPT.pop(own, None)) is not None:
            instance.close()


def _config(home: Home, memory_limit: str) -> dict[str, str | bool | int | float | list[str]]:
    return {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "python_enable_replacements": False,
        "preserve_insertion_order": True,
        "memory_limit": memory_limit,
        "temp_directory": str(home.spill),
    }


def _create_if_missing(home: Home) -> None:
    """Make the loader's file beside its place and rename it when complete, so a kill leaves all of it or nothing."""
    with disk_explained(home.loader):
        if home.loader.exists():
            return
        if home.store is None and (home.published.exists() or any(home.archive.glob("*/tables"))):
            raise WarehouseMissingError(
                f"{home.loader}: is missing, but rounds were loaded here. `demur warehouse rebuild` makes it again "
                "from what landed; then run the same command again"
            )
        home.root.mkdir(parents=True, exist_ok=True)
        draft = home.root / f".loader-{os.getpid()}-{uuid.uuid4().hex[:8]}.duckdb"
        try:
            write_once(draft, _empty(migrations()))
            _name(draft, home.loader)
        finally:
            draft.unlink(missing_ok=True)


def keep_summaries(draft: Path) -> None:
    """Put the rows of `round_summaries` into a copy that nobody has open yet, in place of the view, durably."""
    with _explained(draft), duckdb.connect(str(draft)) as con:
        con.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
        con.execute(statement("keep_summaries"))


@cache
def _empty(known: tuple[Migration, ...]) -> bytes:
    """Return the file of a migrated warehouse without rows; made once a process, since comments take half a second."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.duckdb"
        with duckdb.connect(str(path)) as con:
            con.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
            migrate(con, known, str(path))
        return path.read_bytes()


def _name(draft: Path, final: Path) -> None:
    """Give a finished file its name unless another process has just made one of that name."""
    try:
        os.link(draft, final)
    except OSError:  # somebody else was faster, or the file system has no hard links
        if not final.exists():
            draft.rename(final)


def _patiently(open_it: Callable[[], Connection], patience: _Patience) -> Connection:
    while True:
        try:
            return open_it()
        except duckdb.IOException as exc:
            if "Could not set lock" not in str(exc):
                raise
            holder = _HOLDER.search(str(exc))
            who = f"PID {holder['pid']} ({holder['program']})" if holder else "another process"
            place = re.search(r'on file "(.+?)"', str(exc))
            patience.wait(f"{place[1] if place else 'the warehouse'} is held open by {who}")


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn DuckDB's and the system's errors into ours, with a remedy where there is one."""
    try:
        yield
    except duckdb.Error as exc:
        raise WarehouseError(_explanation(path, str(exc))) from exc


def _explanation(path: Path, message: str) -> str:
    line = " ".join(message.split())
    if _DAMAGED.search(message):
        remedy = (
            "`demur warehouse rebuild` makes it again from what landed; then run the same command again"
            if path.name == "loader.duckdb"
            else f"delete {path.name}; the next stage publishes it again from loader.duckdb"
        )
        return f"{path} is damaged or is no warehouse ({line}): {remedy}"
    if "No space left" in message or "Disk quota" in message or "File too large" in message:
        return f"{path}: the disk is full ({line}): free some space, then run the same command again"
    if "Permission denied" in message:
        return f"{path}: no permission ({line}): give this user the right to read and write {path.parent}"
    return f"{path}: {line}"
