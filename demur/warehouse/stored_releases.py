"""Releases of a home in a store: written manifest last, fetched by readers.

releases/<name>/<version>.claim   the round and digest that a version belongs to, created before its first file
releases/<name>/<version>/...     the release; without its manifest there is none
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
    """Fetch the manifests that this machine lacks; return all objects of all releases, none where there is no store.

    Raises:
        StoreError: the store does not answer.
    """
    if home.store is None:
        return []
    listed = home.store.list(f"{home.key(home.releases)}/")
    _fetch(home, home.store, [one for one in listed if one.key.endswith(f"/{manifest}")])
    return listed


def fetch_release(home: Home, folder: Path, listed: list[Stored]) -> None:
    """Fetch the files of a release that this machine lacks."""
    if home.store is not None:
        _fetch(home, home.store, [one for one in listed if one.key.startswith(f"{home.key(folder)}/")])


def claimed_version(
    home: Home, store: ObjectStore, name: str, known: Collection[int], round_id: str, digest: str
) -> int:
    """Return the version of a release; two releases frozen at once get different versions.

    A killed freezing finds its version again; `known` are complete versions.
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
    """Put the files of a release into the store, its manifest last."""
    files = [path for path in draft.rglob("*") if path.is_file()]
    for path in sorted(files, key=lambda path: (path.name == manifest, path)):
        store.put(home.key(final / path.relative_to(draft)), path)


def put_signature(home: Home, signature: Path, made: bytes) -> None:
    """Put a signature beside a manifest, in the store too.

    Raises:
        WarehouseError: somebody else has signed it.
    """
    if home.store is not None and not home.store.create(home.key(signature), made):
        raise WarehouseError(f"{home.address}/{home.key(signature)}: is there already; a release is signed once")


def _fetch(home: Home, store: ObjectStore, wanted: list[Stored]) -> None:
    for one in wanted:
        path = home.root / PurePosixPath(one.key)
        if not path.exists():
            with disk_explained(path):
                if store.fetch(one, path):
                    path.chmod(0o444)
