"""Releases at addresses. A release is downloaded into the home, and its files are compared with its manifest."""

import shutil
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from demur.errors import ConfigError
from demur.warehouse.errors import WarehouseError, disk_explained
from demur.warehouse.home import Home
from demur.warehouse.release import MANIFEST, Release, read_manifest, sha256
from demur.warehouse.stores import STORES, store_at
from demur.warehouse.verifying import unaltered_release, verify_release

ADDRESSES: Final = ("hf://", "https://", "http://", *STORES)
LARGEST_MANIFEST: Final = 16 * 2**20


def verified_release(home: Home, place: str) -> Release:
    """Compare the files of a release with its manifest, and return the release.

    `place` is the name of a release, a folder or an address.

    Raises:
        WarehouseError: the release is missing or altered.
        ConfigError: an address cannot be read.
    """
    return unaltered_release(home, str(_fetched(home, place)) if place.startswith(ADDRESSES) else place, place)


def _fetched(home: Home, address: str) -> Path:
    """Download a release and return its folder in the home.

    If an earlier download has the same manifest and unaltered files, only the manifest is downloaded.
    """
    draft = home.fetched / f".draft-{uuid.uuid4().hex[:12]}"
    try:
        with disk_explained(home.fetched):
            draft.mkdir(parents=True)
        opened = _reader(address)
        _download(opened, address, MANIFEST, draft, LARGEST_MANIFEST)
        try:
            manifest = read_manifest(draft)
        except WarehouseError as exc:
            raise WarehouseError(str(exc).replace(str(draft), address)) from exc
        folder = home.fetched / sha256(draft / MANIFEST)
        if folder.is_dir() and not verify_release(home, str(folder)).problems:
            return folder
        for name, file in manifest.files.items():
            _download(opened, address, name, draft, file.bytes)
        unaltered_release(home, str(draft), address)
        with disk_explained(folder):
            shutil.rmtree(folder, ignore_errors=True)
            draft.rename(folder)
        return folder
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _download(opened: Callable[[str], Any], address: str, name: str, folder: Path, most_bytes: int) -> None:
    place = f"{address.partition('?')[0].rstrip('/')}/{name}"
    target = folder / name
    with disk_explained(target):
        target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with opened(name) as source, target.open("wb") as copy:
            while block := source.read(2**20):
                most_bytes -= len(block)
                if most_bytes < 0:
                    raise ConfigError(f"{place}: is longer than the manifest says. Get the release from its source")
                copy.write(block)
    except (ConfigError, ModuleNotFoundError):
        raise
    except Exception as exc:  # every file system has errors of its own
        why = str(exc).strip().split("\n")[0] or type(exc).__name__
        raise ConfigError(
            f"{place}: cannot be read ({why}). Give the address of a release's folder, which contains {MANIFEST}; "
            "for a private address, set the credentials of its own tools (HF_TOKEN, AWS_PROFILE)"
        ) from exc


def _reader(address: str) -> Callable[[str], Any]:
    """Return a function that takes the name of a file and opens this file in the folder at `address`."""
    if address.startswith(STORES):

        def from_store(name: str) -> Any:
            store, root = store_at(address)
            return store.open_input_stream(f"{root}/{name}")

        return from_store
    import fsspec

    place = address.rstrip("/")
    if place.startswith("hf://") and not place.startswith(("hf://datasets/", "hf://models/", "hf://spaces/")):
        place = "hf://datasets/" + place.removeprefix("hf://")
    return lambda name: fsspec.open(f"{place}/{name}", "rb")
