"""Connections to the warehouse: one writer of the loader's file at a time, any number of readers of the published copy.

While a process has the loader's file open, no other process can open the file, not even to read. Callers therefore open
the file for one operation, and a round's process for its operations of half a second, unless another process waits.
Other processes wait meanwhile, and their messages name the process with the open file.
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
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Literal

import duckdb

from demur.levers.durable import write_once
from demur.warehouse.errors import WarehouseError, WarehouseMissingError, disk_explained
from demur.warehouse.home import Home
from demur.warehouse.statements import statement
from demur.warehouse.tables.made_tables import make_tables, require_made
from demur.warehouse.transactions import Connection, OnWait, Patience, turn_of

_DUCKDB: Final = tuple(module for name, module in sys.modules.items() if name.startswith("duckdb"))
"""DuckDB's modules. The reference makes Python clear them at exit; otherwise DuckDB prints a list of leaked objects if
a daemon thread of Prefect still refers to a flow."""

READ_WAIT_SECONDS = 10.0
_HOLDER = re.compile(r"held in (?P<program>.+?) \(PID (?P<pid>\d+)\)")
_DAMAGED = re.compile(
    r"not a valid DuckDB database|Could not read enough bytes|Corrupt database|checksum|WAL file|deserializ|"
    r"sqlite_scanner",
    re.I,
)


@contextmanager
def writing(
    home: Home,
    *,
    wait_seconds: float,
    on_wait: OnWait | None = None,
    memory_limit: str = "1GB",
    keep_open: bool = False,
) -> Iterator[Connection]:
    """Open the loader's file and yield a connection for writing; other processes wait until the block ends.

    Args:
        home: the home with the loader's file; a missing file is created.
        wait_seconds: how long to wait while another process or thread has the file open.
        on_wait: called every few seconds of waiting with a message that names the holder's PID.
        memory_limit: memory of DuckDB before it spills to disk, as '1GB'.
        keep_open: whether the file stays open for half a second after the block, or until another process wants it.
            Opening and closing it takes 30 ms, mostly for views. Do not copy or rename the file meanwhile: whoever
            closes one handle of a file loses DuckDB's lock on it.

    Raises:
        WarehouseBusyError: another process still has the file open after `wait_seconds`.
        WarehouseVersionError: another version of demur wrote the file.
        WarehouseError: damaged file, no permission, full disk, or any error of DuckDB inside the block.
    """
    patience = Patience(wait_seconds, on_wait)
    with turn_of(home.loader).taken(home.loader, patience), _explained(home.loader):
        _create_if_missing(home)
        with _opened(home, memory_limit, patience, "", keep_open) as con:
            make_tables(con, str(home.loader))
            yield con


@contextmanager
def reading(
    home: Home,
    which: Literal["loader", "published"] = "published",
    *,
    wait_seconds: float = READ_WAIT_SECONDS,
    on_wait: OnWait | None = None,
    memory_limit: str = "1GB",
    copy: Path | None = None,
    threads: int | None = None,
    keep_open: bool = False,
) -> Iterator[Connection]:
    """Yield a read-only connection to the published copy, or to the loader's file.

    If a publication replaces the published copy inside the block, the connection still reads the old copy.

    Args:
        home: the home.
        which: `published` for the published copy, `loader` for the loader's file. Writers wait while a reader has the
            loader's file open.
        wait_seconds: how long to wait while a writer has the file open.
        on_wait: called every few seconds of waiting.
        memory_limit: memory of DuckDB before it spills to disk.
        copy: another path of the published copy.
        threads: threads of DuckDB; None for one a core.
        keep_open: as in `writing`, for the loader's file.

    Raises:
        WarehouseMissingError: nothing was published yet.
        WarehouseBusyError: a writer has the file open for longer than `wait_seconds`.
        WarehouseVersionError: a very early version of demur wrote the file.
        WarehouseError: damaged file, no permission, or any error of DuckDB inside the block.
    """
    path = home.published if which == "published" else home.loader
    patience = Patience(wait_seconds, on_wait)
    with _explained(path):
        with disk_explained(path):
            found = copy is not None or path.exists()
        if not found:
            raise WarehouseMissingError(f"{path}: there is no warehouse yet; run a round first (demur round)")
        with ExitStack() as stack:
            place = str(copy or path)
            if which == "loader":
                stack.enter_context(turn_of(path).taken(path, patience))
                con = stack.enter_context(_opened(home, memory_limit, patience, _READ_ONLY, keep_open))
            else:  # DuckDB would share one by path, even after the file was replaced
                limited = {} if threads is None else {"threads": threads}
                instance = duckdb.connect(":memory:", config=_config(home, memory_limit) | limited)
                stack.callback(_close, instance)
                _patiently(lambda: instance.execute(_attach(place, _READ_ONLY)), patience)
                con = stack.enter_context(_connected(instance))
            require_made(con, place)
            yield con


def _attach(place: str, options: str) -> str:
    quoted = place.replace("'", "''")
    return f"ATTACH '{quoted}' AS warehouse {options}"


@contextmanager
def _connected(instance: Connection) -> Iterator[Connection]:
    con = instance.cursor()
    try:
        con.execute("USE warehouse; SET TimeZone = 'UTC'; SET enable_progress_bar = false")
        yield con
    finally:
        _close(con)


def _close(con: Connection) -> None:
    """Close a connection, unless an interrupted statement on another thread still uses it."""
    with suppress(duckdb.ResourceInUseException):
        con.close()


BLOCK_BYTES: Final = 65_536
"""Size of a block. A small round fills few of its hundreds of columns, each with a block of its own: a quarter of
DuckDB's size leaves a file of 3.6 MB in place of 12. Smaller blocks make bulk writes slower."""
_READ_ONLY: Final = "(READ_ONLY)"
_KEEP_SECONDS: Final = 0.5
_GIVE_WAY_SECONDS: Final = 0.06
"""Longer than the pause between two attempts of a process that waits, which therefore gets the file."""


@dataclass(slots=True)
class _Kept:
    """A DuckDB instance of this process, and the options with which the loader's file is attached to it."""

    instance: Connection
    options: str | None = None
    timer: threading.Timer | None = None

    def detach(self) -> None:
        if self.options is not None:
            self.instance.execute("DETACH warehouse")
            self.options = None


_KEPT: Final[dict[tuple[int, Path], _Kept]] = {}


@contextmanager
def _opened(home: Home, memory_limit: str, patience: Patience, options: str, keep_open: bool) -> Iterator[Connection]:
    """Yield a connection to the loader's file; the caller must hold the lock `Turn` of the file.

    The DuckDB instance is kept, since starting DuckDB takes longer than opening the file. An error inside the block
    closes the instance, and the next call starts another one.
    """
    own, turn = (os.getpid(), home.loader), turn_of(home.loader)
    kept = _KEPT.pop(own, None)
    if kept is None:
        close_kept()
        kept = _Kept(duckdb.connect(":memory:", config=_config(home, memory_limit)))
    elif kept.timer is not None:
        kept.timer.cancel()
    try:
        kept.instance.execute(f"SET memory_limit = '{memory_limit}'; RESET threads")
        if options != _READ_ONLY and kept.options == _READ_ONLY:
            kept.detach()
        if kept.options is None:
            if turn.is_wanted():
                time.sleep(_GIVE_WAY_SECONDS)
            attach = _attach(str(home.loader), options)
            _patiently(lambda: kept.instance.execute(attach), patience, on_busy=turn.want)
            kept.options = options
        with _connected(kept.instance) as con:
            yield con
        if not keep_open or turn.is_wanted():
            kept.detach()
    except BaseException:
        kept.instance.close()
        raise
    if kept.options is not None:
        kept.timer = threading.Timer(_KEEP_SECONDS, _let_go, own)
        kept.timer.daemon = True
        kept.timer.start()
    _KEPT[own] = kept


def _let_go(process: int, loader: Path, *, close: bool = False) -> None:
    """Close the loader's file, or with `close` the DuckDB instance of the file, unless a thread uses it."""
    with turn_of(loader).taken_if_free() as is_free:
        if not is_free or (kept := _KEPT.pop((process, loader), None)) is None:
            return
        try:
            kept.detach()
        except duckdb.Error:  # as a full disk: what was committed stands in the log, and the next opening reads it
            close = True
        if close:
            kept.instance.close()
        else:
            _KEPT[process, loader] = kept


@atexit.register
def _forget_tracebacks() -> None:
    """Clear the tracebacks of live exceptions at exit.

    Daemon threads may keep the exceptions alive, and DuckDB would report objects in the tracebacks as leaked.
    """
    gc.unfreeze()
    for known in gc.get_objects():
        if isinstance(known, BaseException):
            known.__traceback__ = None


@atexit.register
def close_kept() -> None:
    """Close this process's DuckDB instance for the loader's file, unless a block uses it.

    An idle instance takes some 40 MB of memory.
    """
    for process, loader in list(_KEPT):
        _let_go(process, loader, close=True)


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
    """Create a missing loader's file atomically."""
    with disk_explained(home.loader):
        if home.loader.exists():
            return
        if home.published.exists():
            raise WarehouseMissingError(
                f"{home.loader}: is missing, but rounds were loaded here. Run `demur warehouse rebuild`, which makes "
                "it again from the published copy; then run the same command again"
            )
        home.root.mkdir(parents=True, exist_ok=True)
        draft = home.root / f".loader-{os.getpid()}-{uuid.uuid4().hex[:8]}.duckdb"
        try:
            write_once(draft, _empty())
            _name(draft, home.loader)
        finally:
            draft.unlink(missing_ok=True)


def keep_summaries(draft: Path) -> None:
    """Replace the view `round_summaries` by a table of its rows, in a copy that no process has open."""
    with _explained(draft), duckdb.connect(str(draft)) as con:
        con.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
        con.execute(statement("keep_summaries"))


@cache
def _empty() -> bytes:
    """Return the bytes of an empty warehouse file; cached, since it takes half a second."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.duckdb"
        with duckdb.connect(str(path), config={"default_block_size": BLOCK_BYTES}) as con:
            con.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
            make_tables(con, str(path))
        return path.read_bytes()


def _name(draft: Path, final: Path) -> None:
    """Rename a finished file unless another process has created a file of that name meanwhile."""
    try:
        os.link(draft, final)
    except OSError:  # somebody else was faster, or the file system has no hard links
        if not final.exists():
            draft.rename(final)


def _patiently(
    open_it: Callable[[], Connection], patience: Patience, *, on_busy: Callable[[], None] = lambda: None
) -> None:
    while True:
        try:
            open_it()
            return
        except duckdb.IOException as exc:
            if "Could not set lock" not in str(exc):
                raise
            holder = _HOLDER.search(str(exc))
            who = f"PID {holder['pid']} ({holder['program']})" if holder else "another process"
            place = re.search(r'on file "(.+?)"', str(exc))
            on_busy()
            patience.wait(f"{place[1] if place else 'the warehouse'} is held open by {who}")


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Raise errors of DuckDB inside the block as WarehouseError with a remedy."""
    try:
        yield
    except duckdb.Error as exc:
        raise WarehouseError(_explanation(path, str(exc))) from exc


def _explanation(path: Path, message: str) -> str:
    line = " ".join(message.split())
    if _DAMAGED.search(message):
        remedy = (
            "`demur warehouse rebuild` makes it again from the published copy; then run the same command again"
            if path.name == "loader.duckdb"
            else f"delete {path.name}; the next stage publishes it again from loader.duckdb"
        )
        return f"{path} is damaged or is not a warehouse ({line}): {remedy}"
    if "No space left" in message or "Disk quota" in message or "File too large" in message:
        return f"{path}: the disk is full ({line}): free some space, then run the same command again"
    if "Permission denied" in message:
        return f"{path}: no permission ({line}): give this user the right to read and write {path.parent}"
    return f"{path}: {line}"
