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
    batch = to_arrow(Table.AUDITS, rows, "audits")
    samples = sorted({(str(row["round_id"]), str(row["reader"]), int(str(row["seed"]))) for row in rows})
    con.register("batch", batch)
    try:
        with transaction(con):
            for sample in samples:
                con.execute(statement("drop_audits"), list(sample))
            con.execute(statement("insert_audits"))
    finally:
        con.unregister("batch")
