"""Errors of the warehouse. Every message gives the place, the actual value, the allowed values and the remedy."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DISK_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}
_NO_FOLDER = {errno.ENOTDIR, errno.EEXIST}
_NO_FILE = {errno.ENOENT, errno.EISDIR, errno.ENAMETOOLONG}


class WarehouseError(Exception):
    """The warehouse or one of its files cannot be used."""


class WarehouseBusyError(WarehouseError):
    """Another process or thread had the file open for longer than the caller was willing to wait."""


class WarehouseMissingError(WarehouseError):
    """There is no warehouse yet: nothing has been loaded or published."""


class WarehouseVersionError(WarehouseError):
    """Another version of demur wrote the file, and this version cannot read the file."""


class OtherTablesError(WarehouseVersionError):
    """A version of demur with other tables wrote the file; the file can be rebuilt with its rows."""


class LandingError(WarehouseError):
    """Answers cannot be stored, because of the disk, a quota, permissions or the database."""


class RowError(WarehouseError):
    """A row is not valid for its table; the message names table, row, column, value and rule."""


@contextmanager
def disk_explained(path: Path, kind: type[WarehouseError] = WarehouseError) -> Iterator[None]:
    """Raise OSError inside the block as an error of class `kind`, with `path` and a remedy in its message."""
    try:
        yield
    except OSError as exc:
        raise kind(f"{explained(exc, path)}, then run the same command again: landed rows are kept") from exc


def explained(exc: OSError, path: Path | None = None) -> str:
    """Return an OSError as one line: place (`path`, or the error's file name), cause, remedy."""
    where = exc.filename if path is None else path
    what = str(exc) if where is None else f"{where}: {exc.strerror or exc}"
    return f"{what}; {_remedy(exc)}"


def _remedy(exc: OSError) -> str:
    if isinstance(exc, ConnectionError | TimeoutError):
        return "check the address, and that a server answers there"
    if exc.errno in DISK_FULL:
        return "the disk, the quota or the allowed file size is exhausted: free some space"
    if exc.errno in _FORBIDDEN:
        return "no permission: give this user the right to write there, or set DEMUR_HOME to another directory"
    if exc.errno in _NO_FOLDER:
        return "a file is where a directory is needed: move the file away, or set DEMUR_HOME to another directory"
    return "check the path" if exc.errno in _NO_FILE else "check the disk"
