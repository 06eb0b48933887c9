"""Fills a warehouse from the files of a release: for the explorer, if the home of a release has not the round of it.

Imported sets are filled in the same way before they are frozen.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from demur.warehouse.connection import writing
from demur.warehouse.home import Home, plain_file
from demur.warehouse.publication import publish
from demur.warehouse.releases.freezing import DATA, PROVENANCE
from demur.warehouse.releases.manifest import Release, read_manifest
from demur.warehouse.transactions import Connection

IMPORTED: Final = "set"
"""Kind of the rounds that stand for imported sets, in the view `round_origins`."""
_FILLING: Final = Path(__file__).parent / "released.sql"


def fill_from_release(home: Home, release: Release) -> None:
    """Create and publish a warehouse with the data of a release in an empty home.

    Raises:
        WarehouseError: a file of the release is missing or cannot be read.
    """
    files = {name: plain_file(release.path, f"{name}.parquet") for name in (*DATA, PROVENANCE)}
    said = read_manifest(release.path).model_dump(mode="json")
    configuration = said.get("configuration") or ({"asked_for": IMPORTED} if "imported" in said else {})
    facts = {
        "round": release.round_id,
        "name": release.name,
        "seed": said.get("seed", 0),
        "configuration": configuration,
        "digest": said.get("configuration_digest", ""),
    }
    with writing(home, wait_seconds=0) as con:
        fill(con, files, facts)
    publish(home)


def fill(con: Connection, files: Mapping[str, Path], facts: Mapping[str, object]) -> None:
    """Insert the rows of a release's files into the tables that they came from.

    Args:
        con: a warehouse without rounds.
        files: the Parquet files by the names of DATA and PROVENANCE.
        facts: `round`, `name`, `seed`, `configuration` and `digest` of the round.
    """
    values = {
        **{name: str(path) for name, path in files.items()},
        **facts,
        "configuration": json.dumps(facts["configuration"]),
    }
    for text in _FILLING.read_text(encoding="utf-8").split(";\n"):
        if text.strip():
            con.execute(text, {name: value for name, value in values.items() if f"${name}" in text} or None)
