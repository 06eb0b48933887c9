"""Formats that kreuzberg turns into pages: PPTX, XLSX, ODT, ODS, reStructuredText and RTF."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

from demur.corpora.documents.blocks import Block, LeftOut, ReadText, sheet_blocks
from demur.corpora.documents.readers.html import page_blocks, parsed

_SLIDES: Final = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
_SPREADSHEETS: Final = frozenset(
    {
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.oasis.opendocument.spreadsheet",
    }
)
_PICTURE: Final = r"!\[[^\]]*\]\([^)]*\)"
_MARKUP: Final = {False: re.compile(_PICTURE), True: re.compile(_PICTURE + r"|(?<!\w)\*\*|\*\*(?!\w)")}
"""What kreuzberg leaves in texts, by whether they are slides: pictures, and in slides marks of bold text, which are
signs of text elsewhere, as in 2**10."""


def converts(media_type: str) -> Callable[[bytes], ReadText]:
    """Return the reader of a format.

    The reader raises LeftOut if a file is protected by a password.
    """

    def read(data: bytes) -> ReadText:
        from kreuzberg import ExtractionConfig, ParsingError, extract_bytes_sync

        try:
            found = extract_bytes_sync(data, media_type, ExtractionConfig(output_format="html", use_cache=False))
        except ParsingError as exc:
            if "password" in str(exc).lower():
                raise LeftOut("encrypted", "is protected by a password. Save it without one") from exc
            raise
        given = dict(found.metadata)
        page = parsed(f"<html><body>{found.content}</body></html>")
        blocks = _sheets(page) if media_type in _SPREADSHEETS else page_blocks(page)
        title, day = given.get("title"), given.get("modified_at") or given.get("created_at")
        markup = _MARKUP[media_type == _SLIDES]
        plain = [_without(markup, block) for block in blocks]
        return ReadText(plain, str(title) if title else None, str(day) if day else None)

    return read


def _without(markup: re.Pattern[str], block: Block) -> Block:
    header = None if block.header is None else markup.sub("", block.header)
    return replace(block, text=markup.sub("", block.text), header=header)


def _sheets(page: Any) -> Iterator[Block]:
    """Yield the blocks of a spreadsheet. Its first rows are marked as header rows, even if they are titles."""
    for part in page.body:
        if part.tag == "table":
            yield from sheet_blocks([cell.text_content() for cell in row] for row in part.iter("tr"))
        else:
            yield from page_blocks(part)
