"""Blocks of a document (headings, paragraphs, lines, table rows), and the error for a document that is left out."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

BETWEEN_CELLS: Final = " | "
_ROWS_OF_A_LAYOUT: Final = 3
"""The most rows of a table without a header row that lays out a page."""
LONGEST_CAPTION: Final = 200
_TABLE: Final = r"(?:table|tabelle|tabla|cuadro|tableau|tabella|tabela|quadro|tabel|tabell)"
_CAPTION: Final = re.compile(
    _TABLE + r"\b[^\S\n]*(?:[\dIVX]+(?:[.–-]\d+)*|[A-Z](?:[.–-]?\d+)*)?[^\S\n]*[.:–—-]\s*\S"
    r"|" + _TABLE + r"\s+\d+\b|[表图]\s*[\d一二三四五六七八九十]",
    re.IGNORECASE,
)
"""How captions of tables begin, in the languages whose questions are checked."""
_FIGURE: Final = re.compile(
    r"(?:figure|fig\.?|abbildung|abb\.?|figura|figuur|figur)\s*\d+[a-z]?(?:[.–-]\d+)*(?:[.:\s–—-]|$)|[图圖図]\s*\d",
    re.IGNORECASE,
)
_LONG_CELL: Final = (3, 400)
"""Blocks and characters above which a cell is a column of a page, and no entry of a table."""


_SAID: Final = 0.75
"""The least share of the words of a title that a document shows."""


def shows_title(title: str, text: str) -> bool:
    """Return whether people see the title of a file's properties in its text; others are of a template or a program."""
    words = re.findall(r"\w+", title.casefold())
    shown = text.casefold()
    return bool(words) and sum(word in shown for word in words) >= _SAID * len(words)


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
    `header` is the caption and the header row of the table to which a row belongs; None for all other blocks.
    `begins_document` is true for the first block of a further document in the same file; headings and passages end
    before it.
    """

    text: str
    level: int = 0
    line: bool = False
    page: int | None = None
    header: str | None = None
    begins_document: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table, as wide as so many columns. A cell that is `merged` continues the cell above it."""

    blocks: Sequence[Block] = ()
    merged: bool = False
    width: int = 1


def table_blocks(rows: Sequence[Sequence[Cell]], headers: int, caption: str | None = None) -> Iterator[Block]:
    """Yield a line for each row of a table.

    The blocks of a row are yielded as they are if the row is a layout: the table has one column, or a cell holds
    headings or a table, or a table of few rows a long text of several paragraphs.

    Args:
        rows: the cells of each row.
        headers: the number of header rows, which are the first rows.
        caption: the caption of the table, which stands above it.
    """
    columns = max((sum(cell.width for cell in row) for row in rows), default=0)
    above: dict[int, Cell] = {}
    header = caption
    for number, row in enumerate(rows):
        filled, column = [], 0
        for cell in row:
            filled.append(above.get(column, cell) if cell.merged else cell)
            above[column] = filled[-1]
            column += cell.width
        if columns == 1 or any(_is_layout(cell, few=not headers and len(rows) <= _ROWS_OF_A_LAYOUT) for cell in row):
            for cell in row:
                yield from cell.blocks
            continue
        text = BETWEEN_CELLS.join(_in_one_line(cell.blocks) for cell in filled).rstrip("| ").lstrip()
        if text:
            yield Block(text, line=True, header=header if number >= headers and number else None)
        if number < headers < len(rows):
            header = f"{header}; {text}" if header else text


def caption_of(blocks: Sequence[Block]) -> str | None:
    """Return the caption of a table that follows blocks: the last of them, if it names a table."""
    last = blocks[-1].text if blocks and not blocks[-1].line else ""
    return last if len(last) <= LONGEST_CAPTION and _CAPTION.match(last) else None


def names_table_or_figure(text: str) -> bool:
    """Return whether a text is the caption of a table or of a figure, by how it begins."""
    return _CAPTION.match(text) is not None or _FIGURE.match(text) is not None


def _is_layout(cell: Cell, *, few: bool) -> bool:
    if any(block.level or (block.line and BETWEEN_CELLS in block.text) for block in cell.blocks):
        return True
    return few and len(cell.blocks) > _LONG_CELL[0] and sum(len(block.text) for block in cell.blocks) > _LONG_CELL[1]


def _in_one_line(blocks: Sequence[Block]) -> str:
    """Return the texts of a cell; entries of a list are divided by semicolons."""
    text = ""
    for block in blocks:
        between = "; " if block.line and text and text[-1].isalnum() else " "
        text = f"{text}{between}{block.text}" if text else block.text
    return text


@dataclass(frozen=True, slots=True)
class ReadText:
    """What a reader read from a document: the blocks in order, and facts such as title and date, unchanged."""

    blocks: Sequence[Block]
    title: str | None = None
    date: str | None = None
    url: str | None = None
    source_id: str | None = None
    pages: int | None = field(default=None)
