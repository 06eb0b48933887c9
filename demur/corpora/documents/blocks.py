"""What readers find in a document: headings, paragraphs and lines in their order, or the reason why it is left out."""

from collections.abc import Sequence
from dataclasses import dataclass, field


class LeftOut(Exception):
    """A document cannot be used; `reason` is one of `LEFT_OUT_REASONS`, the text a sentence for whoever owns it."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a document: a heading (`level` from 1, outermost first), else text.

    `line` says that it stands on a line of its own, as entries of lists and rows of tables do; paragraphs do not.
    `page` is counted from 1.
    """

    text: str
    level: int = 0
    line: bool = False
    page: int | None = None


@dataclass(frozen=True, slots=True)
class ReadText:
    """A read document: its blocks in order, and its own title and date; the date is as written."""

    blocks: Sequence[Block]
    title: str | None = None
    date: str | None = None
    url: str | None = None
    source_id: str | None = None
    pages: int | None = field(default=None)
