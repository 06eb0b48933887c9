"""PDF: headings and paragraphs from the lines of each page. Headings have larger letters."""

import ctypes
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Any, Final

import pypdfium2 as pdfium
import pypdfium2.raw as native

from demur.corpora.documents.blocks import Block, LeftOut, ReadText

_MOST_PAGES: Final = 5000
_LARGER: Final = 1.12
"""The least size of a heading's letters, relative to the text's."""
_LONGEST_HEADING: Final = 120
_HEADING_LETTERS: Final = 3
"""The fewest letters of a heading; a larger initial is none."""
_ENDS: Final = re.compile(r"[.!?:;。！？：；…]['\"”’»)\]]*$")
_EDGE_LINES: Final = 3
"""Lines at the top and at the bottom of a page that may be running heads or feet."""
_RUNNING_PAGES: Final = 3
"""The fewest pages on which a running head or foot stands in one place."""
_SAME_PLACE: Final = 4
"""The distance of two places in points, from which they are two places."""
_PAGE_NUMBER: Final = re.compile(
    r"[\W_]*(?:page|seite|p[áa]gina|pagina|p)?[\W_]*(?:0|[ivxlc]{1,6})(?:\s*(?:/|of|von|de|di|sur)\s*0)?[\W_]*",
    re.IGNORECASE,
)
_ENTRY: Final = re.compile(r"[•▪●◦‣–*-]\s+\S|\(?(?:\d{1,3}|[a-z])[.)]\s+\S")
_MARGIN: Final = 1.0
_SAMPLED: Final = 5
"""The letters of a line whose size is asked for."""
_SOFT_HYPHEN: Final = "\u00ad"
_HYPHENS: Final = frozenset((0x02, 0xAD, 0xFFFE))
"""Characters by which PDFium and PDFs mark a word that is divided at the end of a line."""
_LIGATURES: Final = dict(zip(range(0xFB00, 0xFB07), ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True))
_PRIVATE: Final = range(0xE000, 0xF900)
_ENCRYPTED: Final = 4
"""PDFium's number of the error that a password is missing or wrong."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a page. `top` is the place of its letters above the lower end of the page, in points."""

    text: str
    size: float
    top: int
    upright: bool


def read(data: bytes) -> ReadText:
    """Return the text of a PDF, page by page, without running headers and footers.

    Raises:
        LeftOut: the PDF is encrypted, has pictures and no text, or has too many pages.
        PdfiumError: the PDF cannot be read.
    """
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as exc:
        if getattr(exc, "err_code", None) == _ENCRYPTED or "password" in str(exc).lower():
            raise LeftOut("encrypted", "is protected by a password. Save it without one") from exc
        raise
    if len(document) > _MOST_PAGES:
        raise LeftOut("too_large", f"has {len(document):,} pages; {_MOST_PAGES:,} are read. Split the document")
    pages = [list(_lines(document, number)) for number in range(len(document))]
    if not any(pages):
        raise LeftOut(
            "scanned", f"has no text on its {len(pages)} pages, pictures alone. Recognise its text (OCR) first"
        )
    title = document.get_metadata_value("Title").strip("\x00 ")
    return ReadText(_blocks(_without_running(pages)), title or None, _day(document), pages=len(pages))


def _day(document: Any) -> str | None:
    """Return the day of creation in ISO 8601; None if it is missing or cannot be read."""
    given = re.match(r"D:(\d{4})(\d\d)(\d\d)", document.get_metadata_value("CreationDate"))
    return "-".join(given.groups()) if given is not None else None


def _lines(document: Any, number: int) -> Iterator[_Line]:
    """Yield the lines of a page, each with the size of most of its letters; a damaged page has none."""
    try:
        page = document[number]
        text = page.get_textpage()
    except pdfium.PdfiumError:
        return
    letters: list[tuple[int, str]] = []
    for place in range(native.FPDFText_CountChars(text)):
        code = native.FPDFText_GetUnicode(text, place)
        if code in (0x0A, 0x0D):
            yield from _line(text, letters)
            letters = []
        elif code in _HYPHENS:
            letters.append((place, _SOFT_HYPHEN))
        elif code and code not in _PRIVATE:
            letters.append((place, _LIGATURES.get(code) or chr(code)))
    yield from _line(text, letters)
    text.close()
    page.close()


def _line(page: Any, letters: Sequence[tuple[int, str]]) -> Iterator[_Line]:
    words = " ".join("".join(letter for _, letter in letters).split())
    places = [place for place, letter in letters if not letter.isspace()]
    if not words or not places:
        return
    sampled = places[:: max(1, len(places) // _SAMPLED)]
    sizes = Counter(_size(page, place) for place in sampled)
    box = [ctypes.c_double() for _ in range(4)]
    native.FPDFText_GetCharBox(page, places[0], *box)
    turned = native.FPDFText_GetCharAngle(page, places[len(places) // 2])
    yield _Line(words, sizes.most_common(1)[0][0], round(box[2].value), abs(turned) < 0.1 or abs(turned - 6.283) < 0.1)


def _size(page: Any, place: int) -> float:
    """Return the height of a letter's font on the page, in points."""
    matrix = native.FS_MATRIX()
    scale = hypot(matrix.c, matrix.d) if native.FPDFText_GetMatrix(page, place, matrix) else 1.0
    return round(float(native.FPDFText_GetFontSize(page, place)) * (scale or 1.0), 1)


def _without_running(pages: list[list[_Line]]) -> list[list[_Line]]:
    """Return pages without page numbers and without running heads and feet.

    These are lines at the top or bottom of pages that stand in the same place on at least three pages. Only their
    digits may differ.
    """
    edges = [_edges(page) for page in pages]
    seen = Counter(place for edge in edges for place in {_place(line) for line in edge})
    return [
        [
            line
            for line in page
            if line not in edge
            or not (seen[_place(line)] >= _RUNNING_PAGES or (len(pages) > 1 and _PAGE_NUMBER.fullmatch(_blanked(line))))
        ]
        for page, edge in zip(pages, edges, strict=True)
    ]


def _place(line: _Line) -> tuple[str, int]:
    return _blanked(line), line.top // _SAME_PLACE


def _edges(page: list[_Line]) -> list[_Line]:
    """Return the lines at the top and at the bottom of a page, wherever they stand in its order."""
    ordered = sorted(page, key=lambda line: -line.top)
    return [*ordered[:_EDGE_LINES], *ordered[-_EDGE_LINES:]]


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
