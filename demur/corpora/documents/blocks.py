"""Blocks of a document (headings, paragraphs, lines, table rows), and the error for a document that is left out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

BETWEEN_CELLS: Final = " | "
_HEADED_ROWS: Final = 2
"""The fewest rows of a table with a header row; a single row is no table with columns."""


class LeftOut(Exception):
    """A document cannot be used. `reason` is one of `LEFT_OUT_REASONS`; the message tells the owner what is wrong."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a document: a heading or text.

    `level` is 0 for text, 1 for an outermost heading, 2 for a heading below it, and so on. `line` is true for a list
    entry or a table row, which is on a line of its own. `page` is the number of the page, from 1; None without pages.
    `header` is the header row of the table to which a row belongs; None for all other blocks.
    """

    text: str
    level: int = 0
    line: bool = False
    page: int | None = None
    header: str | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table. A cell that is `merged` continues the cell above it."""

    blocks: Sequence[Block] = ()
    merged: bool = False


def table_blocks(rows: Sequence[Sequence[Cell]], headers: int) -> Iterator[Block]:
    """Yield a line for each row of a table.

    A row that holds headings, lines of a table in a cell, or a single column is a layout, not data: its blocks are
    yielded as they are.

    Args:
        rows: the cells of each row.
        headers: the number of header rows, which are the first rows.
    """
    columns = max((len(row) for row in rows), default=0)
    above: Sequence[Cell] = ()
    header: str | None = None
    for number, row in enumerate(rows):
        filled = [above[at] if cell.merged and at < len(above) else cell for at, cell in enumerate(row)]
        above = filled
        if columns == 1 or any(block.level or BETWEEN_CELLS in block.text for cell in row for block in cell.blocks):
            for cell in row:
                yield from cell.blocks
            continue
        text = BETWEEN_CELLS.join(_in_one_line(cell.blocks) for cell in filled).strip("| ")
        if text:
            yield Block(text, line=True, header=header if number >= headers else None)
        if number < headers and len(rows) >= headers + _HEADED_ROWS:
            header = f"{header}; {text}" if header else text


def _in_one_line(blocks: Sequence[Block]) -> str:
    """Return the texts of a cell; entries of a list are divided by semicolons."""
    text = ""
    for block in blocks:
        between = "; " if block.line and text and text[-1].isalnum() else " "
        text = f"{text}{between}{block.text}" if text else block.text
    return text


def on_page(blocks: Sequence[Block], page: int) -> list[Block]:
    """Return the blocks with the number of their page."""
    return [replace(block, page=page) for block in blocks]


@dataclass(frozen=True, slots=True)
class ReadText:
    """What a reader read from a document: the blocks in order, and facts such as title and date, unchanged."""

    blocks: Sequence[Block]
    title: str | None = None
    date: str | None = None
    url: str | None = None
    source_id: str | None = None
    pages: int | None = field(default=None)
