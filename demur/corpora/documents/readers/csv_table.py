"""CSV and TSV: a line for each row, below the header row."""

import csv
import io

from demur.corpora.delimited import numbered_cells
from demur.corpora.documents.blocks import Block, Cell, LeftOut, ReadText, table_blocks
from demur.corpora.documents.readers.plain import decoded


def read(data: bytes) -> ReadText:
    """Return the rows of a table. Its first row that has more than one cell is the header row; rows above it are text.

    Raises:
        LeftOut: the file is no text, or a quotation mark is not closed.
    """
    try:
        rows = [row for _, row in numbered_cells(io.StringIO(decoded(data), newline=""))]
    except csv.Error as exc:
        raise LeftOut("damaged", f"is no table: {exc}. Save it anew as CSV") from exc
    filled = [row for row in rows if any(cell.strip() for cell in row)]
    first = next((place for place, row in enumerate(filled) if sum(bool(cell.strip()) for cell in row) > 1), 0)
    above = [Block(" ".join(cell.strip() for cell in row if cell.strip())) for row in filled[:first]]
    cells = [[Cell([Block(cell.strip())] if cell.strip() else []) for cell in row] for row in filled[first:]]
    return ReadText([*above, *table_blocks(cells, 1)])
