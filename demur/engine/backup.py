"""Backups of a home while rounds run, and homes restored from backups.

While rounds run, shards move from the landing zone into the archive. A backup copies shards first, then the state with
all calls, then all other files. Therefore a backup that has a shard also has the calls of this shard. Shards that move
meanwhile may be in the backup twice, which is harmless. Files are never changed in place, so a hard link keeps the
content of a file.
"""

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, Final

from demur.configuration.settings import object_at, state_named
from demur.engine.following import publish_home
from demur.engine.rebuilding import rebuild_home
from demur.engine.state.copies import copy_state, put_state
from demur.engine.state.shared import shared_state
from demur.errors import FlowError
from demur.programs.installation import installed_version
from demur.warehouse.bundle import Bundle, unpacked, write_bundle
from demur.warehouse.errors import WarehouseError, disk_explained
from demur.warehouse.home import Home
from demur.warehouse.rebuild import Rebuilt
from demur.warehouse.store import ObjectStore
from demur.warehouse.tables import Table

STATE: Final = "state.db"
_STAGED: Final = ".backup-"
_DERIVED: Final = (
    "fetched",
    "locks",
    "machine",
    "published",
    "published.version",
    "state-id",
    "tmp",
    "doctor",
    "clock",
)
"""Names of files and folders that a home creates anew, or that are valid only in this home."""
_FIRST: Final = ("landing", "archive")
_RESTORING: Final = "restoring"


@dataclass(frozen=True, slots=True)
class BackedUp:
    """A finished backup: its place, the number of its files, and their total size in bytes."""

    place: str
    files: int
    size: int


@dataclass(frozen=True, slots=True)
class Restored:
    """A restored home: the number of files, the backup's date, and the rebuilt warehouse."""

    files: int
    made_at: str
    rebuilt: Rebuilt


def back_up(home: Home, target: str) -> BackedUp:
    """Write a backup of a home to a file or an address (s3://bucket/name.tar). Rounds may run meanwhile.

    Raises:
        FlowError: the target lies in the home.
        WarehouseError: the home has no landed data, the target exists, or the disk is full.
        StoreError: the store of the home or of the address does not answer.
    """
    stored = object_at(target)
    if stored is None and Path(target).resolve().is_relative_to(home.root):
        raise FlowError(
            f"{target}: is inside the home {home.root}, so later backups would contain this backup; name another place"
        )
    if stored is not None and stored[0].head(stored[1]) is not None:
        raise WarehouseError(f"{target}: already exists; name another object")
    with _staged(home) as files:
        facts = {
            "demur": str(installed_version()),
            "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "kind": _kind(home),
        }
        if stored is None:
            entries = write_bundle(Path(target).resolve(), files, facts)
        else:
            draft = home.root / f"{_STAGED}{uuid.uuid4().hex[:8]}.tar"
            try:
                entries = write_bundle(draft, files, facts)
                stored[0].put(stored[1], draft)
            finally:
                draft.unlink(missing_ok=True)
    return BackedUp(target, len(entries), sum(entry["bytes"] for entry in entries.values()))


def restore(home: Home, source: str) -> Restored:
    """Fill an empty home from a backup, with state and warehouse.

    Rounds of the home can then be continued, and repeat no paid request.

    Raises:
        FlowError: the home is not empty, or is of another kind (folder, store) than the backed-up home.
        WarehouseError: the backup is damaged, or the disk is full; the home is unchanged.
        StoreError: a store does not answer; the same command resumes.
    """
    stored = object_at(source)
    if stored is None and not Path(source).is_file():
        raise FlowError(f"{source}: does not exist; name a file that `demur home backup` wrote")
    _check_empty(home, source)
    draft = home.root.with_name(f".{home.root.name}.restoring")
    fetched = draft.with_name(f"{draft.name}.tar")
    try:
        if stored is not None:
            found = stored[0].head(stored[1])
            if found is None or not stored[0].fetch(found, fetched):
                raise FlowError(f"{source}: the object does not exist, or was replaced while it was read")
        with unpacked(fetched if stored else Path(source), draft) as bundle:
            kind = bundle.manifest.kind
            if kind != _kind(home):
                raise FlowError(
                    f"{source}: is a backup of a home in a {kind}, but {home.address} is a {_kind(home)}. "
                    f"Set DEMUR_HOME to a {kind}"
                )
            _put_files(home, bundle, source)
            files, made_at = len(bundle.files), bundle.manifest.made_at
    finally:
        fetched.unlink(missing_ok=True)
    try:
        rebuilt = rebuild_home(home)
        publish_home(home)
    except BaseException:
        if home.store is None:  # else the same command would find a home that is not empty
            shutil.rmtree(home.root, ignore_errors=True)
        raise
    if home.store is not None:
        home.store.delete(_RESTORING)
    return Restored(files, made_at, rebuilt)


def _put_files(home: Home, bundle: Bundle, source: str) -> None:
    """Put the files of a backup into a home.

    A home in a folder appears only when all files are there. A home in a store is marked as incomplete until `restore`
    ends.
    """
    state = bundle.folder / STATE
    if home.store is None:
        if state_named() is not None:
            _put_state(Home(bundle.folder), state)
            state.unlink()
        with disk_explained(home.root):
            if home.root.exists():
                home.root.rmdir()
            bundle.folder.rename(home.root)
        return
    home.store.create(_RESTORING, source.encode())
    for key in sorted(bundle.files, key=lambda key: key.endswith(f"/{Table.ROUNDS}.parquet")):
        if key != STATE:
            home.store.put(key, bundle.folder / key)
    _put_state(home, state)


def _put_state(home: Home, state: Path) -> None:
    shared = shared_state(home)
    with shared.database.explained():
        put_state(state, shared.database, shared.home_id)


def _check_empty(home: Home, source: str) -> None:
    if home.store is not None:
        begun = home.store.get(_RESTORING)
        there = [one.key for one in home.store.list("archive/")] + [one.key for one in home.store.list("releases/")]
        if (begun is None and there) or (begun is not None and begun != source.encode()):
            said = f"{there[0]} is there" if begun is None else f"{begun.decode()} is being restored into it"
            raise FlowError(f"{home.address}: is not empty ({said}). Restore into an empty home (DEMUR_HOME)")
    elif home.root.exists() and (not home.root.is_dir() or any(home.root.iterdir())):
        raise FlowError(f"{home.root}: is not empty. Restore into a folder that does not exist yet (DEMUR_HOME)")


@contextmanager
def _staged(home: Home) -> Iterator[dict[str, Path]]:
    """Yield hard links to the files of a backup, by key. The links keep the present content of the files.

    Raises:
        WarehouseError: the home has no landed data.
    """
    folder = home.root / f"{_STAGED}{uuid.uuid4().hex[:8]}"
    files: dict[str, Path] = {}
    with disk_explained(folder):
        try:
            folder.mkdir(parents=True)
            of_shards, others = _parts(home)
            files |= of_shards(folder)
            shared = shared_state(home)
            with shared.database.explained():
                copy_state(shared.database, shared.home_id, folder / STATE)
            files[STATE] = folder / STATE
            files |= others(folder)
            if not any(key.startswith(("archive/", "landing/")) for key in files):
                raise WarehouseError(f"{home.address}: no round was loaded here; there is nothing to back up")
            yield files
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _parts(home: Home) -> Any:
    """Return two functions: the first links or fetches the files of shards, the second all other files.

    Each function takes the folder for the links or copies, and returns their paths by key.
    """
    if home.store is not None:
        store = home.store
        return (
            lambda folder: _fetched(store, folder, "archive/", shards=True),
            lambda folder: {
                key: path
                for prefix in ("archive/", "boards/", "data_docs/", "own-releases/", "releases/")
                for key, path in _fetched(store, folder, prefix, shards=False).items()
            },
        )
    return (
        lambda folder: {key: path for name in _FIRST for key, path in _linked(home, folder, home.root / name).items()},
        lambda folder: {
            key: path
            for top in sorted(home.root.iterdir())
            if not _is_derived(top.name)
            for key, path in _linked(home, folder, top).items()
        },
    )


def _is_derived(name: str) -> bool:
    warehouse = name.startswith(("loader.duckdb", "warehouse.duckdb", STATE))
    return warehouse or name.startswith(".") or name in _DERIVED


def _linked(home: Home, folder: Path, top: Path) -> dict[str, Path]:
    """Hard-link all files at or below a path, and return the links by key.

    Files that disappear meanwhile are left out.
    """
    found = {}
    for path in [top] if top.is_file() else sorted(top.rglob("*")):
        key = home.key(path)
        if not path.is_file() or any(part.startswith(".") for part in PurePosixPath(key).parts):
            continue
        second = folder / "files" / key
        second.parent.mkdir(parents=True, exist_ok=True)
        try:
            second.unlink(missing_ok=True)
            _link(path, second)
        except FileNotFoundError:
            continue
        found[key] = second
    return found


def _link(path: Path, second: Path) -> None:
    try:
        os.link(path, second)
    except FileNotFoundError:
        raise
    except OSError:  # a file system without hard links
        shutil.copy2(path, second)


def _fetched(store: ObjectStore, folder: Path, prefix: str, *, shards: bool) -> dict[str, Path]:
    """Fetch the objects of shards, or all other objects.

    If an object is replaced meanwhile, the new version is fetched.
    """
    found = {}
    for listed in store.list(prefix):
        if ("/shards/" in listed.key) != shards:
            continue
        path = folder / "files" / listed.key
        now = listed
        while now is not None and not store.fetch(now, path):
            again = store.head(listed.key)
            if again is None:
                break
            now = again
        if path.exists():
            found[listed.key] = path
    return found


def _kind(home: Home) -> str:
    return "folder" if home.store is None else "store"
