"""Formats that kreuzberg turns into pages: PPTX, XLSX, ODT, ODS, reStructuredText and RTF."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from demur.corpora.documents.blocks import Block, LeftOut, ReadText
from demur.corpora.documents.readers.html import page_blocks, parsed

_SLIDES: Final = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
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
        blocks = page_blocks(parsed(f"<html><body>{found.content}</body></html>"))
        title, day = given.get("title"), given.get("modified_at") or given.get("created_at")
        markup = _MARKUP[media_type == _SLIDES]
        plain = [_without(markup, block) for block in blocks]
        return ReadText(plain, str(title) if title else None, str(day) if day else None)

    return read


def _without(markup: re.Pattern[str], block: Block) -> Block:
    header = None if block.header is None else markup.sub("", block.header)
    return replace(block, text=markup.sub("", block.text), header=header)
