"""Blocks of a read document: headings, paragraphs and lines in order; and the error for a document that is left out."""

from collections.abc import Sequence
from dataclasses import dataclass, field


class LeftOut(Exception):
    """A document cannot be used; `reason` is one of `LEFT_OUT_REASONS`, the message is for the document's owner."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a document: a heading or text.

    `level` is 0 for text, and counts from 1 for headings, the outermost first. `line` is true for list entries and
    table rows, which have their own lines. `page` is counted from 1.
    """

    text: str
    level: int = 0
    line: bool = False
    page: int | None = None


@dataclass(frozen=True, slots=True)
class ReadText:
    """A read document: its blocks in order, its title, and its date as written."""

    blocks: Sequence[Block]
    title: str | None = None
    date: str | None = None
    url: str | None = None
    source_id: str | None = None
    pages: int | None = field(default=None)
