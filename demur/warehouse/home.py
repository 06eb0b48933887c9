"""Paths of files under DEMUR_HOME, and paths that a manifest or an archive may name."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from demur.warehouse.errors import WarehouseError

# Paths of files under DEMUR_HOME; this module does not touch the files.


SEGMENT = r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}"
"""The pattern of names of rounds, releases and shards."""
_SEGMENT = re.compile(SEGMENT)
_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")


def segment(kind: str, value: str) -> str:
    """Return `value` if it is a valid name of a directory on every system.

    Raises:
        WarehouseError: the value is empty, longer than 100 characters or reserved, or has characters other than
            letters, digits, '.', '_' and '-' (the first one a letter or digit).
    """
    if not _SEGMENT.fullmatch(value) or value.endswith(".") or _DEVICES.fullmatch(value):
        raise WarehouseError(
            f"{kind} {value!r} cannot name a directory: use 1 to 100 letters, digits, '.', '_' or '-', "
            "starting with a letter or digit, not ending in '.', and not the name of a device"
        )
    return value


@dataclass(frozen=True, slots=True)
class Home:
    """The home: a directory with the warehouse, the store of calls and the releases."""

    root: Path

    def key(self, path: Path) -> str:
        """Return a path under `root` relative to it, with slashes."""
        return path.relative_to(self.root).as_posix()

    @property
    def published(self) -> Path:
        """The published copy of the warehouse, for readers."""
        return self.root / "warehouse.duckdb"

    @property
    def loader(self) -> Path:
        """The loader's file: the warehouse that is written."""
        return self.root / "loader.duckdb"

    @property
    def releases(self) -> Path:
        """Frozen releases, `<name>/<version>/`."""
        return self.root / "releases"

    @property
    def own_releases(self) -> Path:
        """The list of releases that were frozen here or are trusted: a file for each digest of a manifest."""
        return self.root / "own-releases"

    @property
    def fetched(self) -> Path:
        """Releases copied from addresses, each in a folder named by its manifest's digest."""
        return self.root / "fetched"

    def gate_pages(self, round_id: str) -> Path:
        """Return the folder of the pages that show the results of a round's gates."""
        return self.root / "data_docs" / round_id

    @property
    def locks(self) -> Path:
        """Folder of lock files."""
        return self.root / "locks"

    @property
    def state(self) -> Path:
        """The state (calls, holds, budgets, batches, limits, progress), unless DEMUR_STATE names a database."""
        return self.root / "state.db"

    @property
    def state_id(self) -> Path:
        """File with the identifier of this home in a database that several homes share."""
        return self.root / "state-id"

    @property
    def spill(self) -> Path:
        """Folder for data that DuckDB spills to disk."""
        return self.root / "tmp"

    def plans(self, round_id: str) -> Path:
        """Folder with the plans of a round's stages (`<stage>.parquet`)."""
        return self.root / "plans" / segment("round", round_id)

    def plan(self, round_id: str, stage: str) -> Path:
        """The last plan of a stage."""
        return self.plans(round_id) / f"{segment('stage', stage)}.parquet"


# Files that a manifest or an archive names. No name leads out of its folder, and no file is a link.


_PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,99}")
"""Parts of names in releases. Other characters have meanings in addresses, as `%`, `?`, `:`, or on other systems."""


def is_inside(name: str) -> bool:
    """Return whether a name with slashes leads to a file below its folder and has one spelling."""
    return "\\" not in name and name.isprintable() and not {"", ".", ".."} & set(name.split("/"))


def name_faults(names: Iterable[str], taken: Iterable[str] = ()) -> Iterator[str]:
    """Yield a sentence for each name that a release may not have.

    Args:
        names: paths relative to the folder of the release, with slashes.
        taken: names that no further file may have.
    """
    seen = {name.casefold(): name for name in taken}
    for name in names:
        if not is_inside(name) or not all(_PLAIN.fullmatch(part) for part in name.split("/")):
            yield (
                f"names a file {name!r} outside the release, or in an odd spelling; allowed: letters, digits, '.', "
                "'_', '@', '+' and '-', with single slashes between folders"
            )
        elif (other := seen.setdefault(name.casefold(), name)) != name or name in taken:
            yield f"names {name!r} and {other!r}, which can be the same file; each file has one name"


def plain_file(folder: Path, name: str) -> Path:
    """Return the path of a file below a folder.

    Raises:
        WarehouseError: the file is missing, or the file or one of its folders below `folder` is a link.
    """
    path = folder
    for part in name.split("/"):
        path /= part
        if path.is_symlink():
            raise WarehouseError(f"{path}: is a link, and a release has none. Get the release again from its source")
    if not path.is_file():
        raise WarehouseError(f"{path}: missing. Restore the release from a copy")
    return path
