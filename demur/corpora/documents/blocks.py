"""Blocks of a document (headings, paragraphs, lines), and the error for a document that is left out."""

from collections.abc import Sequence
from dataclasses import dataclass, field


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
    """

    text: str
    level: int = 0
    line: bool = False
    page: int | None = None


@dataclass(frozen=True, slots=True)
class ReadText:
    """What a reader read from a document: the blocks in order, and facts such as title and date, unchanged."""

    blocks: Sequence[Block]
    title: str | None = None
    date: str | None = None
    url: str | None = None
    source_id: str | None = None
    pages: int | None = field(default=None)
