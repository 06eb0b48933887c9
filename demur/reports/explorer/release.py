"""A release as a home: of this home, or of a folder that was copied from elsewhere and has nothing but its files."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from demur.warehouse.explorer.released import fill_from_release
from demur.warehouse.home import Home
from demur.warehouse.release import Release, release_at, releases
from demur.warehouse.stored_copy import refresh_published


@contextmanager
def opened_release(home: Home, label: str) -> Iterator[tuple[Home, Release]]:
    """Yield a home with a release's round, and the release.

    If the release is in this home, that is the home itself. Else a temporary one is made from the release's files:
    items with their votes, responses with judgements, scores, and the costs of its calls.

    Raises:
        WarehouseError: no such release, or its files cannot be read.
    """
    found = release_at(home, label)
    refresh_published(home)
    if home.published.exists() and found.path in {one.path for one in releases(home)}:
        yield home, found
        return
    with tempfile.TemporaryDirectory() as folder:
        made = Home(Path(folder))
        fill_from_release(made, found)
        yield made, found
