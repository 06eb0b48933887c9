"""Opening of a release as a home, so that the explorer can show it."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from demur.warehouse.explorer.released import fill_from_release
from demur.warehouse.home import Home
from demur.warehouse.release import Release, read_manifest, release_at, releases


@contextmanager
def opened_release(home: Home, label: str) -> Iterator[tuple[Home, Release]]:
    """Yield a home with the round of a release, and the release.

    If a round of `home` made the release, `home` itself is yielded. For a copied folder of a release and for an
    imported set, a temporary home is filled from the release's files: items with verdicts, responses with judgements,
    scores, and costs of requests.

    Raises:
        WarehouseError: there is no such release, or its files cannot be read.
    """
    found = release_at(home, label)
    imported = "imported" in read_manifest(found.path).model_dump()
    if not imported and home.published.exists() and found.path in {one.path for one in releases(home)}:
        yield home, found
        return
    with tempfile.TemporaryDirectory() as folder:
        made = Home(Path(folder))
        fill_from_release(made, found)
        yield made, found
