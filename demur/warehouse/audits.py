"""Rows of the table `audits`: marks of human readers on items."""

from collections.abc import Mapping, Sequence

from demur.warehouse.connection import Connection
from demur.warehouse.records import write_rows
from demur.warehouse.tables import Table


def record_audits(con: Connection, rows: Sequence[Mapping[str, object]]) -> None:
    """Replace the marks of each reader in each sample by these rows of `audits`.

    If a reader marked an item in several samples, the newest marks replace the others.

    Raises:
        RowError: a row is not valid for the table; nothing is written.
    """
    samples = sorted({(str(row["round_id"]), str(row["reader"]), int(str(row["seed"]))) for row in rows})
    write_rows(con, Table.AUDITS, rows, insert="replace_batch", drop="drop_audits", keys=samples)


def record_audit(con: Connection, round_id: str, reader: str, item_id: str, row: Mapping[str, object] | None) -> None:
    """Replace a reader's marks on an item; None deletes them."""
    rows = [] if row is None else [row]
    key = (round_id, reader, item_id)
    write_rows(con, Table.AUDITS, rows, insert="replace_batch", drop="drop_audit", keys=[key])
