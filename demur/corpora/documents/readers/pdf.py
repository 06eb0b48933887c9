"""PDF: headings and paragraphs from the lines of each page. Headings have larger letters."""

import ctypes
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from math import hypot
from typing import Any, Final

import pypdfium2 as pdfium
import pypdfium2.raw as native

from demur.corpora.documents.blocks import Block, LeftOut, ReadText

_MOST_PAGES: Final = 5000
_LARGER: Final = 1.12
"""The least size of a heading's letters, relative to the text's."""
_LONGEST_HEADING: Final = 120
_HEADING_LETTERS: Final = 4
"""The fewest letters and digits of a heading; a larger initial, or a sign in the margin, is none."""
_ENDS: Final = re.compile(r"[.!?:;。！？：；…]['\"”’»)\]]*$")
_EDGE_LINES: Final = 3
"""Lines at the top and at the bottom of a page that may be running heads or feet."""
_RUNNING_PAGES: Final = 3
_MOST_COMPARED: Final = 50
_ALIKE: Final = 0.85
_SAME_PLACE: Final = 12
"""The most points between two lines in the same place; scanned pages are never laid quite the same."""
_PAGE_NUMBER: Final = re.compile(
    r"[\W_]*(?:page|seite|p[áa]gina|pagina|p)?[\W_]*(?:0|[ivxlc]{1,6})(?:\s*(?:/|of|von|de|di|sur)\s*0)?[\W_]*",
    re.IGNORECASE,
)
_ROMAN: Final = re.compile(r"^[ivxlc]{1,6}\b|\b[ivxlc]{1,6}$")
_PRINTED: Final = re.compile(
    r"(?:https?|file)://\S+|\d+ of \d+ [\d./-]+,? [\d:]+(?: [AP]M)?|[\d./-]+,? [\d:]+ \d+ of \d+"
)
"""What browsers print above and below a page."""
_CONTENTS: Final = frozenset(
    ("contents", "table of contents", "inhalt", "inhaltsverzeichnis", "índice", "contenido", "table des matières",
     "sommaire", "indice", "sommario", "sumário", "目录", "目次")
)  # fmt: skip
_CONTENTS_LINE: Final = re.compile(r".*[\s.](?:\d+|[ivxlc]+)", re.IGNORECASE)
_ENTRY: Final = re.compile(r"[•▪●◦‣]\s*\S|[–*-]\s+\S|\(?\d{1,2}[.)]\s+\S|\([a-z]\)\s+\S")
_SAMPLED: Final = 5
"""The letters of a line whose size is asked for."""
_SOFT_HYPHEN: Final = "\u00ad"
_DIVIDED: Final = re.compile(r"(?<=[^\W\d_])\u00ad\s*(?=[a-zà-öø-ÿ])")
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
    blocks = _blocks(_without_running(pages, title))
    return ReadText(blocks, None if _is_foreign(title, blocks) else title, _day(document), pages=len(pages))


def _is_foreign(title: str, blocks: Sequence[Block]) -> bool:
    """Return whether the title in the properties is that of a template: the first page has a heading, and not it."""
    first = [block for block in blocks if block.page == 1]
    words = re.findall(r"\w+", title.casefold())
    said = set(re.findall(r"\w+", " ".join(block.text for block in first).casefold()))
    return any(block.level == 1 for block in first) and 2 * sum(word in said for word in words) < len(words)


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


def _without_running(pages: list[list[_Line]], title: str) -> list[list[_Line]]:
    """Return pages without page numbers, without running heads and feet, and without what a browser prints around them.

    Running heads and feet are lines at the top or bottom of a page that stand in the same place on three pages, or on
    both pages of two. Only their digits may differ.
    """
    edges = [_edges(page) for page in pages]
    tops: dict[str, list[int]] = {}
    for edge in edges:
        for name, top in {_name(line): line.top for line in edge}.items():
            tops.setdefault(name, []).append(top)
    running = {name: places for name, places in tops.items() if _in_one_place(places, min(_RUNNING_PAGES, len(pages)))}

    def is_text(line: _Line) -> bool:
        bare = line.text.removeprefix(title).strip() if title else line.text
        if _PRINTED.fullmatch(bare):
            return False
        return len(pages) == 1 or not (_PAGE_NUMBER.fullmatch(_blanked(line)) or _is_like(line, running))

    return [
        [line for line in page if line not in edge or is_text(line)] for page, edge in zip(pages, edges, strict=True)
    ]


def _is_like(line: _Line, running: Mapping[str, list[int]]) -> bool:
    """Return whether a line is a running one, also if its letters were recognised (OCR) a little differently."""
    name = _name(line)
    if name in running:
        return True
    near = (other for other in list(running)[:_MOST_COMPARED] if abs(running[other][0] - line.top) <= _SAME_PLACE)
    return any(SequenceMatcher(None, name, other).ratio() > _ALIKE for other in near)


def _in_one_place(places: list[int], fewest: int) -> bool:
    middle = sorted(places)[len(places) // 2]
    return sum(abs(place - middle) <= _SAME_PLACE for place in places) >= fewest


def _edges(page: list[_Line]) -> list[_Line]:
    """Return the lines at the top and at the bottom of a page, wherever they stand in its order."""
    ordered = sorted(page, key=lambda line: -line.top)
    return [*ordered[:_EDGE_LINES], *ordered[-_EDGE_LINES:]]


def _blanked(line: _Line) -> str:
    return re.sub(r"\d+", "0", line.text)


def _name(line: _Line) -> str:
    """Return what a running line has in common on left and right pages, whose numbers stand at its other end."""
    return _ROMAN.sub("", _blanked(line)).strip("0 |-–—.")


def _blocks(pages: list[list[_Line]]) -> list[Block]:
    """Return headings and paragraphs, without lists of contents.

    A paragraph ends with a short line that ends a sentence, and before an entry of a list.
    """
    letters: Counter[float] = Counter()
    for page in pages:
        for line in page:
            letters[line.size] += len(line.text)
    body = letters.most_common(1)[0][0] if letters else 0.0
    larger = sorted({line.size for page in pages for line in page if _is_heading(line, body)}, reverse=True)
    widths = sorted(len(line.text) for page in pages for line in page if line.size == body)
    wide = widths[int(len(widths) * 0.8)] if widths else 0
    blocks: list[Block] = []
    lines: list[str] = []
    start, entry, in_contents, size = 1, False, False, 0.0
    for number, page in enumerate(pages, start=1):
        for line in page:
            last = blocks[-1] if blocks and not lines else None
            goes_on = last is not None and last.level and last.page == number and line.size == size
            if goes_on or _is_heading(line, body):
                blocks.extend(_paragraph(lines, start, entry))
                lines = []
                in_contents = line.text.casefold().strip(" .:") in _CONTENTS
                size = line.size
                if last is not None and goes_on:
                    blocks[-1] = replace(last, text=f"{last.text} {line.text}")
                elif not in_contents:
                    blocks.append(Block(line.text, min(larger.index(size) + 1, 6), page=number))
                continue
            if in_contents and _CONTENTS_LINE.fullmatch(line.text):
                continue
            in_contents = False
            begins_entry = _ENTRY.match(line.text) is not None
            if not lines or begins_entry:
                blocks.extend(_paragraph(lines, start, entry))
                lines, start, entry = [], number, begins_entry
            lines.append(line.text)
            if _ENDS.search(line.text) and len(line.text) < 0.85 * wide:
                blocks.extend(_paragraph(lines, start, entry))
                lines = []
    return [*blocks, *_paragraph(lines, start, entry)]


def _is_heading(line: _Line, body: float) -> bool:
    letters = sum(letter.isalnum() for letter in line.text)
    unspaced = any(_unspaced(letter) for letter in line.text)
    enough = letters >= _HEADING_LETTERS or (unspaced and letters > 1)
    return line.size > body * _LARGER and len(line.text) <= _LONGEST_HEADING and enough


def _paragraph(lines: list[str], page: int, entry: bool) -> list[Block]:
    """Join lines to a paragraph, and join words that were divided at the end of a line."""
    text = ""
    for line in lines:
        if text.endswith(("-", _SOFT_HYPHEN)) and line[:1].islower():
            text = text[:-1] + line
        elif text and _unspaced(text[-1]) and _unspaced(line[:1]):
            text += line
        else:
            text = f"{text} {line}" if text else line
    return [Block(_DIVIDED.sub("", text).replace(_SOFT_HYPHEN, "-"), line=entry, page=page)] if text else []


def _unspaced(letter: str) -> bool:
    return "\u2e80" <= letter <= "\u9fff" or "\uf900" <= letter <= "\uffef" or "\u3000" <= letter <= "\u30ff"
