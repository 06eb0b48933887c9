"""CSV and TSV: a line for each row, below the header row."""

import csv
from typing import Final

from demur.corpora.documents.blocks import Block, Cell, LeftOut, ReadText, table_blocks
from demur.corpora.documents.readers.plain import decoded

_SEPARATORS: Final = ",;\t|"
_SAMPLE: Final = 20_000
_LARGEST_CELL: Final = 10_000_000


def read(data: bytes) -> ReadText:
    """Return the rows of a table. Its first row that has more than one cell is the header row; rows above it are text.

    Raises:
        LeftOut: the file is no text, or a quotation mark is not closed.
    """
    text = decoded(data)
    csv.field_size_limit(_LARGEST_CELL)
    try:
        rows = list(csv.reader(text.splitlines(keepends=True), delimiter=_separator(text), strict=True))
    except csv.Error as exc:
        raise LeftOut("damaged", f"is no table: {exc}. Save it anew as CSV") from exc
    filled = [row for row in rows if any(cell.strip() for cell in row)]
    first = next((place for place, row in enumerate(filled) if sum(bool(cell.strip()) for cell in row) > 1), 0)
    above = [Block(" ".join(cell.strip() for cell in row if cell.strip())) for row in filled[:first]]
    cells = [[Cell([Block(cell.strip())] if cell.strip() else []) for cell in row] for row in filled[first:]]
    return ReadText([*above, *table_blocks(cells, 1)])


def _separator(text: str) -> str:
    """Return the separator by which most rows have the same number of cells."""
    sample = text if len(text) <= _SAMPLE else text[:_SAMPLE].rpartition("\n")[0]

    def fit(separator: str) -> tuple[int, int]:
        numbers = [len(row) for row in csv.reader(sample.splitlines(keepends=True), delimiter=separator) if row]
        usual = max(set(numbers), key=numbers.count, default=1)
        return (numbers.count(usual) if usual > 1 else 0, usual)

    return max(_SEPARATORS, key=fit)
