"""Folds what stages have written down about their batches into the table `batches`.

Every batch has a file of one JSON object, with the columns of the table among its fields, replaced whenever something
becomes known; a row follows its file.
"""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from demur.warehouse.archive import keep_rows
from demur.warehouse.connection import Connection, reading
from demur.warehouse.errors import RowError, WarehouseMissingError
from demur.warehouse.home import Home
from demur.warehouse.records import batch, records
from demur.warehouse.rows import to_arrow
from demur.warehouse.schemas import models
from demur.warehouse.statements import statement
from demur.warehouse.tables import Table

_MOMENTS = ("intended_at", "submitted_at", "ended_at")


def batch_files(home: Home, round_id: str = "*", stage: str = "*") -> list[Path]:
    """Return the files of all batches, or of those of one round and stage."""
    return sorted((home.root / "batches").glob(f"{round_id}/{stage}/*.json"))


def published_batches(home: Home) -> list[dict[str, Any]]:
    """Return the batches of the published warehouse, newest first; none where nothing was published yet."""
    try:
        with reading(home) as con:
            return list(records(con, "list_batches", []))
    except WarehouseMissingError:
        return []


def fold_batches(con: Connection, home: Home, round_id: str, stage: str) -> int:
    """Bring the rows of a stage's batches to what their files say; return how many there are.

    Args:
        con: from `writing`.
        home: whose batches.
        round_id: round of the batches.
        stage: stage of the batches.

    Raises:
        RowError: a file does not describe a batch.
    """
    paths = batch_files(home, round_id, stage)
    if not paths:
        return 0
    with batch(con, to_arrow(Table.BATCHES, [_row(path) for path in paths], str(paths[0].parent))):
        con.execute(statement("replace_batch", Table.BATCHES))
    keep_rows(con, home, round_id, Table.BATCHES)
    return len(paths)


def _row(path: Path) -> dict[str, object]:
    try:
        record = json.loads(path.read_bytes())
        row = {name: record[name] for name in models()[Table.BATCHES].to_schema().columns}
        moments = {name: datetime.fromisoformat(row[name]) for name in _MOMENTS if row[name] is not None}
    except (ValueError, KeyError, TypeError) as exc:
        raise RowError(f"{path}: no batch ({exc!r}). Move it away; its requests are then asked again") from exc
    return row | moments
