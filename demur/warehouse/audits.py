"""Rows of the tables `audits` and `question_marks`: marks of human readers on items and on questions."""

from collections.abc import Mapping, Sequence

from demur.warehouse.connection import Connection
from demur.warehouse.records import write_rows
from demur.warehouse.tables import Table


def record_audits(con: Connection, rows: Sequence[Mapping[str, object]]) -> None:
    """Store the marks that readers gave to samples of items.

    `rows` are rows of `audits`; the column `seed` identifies the sample. For each reader and sample in `rows`, all
    earlier marks are deleted. If a reader marked the same item in two samples, only the later marks stay.

    Raises:
        RowError: a row is not valid for the table; nothing is written.
    """
    samples = sorted({(str(row["round_id"]), str(row["reader"]), int(str(row["seed"]))) for row in rows})
    write_rows(con, Table.AUDITS, rows, insert="replace_batch", drop="drop_audits", keys=samples)


def record_question_marks(con: Connection, rows: Sequence[Mapping[str, object]]) -> None:
    """Store the marks that readers gave to questions, in place of earlier marks of the reader on the same question.

    Marks on other questions stay: a later page of a round has other questions under the same seed.

    Raises:
        RowError: a row is not valid for the table; nothing is written.
    """
    write_rows(con, Table.QUESTION_MARKS, rows, insert="replace_batch")


def record_audit(con: Connection, round_id: str, reader: str, item_id: str, row: Mapping[str, object] | None) -> None:
    """Replace a reader's marks on an item by `row`; delete the marks if `row` is None."""
    rows = [] if row is None else [row]
    key = (round_id, reader, item_id)
    write_rows(con, Table.AUDITS, rows, insert="replace_batch", drop="drop_audit", keys=[key])
