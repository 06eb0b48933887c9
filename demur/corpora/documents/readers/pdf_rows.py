"""Rows of tables among the lines of a page of a PDF, told by spaces between cells that stand below one another."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from demur.corpora.documents.blocks import BETWEEN_CELLS
from demur.corpora.documents.readers.pdf_lines import Cell, PdfLine

_ALIGNED: Final = 3
"""The most points between the edges of cells of one column."""
_NEIGHBOURS: Final = 2
_APART: Final = 4.0
"""The greatest distance of a row from the next one, in sizes of its letters."""
_CONTINUED: Final = 2.0
"""The greatest distance of a row from the further lines of its cells, in sizes of its letters."""
_LONG: Final = 25
"""The characters from which two cells are lines of two columns of text."""
_MARK: Final = re.compile(r"\W{1,2}|\(?(?:\d{1,3}(?:\.\d{1,3})*|[a-zA-Z]|[ivxIVX]{1,5})[.)]?")
"""The mark or number of an entry, of a heading or of a note, before its text."""


def with_rows(page: Sequence[PdfLine]) -> list[PdfLine]:
    """Return the lines of a page; a row of a table is one line, whose `row` has its cells."""
    found: list[PdfLine] = []
    cells: list[Cell] = []
    for place, line in enumerate(page):
        last = found[-1] if found else line
        if cells and _continues(last, cells, line):
            for text, left, right in line.cells or ((line.text, line.left, line.right),):
                number = max(column for column, cell in enumerate(cells) if cell[1] - _ALIGNED <= left)
                cells[number] = (f"{cells[number][0]} {text}", cells[number][1], max(cells[number][2], right))
            found[-1] = replace(last, text=_in_one_line(cells), row=tuple(cells), bottom=line.bottom)
            continue
        is_row = _is_row(page, place)
        cells = list(line.cells) if is_row else []
        found.append(replace(line, text=_in_one_line(cells), row=line.cells) if is_row else line)
    return found


def _in_one_line(cells: Sequence[Cell]) -> str:
    return BETWEEN_CELLS.join(text for text, _, _ in cells)


def _is_row(page: Sequence[PdfLine], place: int) -> bool:
    line = page[place]
    if not line.cells or _is_entry_or_columns(line):
        return False
    around = [*page[max(0, place - _NEIGHBOURS) : place], *page[place + 1 : place + 1 + _NEIGHBOURS]]
    return any(
        0 < abs(line.bottom - other.bottom) <= _APART * line.size
        and not _is_entry_or_columns(other)
        and any(
            _is_aligned(one, two)
            for first, one in enumerate(line.cells)
            for second, two in enumerate(other.cells)
            if first or second  # the first cells of two lines stand below one another in text too
        )
        for other in around
    )


def _is_entry_or_columns(line: PdfLine) -> bool:
    """Return whether two parts of a line are a mark with its text, or lines of two columns."""
    if len(line.cells) != 2:
        return False
    first, second = (text for text, _, _ in line.cells)
    return min(len(first), len(second)) >= _LONG or (_MARK.fullmatch(first) is not None and not second.isdecimal())


def _is_aligned(one: Cell, other: Cell) -> bool:
    middles = abs(one[1] + one[2] - other[1] - other[2]) / 2
    return min(abs(one[1] - other[1]), abs(one[2] - other[2]), middles) <= _ALIGNED


def _continues(row: PdfLine, cells: Sequence[Cell], line: PdfLine) -> bool:
    """Return whether a line goes on in the cells of a row, and leaves the first cell empty."""
    left = line.cells[0][1] if line.cells else line.left
    near = 0 < row.bottom - line.bottom <= _CONTINUED * row.size
    return line.upright and near and line.bold == row.bold and left >= cells[1][1] - _ALIGNED


def headers_of(page: Sequence[PdfLine]) -> Iterator[str | None]:
    """Yield the header row above each line: the bold first row of its table; None without one."""
    header: str | None = None
    in_table = False
    for line in page:
        begins, in_table = bool(line.row) and not in_table, bool(line.row)
        if begins:
            header = line.text if line.bold else None
        yield header if in_table and not begins and not line.bold else None
