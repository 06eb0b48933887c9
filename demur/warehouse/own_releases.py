"""The list of releases whose manifests may name what a home asks: those frozen here, and those that its owner trusts.

The list is the folder `own-releases/` beside `releases/`, with a file for each digest of a manifest, so that several
processes can add to it at once. The digest of the data files would not do: a copy can have the same data and other
models.
"""

from demur.levers.durable import made_once
from demur.warehouse.errors import disk_explained
from demur.warehouse.home import Home


def note_own(home: Home, manifest_digest: str, label: str) -> None:
    """Put a manifest's digest on the list of a home; a second call changes nothing."""
    path = home.own_releases / manifest_digest
    with disk_explained(path):
        made_once(path, f"{label}\n".encode())


def is_own(home: Home, manifest_digest: str) -> bool:
    """Return whether a manifest's digest is on the list of a home."""
    return (home.own_releases / manifest_digest).is_file()
