"""Errors of this room. Every message names place, actual value, what is allowed and the remedy."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DISK_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}
_NO_FOLDER = {errno.ENOTDIR, errno.EEXIST}
_NO_FILE = {errno.ENOENT, errno.EISDIR, errno.ENAMETOOLONG}


class WarehouseError(Exception):
    """The warehouse, its landing zone or a file of theirs could not be used."""


class WarehouseBusyError(WarehouseError):
    """Somebody else kept the file open for longer than the caller wanted to wait."""


class WarehouseMissingError(WarehouseError):
    """There is no warehouse yet: nothing has been loaded or published."""


class WarehouseVersionError(WarehouseError):
    """The file was written by another version of demur whose tables this one does not know."""


class OtherTablesError(WarehouseVersionError):
    """The file was made by an unreleased version of demur; the archive still has what it was made from."""


class LandingError(WarehouseError):
    """A shard could not be written to the landing zone: disk, quota or permission."""


class RowError(WarehouseError):
    """Rows that their table does not accept; names table, row, column, value and rule."""


@contextmanager
def disk_explained(path: Path, kind: type[WarehouseError] = WarehouseError) -> Iterator[None]:
    """Turn operating system errors inside the block into `kind`, with `path` and the remedy."""
    try:
        yield
    except OSError as exc:
        raise kind(f"{explained(exc, path)}, then run the same command again: what landed is kept") from exc


def explained(exc: OSError, path: Path | None = None) -> str:
    """Return one line for an operating system error: place (`path`, else the error's own file), cause, remedy."""
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
        return "a file stands where a directory is needed: move it away, or set DEMUR_HOME to another directory"
    return "check the path" if exc.errno in _NO_FILE else "check the disk"
