"""Formats that kreuzberg turns into pages: PPTX, XLSX, ODT, ODS, reStructuredText and RTF."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from demur.corpora.documents.blocks import Block, LeftOut, ReadText
from demur.corpora.documents.readers.html import page_blocks, parsed

_MARKUP: Final = re.compile(r"!\[[^\]]*\]\([^)]*\)|\*\*")
"""Pictures, and marks of bold text, which kreuzberg leaves in the texts of slides."""


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
        return ReadText([_plain(block) for block in blocks], str(title) if title else None, str(day) if day else None)

    return read


def _plain(block: Block) -> Block:
    return replace(block, text=_MARKUP.sub("", block.text))
