"""DOCX: headings by style, paragraphs, list entries and table rows, in the order of the document."""

import io
import re
import zipfile
from typing import Any, Final

from demur.corpora.documents.blocks import Block, LeftOut, ReadText

_OLE: Final = b"\xd0\xcf\x11\xe0"
_MOST_UNPACKED: Final = 100_000_000
"""The largest unpacked size of a document in bytes."""
_HEADING: Final = re.compile(r"heading (\d)|(title)")


def read(data: bytes) -> ReadText:
    """Return the blocks of a Word document.

    Raises:
        LeftOut: the document is encrypted, or unpacks to too many bytes.
    """
    from docx import Document
    from docx.table import Table

    _check_archive(data)
    document = Document(io.BytesIO(data))
    blocks: list[Block] = []
    for part in document.iter_inner_content():
        if isinstance(part, Table):
            blocks.extend(Block(" | ".join(_cells(row)), line=True) for row in part.rows if any(_cells(row)))
        else:
            blocks.append(_block(part))
    core = document.core_properties
    date = core.modified or core.created
    return ReadText(blocks, core.title or None, date.date().isoformat() if date else None)


def _check_archive(data: bytes) -> None:
    if data.startswith(_OLE):
        raise LeftOut("encrypted", "is protected by a password, or a DOC of old Word. Save it as DOCX without password")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        unpacked = sum(part.file_size for part in archive.infolist())
    if unpacked > _MOST_UNPACKED:
        raise LeftOut("too_large", f"unpacks to {unpacked:,} bytes; {_MOST_UNPACKED:,} are read. Split the document")


def _cells(row: Any) -> list[str]:
    """Return the texts of the cells of a row; merged cells are one cell."""
    cells = dict.fromkeys(row.cells)
    return [" ".join(cell.text.split()) for cell in cells]


def _block(paragraph: Any) -> Block:
    style = (paragraph.style.name or "").lower() if paragraph.style is not None else ""
    heading = _HEADING.fullmatch(style)
    level = 0 if heading is None else int(heading[1] or 1)
    properties = paragraph._p.pPr
    entry = style.startswith("list") or (properties is not None and properties.numPr is not None)
    return Block(" ".join(paragraph.text.split()), level, line=entry and not level)
