"""Marks of human readers: written down by reader and sample, the newest import in place of older ones."""

from collections.abc import Mapping, Sequence

from demur.warehouse.connection import Connection
from demur.warehouse.rows import to_arrow
from demur.warehouse.statements import statement
from demur.warehouse.tables import Table
from demur.warehouse.transaction import transaction


def record_audits(con: Connection, rows: Sequence[Mapping[str, object]]) -> None:
    """Write down what readers marked, rows of the table `audits`, in place of what each marked in the same sample.

    Raises:
        RowError: a row is not as the table wants it; nothing is written then.
    """
    samples = sorted({(str(row["round_id"]), str(row["reader"]), int(str(row["seed"]))) for row in rows})
    _replace(con, "drop_audits", samples, rows)


def record_audit(con: Connection, round_id: str, reader: str, item_id: str, row: Mapping[str, object] | None) -> None:
    """Write down what a reader marked on one item in place of what stood there; None: nothing any more."""
    _replace(con, "drop_audit", [(round_id, reader, item_id)], [] if row is None else [row])


def _replace(
    con: Connection, drop: str, keys: Sequence[tuple[object, ...]], rows: Sequence[Mapping[str, object]]
) -> None:
    con.register("batch", to_arrow(Table.AUDITS, rows, "audits"))
    try:
        with transaction(con):
            for key in keys:
                con.execute(statement(drop), list(key))
            con.execute(statement("insert_audits"))
    finally:
        con.unregister("batch")
