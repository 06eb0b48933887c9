"""PDF: headings and paragraphs from the lines of each page. Headings have larger letters."""

import io
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from demur.corpora.documents.blocks import Block, LeftOut, ReadText

_MOST_PAGES: Final = 5000
_LARGER: Final = 1.12
"""The least size of a heading's letters, relative to the text's."""
_LONGEST_HEADING: Final = 120
_ENDS: Final = re.compile(r"[.!?:;。！？：；…]['\"”’»)\]]*$")
_RUNNING: Final = 0.5
"""The share of pages above which a first or last line is a header or footer."""


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    size: float


def read(data: bytes) -> ReadText:
    """Return the text of a PDF, page by page, without running headers and footers.

    Raises:
        LeftOut: the PDF is encrypted, has pictures and no text, or has too many pages.
    """
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise LeftOut("encrypted", "is protected by a password. Save it without one")
    if len(reader.pages) > _MOST_PAGES:
        raise LeftOut("too_large", f"has {len(reader.pages):,} pages; {_MOST_PAGES:,} are read. Split the document")
    pages = [_lines(page) for page in reader.pages]
    if not any(pages):
        raise LeftOut(
            "scanned", f"has no text on its {len(pages)} pages, pictures alone. Recognise its text (OCR) first"
        )
    title, date = _title_and_day(reader)
    return ReadText(_blocks(_without_running(pages)), title, date, pages=len(pages))


def _title_and_day(reader: Any) -> tuple[str | None, str | None]:
    """Return the title and the day of creation; each is None if it is missing or cannot be read."""
    metadata = reader.metadata
    if metadata is None:
        return None, None
    try:
        date = metadata.creation_date
    except ValueError:
        date = None
    return str(metadata.title or "").strip() or None, date.date().isoformat() if date else None


def _lines(page: Any) -> list[_Line]:
    """Return the lines of a page, each with the size of most of its letters."""
    lines: list[_Line] = []
    line = ""
    sizes: Counter[float] = Counter()

    def end() -> None:
        nonlocal line
        if words := line.split():
            lines.append(_Line(" ".join(words), sizes.most_common(1)[0][0] if sizes else 0.0))
        line = ""
        sizes.clear()

    def visit(text: str, user: Any, matrix: Any, font: Any, size: float) -> None:
        nonlocal line
        own = round(size * abs(matrix[3] or matrix[0]) * abs(user[3] or user[0] or 1), 1)
        for number, part in enumerate(text.split("\n")):
            if number:
                end()
            line += part
            if letters := len(part.strip()):
                sizes[own] += letters

    page.extract_text(visitor_text=visit)
    end()
    return lines


def _without_running(pages: list[list[_Line]]) -> list[list[_Line]]:
    """Return pages without page numbers and running lines.

    A running line is the first or last line of most pages; only its digits may differ between pages.
    """
    seen = Counter(_blanked(line) for page in pages for line in {_blanked(one): one for one in _edges(page)}.values())
    running = {text for text, count in seen.items() if len(pages) > 2 and count > _RUNNING * len(pages)}
    edges = [{id(line) for line in _edges(page)} for page in pages]
    return [
        [line for line in page if id(line) not in edge or (_blanked(line) not in running and _blanked(line) != "0")]
        for page, edge in zip(pages, edges, strict=True)
    ]


def _edges(page: list[_Line]) -> list[_Line]:
    return [*page[:1], *page[-1:]]


def _blanked(line: _Line) -> str:
    return re.sub(r"\d+", "0", line.text)


def _blocks(pages: list[list[_Line]]) -> list[Block]:
    """Return headings and paragraphs. A paragraph ends with a short line that ends a sentence."""
    letters: Counter[float] = Counter()
    for page in pages:
        for line in page:
            letters[line.size] += len(line.text)
    body = letters.most_common(1)[0][0] if letters else 0.0
    larger = sorted({line.size for page in pages for line in page if line.size > body * _LARGER}, reverse=True)
    widths = sorted(len(line.text) for page in pages for line in page if line.size == body)
    wide = widths[int(len(widths) * 0.8)] if widths else 0
    blocks: list[Block] = []
    lines: list[str] = []
    start = 1
    for number, page in enumerate(pages, start=1):
        for line in page:
            if line.size > body * _LARGER and len(line.text) <= _LONGEST_HEADING:
                blocks.extend(_paragraph(lines, start))
                lines = []
                level = min(larger.index(line.size) + 1, 6)
                last = blocks[-1] if blocks else None
                if last is not None and last.level == level and last.page == number:
                    blocks[-1] = Block(f"{last.text} {line.text}", level, page=number)
                else:
                    blocks.append(Block(line.text, level, page=number))
                continue
            if not lines:
                start = number
            lines.append(line.text)
            if _ENDS.search(line.text) and len(line.text) < 0.85 * wide:
                blocks.extend(_paragraph(lines, start))
                lines = []
    return [*blocks, *_paragraph(lines, start)]


def _paragraph(lines: list[str], page: int) -> list[Block]:
    """Join lines to a paragraph, and join words that were divided at the end of a line."""
    text = ""
    for line in lines:
        if text.endswith(("-", "\u00ad")) and line[:1].islower():
            text = text[:-1] + line
        elif text and _unspaced(text[-1]) and _unspaced(line[:1]):
            text += line
        else:
            text = f"{text} {line}" if text else line
    return [Block(text, page=page)] if text else []


def _unspaced(letter: str) -> bool:
    return "\u2e80" <= letter <= "\u9fff" or "\uf900" <= letter <= "\uffef" or "\u3000" <= letter <= "\u30ff"
