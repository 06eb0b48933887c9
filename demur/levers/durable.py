"""Durable writing of files: whole or not at all, and synced to the disk."""

import os
import uuid
from contextlib import suppress
from pathlib import Path


def replace_durably(path: Path, data: bytes) -> None:
    """Write a file, and create its folder. Readers of an existing file see either the old or the new content.

    Raises:
        OSError: the file cannot be written; the old content stays.
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
    """Write and sync a file that must not exist yet."""
    with path.open("xb") as sink:
        sink.write(data)
        sink.flush()
        os.fsync(sink.fileno())


def made_once(path: Path, data: bytes) -> bytes:
    """Return a file's content. A missing file is first created with `data`, unless another process creates it."""
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
    """Sync the names in a directory to the disk, if the system can."""
    if os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
