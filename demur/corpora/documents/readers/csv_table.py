"""CSV and TSV: a line for each row, below the header row."""

import csv
import io

from demur.corpora.delimited import numbered_cells
from demur.corpora.documents.blocks import LeftOut, ReadText, sheet_blocks
from demur.corpora.documents.readers.plain import decoded


def read(data: bytes) -> ReadText:
    """Return the rows of a table as lines.

    Raises:
        LeftOut: the file is no text, or a quotation mark is not closed.
    """
    try:
        rows = [row for _, row in numbered_cells(io.StringIO(decoded(data), newline=""))]
    except csv.Error as exc:
        raise LeftOut("damaged", f"is no table: {exc}. Save it anew as CSV") from exc
    return ReadText(list(sheet_blocks(rows)))
