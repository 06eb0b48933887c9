"""The published copy of a home in a store; each machine fetches each version once.

- published/<number>-<hex>.duckdb: a published copy.
- published/<number>.json: a pointer to a published copy. The pointer with the highest number is valid.
"""

import json
import time
import uuid
from pathlib import Path, PurePosixPath
from typing import Final

from demur.levers.durable import replace_durably
from demur.warehouse.errors import disk_explained
from demur.warehouse.home import Home
from demur.warehouse.store import ObjectStore, Stored, StoreError

_PREFIX: Final = "published/"
_POINTER: Final = ".json"
KEPT: Final = 2
"""Number of newest versions that are kept, for readers that are still fetching an older one."""
_TRIES: Final = 5
_found: dict[str, tuple[float, Stored | None]] = {}


def refresh_published(home: Home) -> None:
    """Fetch the published copy of a home's store unless the local copy is current; without a store, do nothing.

    Raises:
        StoreError: the store does not answer.
    """
    if home.store is None:
        return
    for _ in range(_TRIES):
        newest, listed = _newest(home.store)
        if newest is None or (home.published.exists() and _version(home) == newest):
            return
        copy = _copy_named(home.store, newest, listed)
        with disk_explained(home.published):
            if copy is not None and home.store.fetch(copy, home.published):
                note_published(home, newest)
                return
    raise StoreError(f"{home.address}/{_PREFIX}: the published copy was replaced {_TRIES} times while it was read")


def newest_published(store: ObjectStore) -> int:
    """Return the number of the newest published copy; 0 if nothing was published."""
    newest, _ = _newest(store)
    return 0 if newest is None else int(newest.removesuffix(_POINTER))


def published_in(store: ObjectStore, *, not_within_seconds: float = 0.0) -> Stored | None:
    """Return the object of the newest published copy; None if nothing was published.

    Args:
        store: the store of a home.
        not_within_seconds: if the last call was less than this time ago, return the result of that call.

    Raises:
        StoreError: the store does not answer.
    """
    at, found = _found.get(store.url, (-1e9, None))
    if time.monotonic() - at >= not_within_seconds:
        newest, listed = _newest(store)
        found = None if newest is None else _copy_named(store, newest, listed)
        _found[store.url] = time.monotonic(), found
    return found


def number_of(copy: Stored) -> int:
    """Return the number of a published copy, from its key."""
    return int(PurePosixPath(copy.key).name[:12])


def put_published(store: ObjectStore, number: int, draft: Path) -> str | None:
    """Publish a file under a number; return the pointer's name, or None if another machine has taken the number."""
    name = f"{number:012d}"
    key = f"{_PREFIX}{name}-{uuid.uuid4().hex}.duckdb"
    store.put(key, draft)
    if not store.create(f"{_PREFIX}{name}{_POINTER}", json.dumps({"object": key}).encode()):
        store.delete(key)
        return None
    old = [one.key for one in store.list(_PREFIX) if number_of(one) <= number - KEPT]
    store.delete(*old)
    return f"{name}{_POINTER}"


def note_published(home: Home, name: str) -> None:
    """Record on this machine which pointer its local copy belongs to; `name` is the name of the pointer."""
    replace_durably(_note(home), name.encode())


def _version(home: Home) -> str | None:
    try:
        return _note(home).read_text()
    except FileNotFoundError:
        return None


def _note(home: Home) -> Path:
    return home.root / "published.version"


def _copy_named(store: ObjectStore, name: str, listed: dict[str, Stored]) -> Stored | None:
    """Return the object that a pointer names; None if it was deleted since the listing."""
    pointer = store.get(f"{_PREFIX}{name}")
    return listed.get("" if pointer is None else json.loads(pointer)["object"])


def _newest(store: ObjectStore) -> tuple[str | None, dict[str, Stored]]:
    """Return the name of the newest pointer (None if there is none) and all objects by key."""
    listed = {one.key: one for one in store.list(_PREFIX)}
    names = [PurePosixPath(key).name for key in listed if key.endswith(_POINTER)]
    return max(names, default=None), listed
