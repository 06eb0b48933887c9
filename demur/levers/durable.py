"""Files written durably: whole or not at all, and on the disk when the call returns."""

import os
import uuid
from contextlib import suppress
from pathlib import Path


def replace_durably(path: Path, data: bytes) -> None:
    """Write a file in place of one that is there; its folder is made, and readers see the old contents or the new.

    Raises:
        OSError: the disk refuses; the old contents stay.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}-{uuid.uuid4().hex[:8]}")
    try:
        write_once(draft, data)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    sync_directory(path.parent)


def write_once(path: Path, data: bytes) -> None:
    """Write a file and return once it is on the disk; the file must not exist yet."""
    with path.open("xb") as sink:
        sink.write(data)
        sink.flush()
        os.fsync(sink.fileno())


def made_once(path: Path, data: bytes) -> bytes:
    """Return a file's content; if it is missing, one of all processes creates it, with its own data."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        draft = path.with_name(f".{path.name}-{uuid.uuid4().hex[:8]}")
        try:
            write_once(draft, data)
            with suppress(FileExistsError):
                path.hardlink_to(draft)
        finally:
            draft.unlink(missing_ok=True)
    return path.read_bytes()


def sync_directory(path: Path) -> None:
    """Return once the names in a directory are on the disk; a no-op where directories cannot be opened."""
    if os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
