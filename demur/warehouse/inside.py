"""Files that a manifest or an archive names. No name leads out of its folder, and no file is a link."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from demur.warehouse.errors import WarehouseError

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
