"""Releases of a home in a store.

- releases/<name>/<version>.claim: round and digest of the version, created before the release's first file.
- releases/<name>/<version>/...: the release's files. The manifest is written last: a release without a manifest is
  incomplete.
"""

import json
from collections.abc import Collection
from pathlib import Path, PurePosixPath
from typing import Final

from demur.warehouse.errors import WarehouseError, disk_explained
from demur.warehouse.home import Home
from demur.warehouse.store import ObjectStore, Stored

_CLAIM: Final = ".claim"


def fetch_manifests(home: Home, manifest: str) -> list[Stored]:
    """Fetch the manifests that the local folder lacks; return all objects of releases, an empty list without a store.

    Raises:
        StoreError: the store does not answer.
    """
    if home.store is None:
        return []
    listed = home.store.list(f"{home.key(home.releases)}/")
    _fetch(home, home.store, [one for one in listed if one.key.endswith(f"/{manifest}")])
    return listed


def fetch_release(home: Home, folder: Path, listed: list[Stored]) -> None:
    """Fetch from the store those files of a release that the local folder lacks; without a store, do nothing."""
    if home.store is not None:
        _fetch(home, home.store, [one for one in listed if one.key.startswith(f"{home.key(folder)}/")])


def claimed_version(
    home: Home, store: ObjectStore, name: str, known: Collection[int], round_id: str, digest: str
) -> int:
    """Return a version number for a release and create its claim in the store.

    Machines that freeze releases at the same time get different numbers. A repeated call after a kill returns the
    number that was claimed before the kill. `known` are the numbers of complete releases.
    """
    claim = json.dumps({"round_id": round_id, "digest": digest}, sort_keys=True).encode()
    shelf = home.key(home.releases / name)
    stems = (one.key.removeprefix(f"{shelf}/").removesuffix(_CLAIM) for one in store.list(f"{shelf}/"))
    claimed = {int(stem) for stem in stems if stem.isdecimal()}
    for version in sorted(claimed.difference(known)):
        if store.get(f"{shelf}/{version}{_CLAIM}") == claim:
            return version
    version = 1 + max(claimed.union(known), default=0)
    while not store.create(f"{shelf}/{version}{_CLAIM}", claim):
        version += 1
    return version


def put_release(home: Home, store: ObjectStore, draft: Path, final: Path, manifest: str) -> None:
    """Upload the files of a release to the store; the manifest comes last."""
    files = [path for path in draft.rglob("*") if path.is_file()]
    for path in sorted(files, key=lambda path: (path.name == manifest, path)):
        store.put(home.key(final / path.relative_to(draft)), path)


def put_signature(home: Home, signature: Path, made: bytes) -> None:
    """Upload a signature to the home's store; without a store, do nothing.

    Raises:
        WarehouseError: the store already has a different signature of this release.
    """
    if home.store is not None and not home.store.create(home.key(signature), made):
        raise WarehouseError(f"{home.address}/{home.key(signature)}: already exists; a release is signed once")


def _fetch(home: Home, store: ObjectStore, wanted: list[Stored]) -> None:
    for one in wanted:
        path = home.root / PurePosixPath(one.key)
        if not path.exists():
            with disk_explained(path):
                if store.fetch(one, path):
                    path.chmod(0o444)
