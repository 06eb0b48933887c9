"""Fills a warehouse from the files of a release, so that the explorer can show a release whose home is elsewhere."""

import json
from pathlib import Path
from typing import Final

from demur.warehouse.connection import writing
from demur.warehouse.freezing import DATA, PROVENANCE
from demur.warehouse.home import Home
from demur.warehouse.inside import plain_file
from demur.warehouse.publish import publish
from demur.warehouse.release import Release, read_manifest

_FILLING: Final = Path(__file__).parent / "released.sql"


def fill_from_release(home: Home, release: Release) -> None:
    """Create and publish a warehouse with the data of a release in an empty home.

    Raises:
        WarehouseError: a file of the release is missing or cannot be read.
    """
    files = {name: plain_file(release.path, f"{name}.parquet") for name in (*DATA, PROVENANCE)}
    said = read_manifest(release.path).model_dump(mode="json")
    values: dict[str, object] = {
        **{name: str(path) for name, path in files.items()},
        "round": release.round_id,
        "name": release.name,
        "seed": said.get("seed", 0),
        "configuration": json.dumps(said.get("configuration", {})),
        "digest": said.get("configuration_digest", ""),
    }
    with writing(home, wait_seconds=0) as con:
        for text in _FILLING.read_text(encoding="utf-8").split(";\n"):
            if text.strip():
                con.execute(text, {name: value for name, value in values.items() if f"${name}" in text} or None)
    publish(home)
