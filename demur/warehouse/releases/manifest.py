"""Frozen releases, their manifests, and the releases that a home trusts."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from demur.levers.durable import made_once
from demur.warehouse.errors import WarehouseError, disk_explained
from demur.warehouse.home import SEGMENT, Home, name_faults

# Frozen releases and their manifests.
#
# A manifest has the checksums of all other files. The checksum of the manifest therefore identifies the whole
# release.


MANIFEST: Final = "manifest.json"
SIGNATURE: Final = f"{MANIFEST}.sig"


class File(BaseModel):
    """One file of a release. The release's digest covers the files whose `identity` is true."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sha256: str
    bytes: int
    identity: bool
    rows: int | None = None


class Manifest(BaseModel):
    """A release's manifest, with its provenance."""

    model_config = ConfigDict(frozen=True, extra="allow")

    name: str = Field(pattern=rf"^{SEGMENT}$")
    version: str = Field(pattern=r"^[0-9]{1,9}$")
    round_id: str = Field(pattern=rf"^{SEGMENT}$")
    digest: str = Field(pattern=r"^[0-9a-f]{64}$")
    items: int
    files: dict[str, File]


@dataclass(frozen=True, slots=True)
class Release:
    """A frozen release.

    `digest` covers the data files only; `manifest_digest` covers all files. `created` is False if the same release
    existed before.
    """

    name: str
    version: str
    round_id: str
    digest: str
    items: int
    path: Path
    manifest_digest: str
    created: bool = False

    @property
    def label(self) -> str:
        """The label `NAME/VERSION`."""
        return f"{self.name}/{self.version}"


def releases(home: Home) -> list[Release]:
    """Return all frozen releases, by name and version.

    Raises:
        WarehouseError: a manifest cannot be read.
    """
    return [_shelved(folder) for folder in _folders(home)]


def labels(home: Home) -> list[str]:
    """Return the labels `NAME/VERSION` of all releases; manifests are not read."""
    return [f"{folder.parent.name}/{folder.name}" for folder in _folders(home)]


def release_at(home: Home, label: str) -> Release:
    """Return a release.

    Args:
        home: the home with the releases.
        label: `NAME/VERSION`, `NAME` for the newest version, or the path of a release's folder.

    Raises:
        WarehouseError: there is no such release, or its manifest cannot be read.
    """
    name, _, version = label.partition("/")
    folders = _folders(home)
    matching = [one for one in folders if one.parent.name == name and (not version or one.name == version)]
    if matching:
        return _shelved(matching[-1])
    if (Path(label) / MANIFEST).is_file():
        return _release(Path(label).resolve())
    if Path(label).exists():
        raise WarehouseError(
            f"{label}: is {'a folder' if Path(label).is_dir() else 'a file'}, not a release. Freeze its rows first: "
            f"demur release import {label}; then use the name that this prints"
        )
    there = ", ".join(f"{one.parent.name}/{one.name}" for one in folders) or (
        "none yet: run `demur round`, or freeze rows of yours (`demur release import FILE`)"
    )
    raise WarehouseError(f"release '{label}' does not exist; there are: {there}")


def manifest(home: Home, label: str) -> dict[str, Any]:
    """Return the manifest of a release; `label` has one of the forms that `release_at` takes."""
    return read_manifest(release_at(home, label).path).model_dump(mode="json", exclude_unset=True)


def identity_digest(files: Mapping[str, File]) -> str:
    """Return the digest of a release: SHA-256 over names and checksums of the files that belong to its identity."""
    named = [f"{name} {file.sha256}" for name, file in sorted(files.items()) if file.identity]
    return hashlib.sha256("\n".join(named).encode()).hexdigest()


def canonical(content: Mapping[str, object]) -> bytes:
    """Return the bytes of a manifest's file: UTF-8 JSON, keys sorted, indented by two spaces."""
    return (json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def files_below(folder: Path) -> list[str]:
    """Return the paths of all files below a folder, relative to the folder, with slashes, sorted.

    A link to a folder counts as a file, and is not followed.
    """
    below = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    return sorted(path.relative_to(folder).as_posix() for path in below)


def _folders(home: Home) -> list[Path]:
    """Return the folders of all releases, sorted by name and version."""
    found = (path.parent for path in home.releases.glob(f"*/*/{MANIFEST}"))
    numbered = (path for path in found if path.name.isdecimal())
    return sorted(numbered, key=lambda path: (path.parent.name, int(path.name)))


def _shelved(folder: Path) -> Release:
    """Return the release in a folder of a home; the folder's path decides name and version."""
    return replace(_release(folder), name=folder.parent.name, version=folder.name)


def _release(folder: Path) -> Release:
    content = read_manifest(folder)
    digest = sha256(folder / MANIFEST)
    return Release(content.name, content.version, content.round_id, content.digest, content.items, folder, digest)


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest in a release's folder.

    Raises:
        WarehouseError: the manifest cannot be read, or names files that are not plainly inside the release.
    """
    path = folder / MANIFEST
    try:
        found = Manifest.model_validate(json.loads(path.read_bytes(), object_pairs_hook=_once))
    except (OSError, ValueError, RecursionError) as exc:
        why = " ".join(str(exc).split())
        raise WarehouseError(f"{path}: is not a manifest ({why}); restore it from a copy of the release") from exc
    for fault in name_faults(found.files, (MANIFEST, SIGNATURE)):
        raise WarehouseError(f"{path}: {fault}. Nothing was read: do not use this release")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object. Refuse a name that occurs twice, since readers differ on which of the two counts."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} occurs twice")
    return found


# The list of releases whose manifests may name what a home asks: those frozen here, and those that its owner trusts.
#
# The list is the folder `own-releases/` beside `releases/`, with a file for each digest of a manifest, so that
# several processes can add to it at once. The digest of the data files would not do: a copy can have the same data
# and other models.


def note_own(home: Home, manifest_digest: str, label: str) -> None:
    """Put a manifest's digest on the list of a home; a second call changes nothing."""
    path = home.own_releases / manifest_digest
    with disk_explained(path):
        made_once(path, f"{label}\n".encode())


def is_own(home: Home, manifest_digest: str) -> bool:
    """Return whether a manifest's digest is on the list of a home."""
    return (home.own_releases / manifest_digest).is_file()
