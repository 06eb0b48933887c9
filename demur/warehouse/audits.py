"""Marks of human readers: written down by reader and sample, the newest import in place of older ones."""

from collections.abc import Mapping, Sequence

from demur.warehouse.connection import Connection
from demur.warehouse.records import write_rows
from demur.warehouse.tables import Table


def record_audits(con: Connection, rows: Sequence[Mapping[str, object]]) -> None:
    """Store readers' marks, rows of the table `audits`, replacing the marks of each reader in the same sample.

    An item that the same reader marked in another sample too keeps the newer marks.

    Raises:
        RowError: a row is not as the table wants it; nothing is written then.
    """
    samples = sorted({(str(row["round_id"]), str(row["reader"]), int(str(row["seed"]))) for row in rows})
    write_rows(con, Table.AUDITS, rows, insert="replace_batch", drop="drop_audits", keys=samples)


def record_audit(con: Connection, round_id: str, reader: str, item_id: str, row: Mapping[str, object] | None) -> None:
    """Replace a reader's marks on an item; None deletes them."""
    rows = [] if row is None else [row]
    key = (round_id, reader, item_id)
    write_rows(con, Table.AUDITS, rows, insert="replace_batch", drop="drop_audit", keys=[key])
