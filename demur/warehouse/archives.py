"""Backups: tar files with the files of a home.

The name of a tar member is the key of its file. The last member is a manifest with the digests of the files.
"""

import hashlib
import io
import json
import os
import shutil
import tarfile
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from demur.levers.durable import sync_directory
from demur.levers.explain import explain
from demur.warehouse.errors import WarehouseError, disk_explained
from demur.warehouse.home import is_inside
from demur.warehouse.releases.manifest import files_below, sha256

MANIFEST: Final = "manifest.json"
FORMAT: Final = 1
_CHUNK_BYTES: Final = 4 * 2**20


class BundledFile(BaseModel):
    """SHA-256 and size in bytes of a file in a backup."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    sha256: str
    bytes: int


class BundleManifest(BaseModel):
    """The manifest of a backup: when and by which version it was made, and its files by key."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    format: Literal[1]
    demur: str
    made_at: str
    files: dict[str, BundledFile]


@dataclass(frozen=True, slots=True)
class Bundle:
    """An unpacked backup: its manifest, and the folder with its files."""

    manifest: BundleManifest
    folder: Path

    @property
    def files(self) -> list[str]:
        """The keys of the files, in the order of the manifest."""
        return list(self.manifest.files)


class _Hashing(io.RawIOBase):
    """A reader of a file that computes the SHA-256 of the bytes read."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self.digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        chunk = self._source.read(size)
        self.digest.update(chunk)
        return chunk


def write_bundle(path: Path, files: Mapping[str, Path], facts: Mapping[str, object]) -> dict[str, dict[str, Any]]:
    """Write a new backup atomically.

    Args:
        path: the new tar file.
        files: paths of the files, by key.
        facts: further entries of the manifest.

    Returns:
        SHA-256 and size in bytes of each file, by key.

    Raises:
        WarehouseError: `path` exists already, the disk is full, or a file cannot be read.
    """
    draft = path.with_name(f".{path.name}-{uuid.uuid4().hex[:8]}")
    entries: dict[str, dict[str, Any]] = {}
    with disk_explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            raise WarehouseError(f"{path}: already exists; name another file")
        try:
            with draft.open("xb") as sink:
                with tarfile.open(fileobj=sink, mode="w", format=tarfile.PAX_FORMAT) as tar:
                    for key, file in files.items():
                        entries[key] = _add(tar, key, file)
                    content = json.dumps({"format": FORMAT, **facts, "files": entries}, indent=1).encode()
                    info = tarfile.TarInfo(MANIFEST)
                    info.size = len(content)
                    tar.addfile(info, io.BytesIO(content))
                sink.flush()
                os.fsync(sink.fileno())
            os.link(draft, path)
            sync_directory(path.parent)
        except FileExistsError:
            raise WarehouseError(f"{path}: already exists; name another file") from None
        finally:
            draft.unlink(missing_ok=True)
    return entries


def _add(tar: tarfile.TarFile, key: str, file: Path) -> dict[str, Any]:
    with file.open("rb") as source:
        info = tar.gettarinfo(arcname=key, fileobj=source)
        info.uname = info.gname = ""
        info.uid = info.gid = 0
        info.type = tarfile.REGTYPE  # else tar would write a second hard link as a link
        hashing = _Hashing(source)
        tar.addfile(info, hashing)
    return {"sha256": hashing.digest.hexdigest(), "bytes": info.size}


@contextmanager
def unpacked(path: Path, folder: Path) -> Iterator[Bundle]:
    """Yield a backup, unpacked into a new folder and verified by its manifest; the folder is deleted after the block.

    Raises:
        WarehouseError: the file is no complete backup of this format, or one of its files contradicts the manifest.
    """
    with disk_explained(folder):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        try:
            manifest = _unpack(path, folder)
            _check(path, folder, manifest.files)
            yield Bundle(manifest, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _unpack(path: Path, folder: Path) -> BundleManifest:
    """Write the files of a tar into a folder; return the manifest."""
    try:
        with path.open("rb") as source, tarfile.open(fileobj=source, mode="r:") as tar:
            for member in tar:
                packed = tar.extractfile(member) if member.isreg() else None
                if packed is None or not is_inside(member.name):
                    raise WarehouseError(
                        f"{path}: '{member.name}' is not a file of a home, so this file is not a backup"
                    )
                if member.name == MANIFEST:
                    return BundleManifest.model_validate_json(packed.read())
                target = folder / member.name
                if target.exists():
                    raise WarehouseError(f"{path}: '{member.name}' is there twice, so this file is not a backup")
                target.parent.mkdir(parents=True, exist_ok=True)
                with target.open("xb") as sink:
                    shutil.copyfileobj(packed, sink, _CHUNK_BYTES)
                    sink.flush()
                    os.fsync(sink.fileno())
                target.chmod(member.mode & 0o777)
    except ValidationError as exc:
        problem = next(explain(exc, BundleManifest))
        raise WarehouseError(
            f"{path}: {MANIFEST}: {problem.message}. This version of demur reads backups of format {FORMAT}; "
            "take another backup"
        ) from exc
    except (tarfile.TarError, ValueError, EOFError) as exc:
        raise WarehouseError(f"{path}: is not a backup, or was cut ({exc}); take another backup") from exc
    raise WarehouseError(f"{path}: was cut: the manifest, which comes last, is missing; take another backup")


def _check(path: Path, folder: Path, files: Mapping[str, BundledFile]) -> None:
    for key, entry in files.items():
        file = folder / key
        if not is_inside(key) or not file.is_file():
            raise WarehouseError(f"{path}: {key} is missing; take another backup")
        if sha256(file) != entry.sha256:
            raise WarehouseError(
                f"{path}: {key} was altered: its checksum is not the one in the manifest; take another backup"
            )
    if extra := set(files_below(folder)) - set(files):
        raise WarehouseError(f"{path}: {min(extra)} is not in the manifest; take another backup")
