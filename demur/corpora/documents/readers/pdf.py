"""PDF: headings and paragraphs from the lines of each page. Headings have larger letters."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from itertools import pairwise
from math import inf
from typing import Any, Final

import pypdfium2 as pdfium

from demur.corpora.documents.blocks import Block, LeftOut, ReadText, shows_title
from demur.corpora.documents.readers.pdf_heads import Size, first_pages_of, heads_of, without_running
from demur.corpora.documents.readers.pdf_lines import CAPITAL, SOFT_HYPHEN, PdfLine
from demur.corpora.documents.readers.pdf_order import lines_of_pages
from demur.corpora.documents.readers.pdf_rows import headers_of, with_rows

_MOST_PAGES: Final = 5000
_LARGER: Final = 1.12
"""The least size of a heading's letters, relative to the text's."""
_ALIKE_SIZES: Final = 0.95
"""The least share of a larger size that looks the same."""
_LONGEST_HEADING: Final = 120
_HEADING_LETTERS: Final = 4
"""The fewest letters and digits of a heading; a larger initial, or a sign in the margin, is none."""
_ENDS: Final = re.compile(r"[.!?:;。！？：；…]['\"”’»)\]]*$")
_HEADING_BEGINS: Final = re.compile(r"[(\d§]|[^\W_a-z]")
_NO_HEADING: Final = re.compile(r"[.,;:!][\"'”’»)\]]*$")
_GOES_ON: Final = re.compile(r"[a-zà-öø-ÿ]{2}|[a-z] |[,;)\]]")
_CAPTION: Final = re.compile(r"(?:fig|abb|tab)\w*\.?\s*\d", re.IGNORECASE)
_NUMBERED: Final = re.compile(r"(?:§+\s*|\d{1,3}[.)]|\(\w\)|[IVX]+[.)]).{,110}$")
"""Headings that may end with a full stop, as those of laws do."""
_LOWEST: Final = 6
_GAP: Final = 1.4
"""The least space between paragraphs, in distances of lines."""
_FEWEST_DISTANCES: Final = 5
_SMALLER: Final = 0.95
_MOST_BOLD: Final = 0.3
"""The largest share of bold letters of a document whose bold lines are headings."""
_SMALL_CAPITALS: Final = 0.7
_CAPITALS: Final = re.compile(r"[^\W\d_]{4,}")
"""The least size of small capitals, relative to the text's, and a word of capitals that is no abbreviation."""
_FIRST_PAGES: Final = 3
"""The pages on which people see the title of a document."""
_CONTENTS: Final = frozenset(
    ("contents", "table of contents", "inhalt", "inhaltsverzeichnis", "índice", "contenido", "table des matières",
     "sommaire", "indice", "sommario", "sumário", "目录", "目次")
)  # fmt: skip
_FEWEST_ENTRIES: Final = 3
"""The fewest lines of a list of contents that no heading names."""
_CONTENTS_LINE: Final = re.compile(r".*[\s.](?:\d+|[ivxlc]+)", re.IGNORECASE)
_ENTRY: Final = re.compile(r"[•▪●◦‣]\s*\S|[–*-]\s+\S|\(?\d{1,2}[.)]\s+\S|\([a-z]\)\s+\S")
_WITHIN_SENTENCE: Final = re.compile(r"\(?\w{1,2}[.)]\s+[a-zà-öø-ÿ]")
"""How a line begins whose sentence began in the line before, as `(b) of this section`."""
_DIVIDED: Final = re.compile(r"(?<=[^\W\d_])\u00ad\s*(?=[a-zà-öø-ÿ])")
_ENCRYPTED: Final = 4
"""PDFium's number of the error that a password is missing or wrong."""


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
    pages = lines_of_pages(document)
    drawn = sum(any(line.label for line in page) for page in pages)
    if not any(pages):
        raise LeftOut(
            "scanned", f"has no text on its {len(pages)} pages, pictures alone. Recognise its text (OCR) first"
        )
    pages = [[line for line in page if not line.label] for page in pages]
    title = document.get_metadata_value("Title").strip("\x00 ")
    sizes = _sizes(document)
    kept = without_running(pages, title, sizes)
    first_pages = first_pages_of(sizes, [heads_of(*both) for both in zip(pages, kept, strict=True)])
    # nobody knows the headings on a damaged page, nor what went on there
    first_pages |= {
        number + 2 for number in range(len(pages) - 1) if not pages[number] and _is_damaged(document, number)
    }
    starts = [0, *(number - 1 for number in sorted(first_pages)), len(pages)]
    if first_pages:  # each document has running heads of its own
        kept = [page for one, two in pairwise(starts) for page in without_running(kept[one:two], title, sizes[one:two])]
    blocks = _blocks(kept, first_pages)
    shown = " ".join(line.text for page in pages[:_FIRST_PAGES] for line in page)
    said = title if shows_title(title, shown) else None
    return ReadText(blocks, said, _day(document), pages=len(pages), drawn_pages=drawn)


def _sizes(document: Any) -> list[Size | None]:
    """Return width and height of each page in points; None for a damaged page."""
    found: list[Size | None] = []
    for number in range(len(document)):
        try:
            found.append(document.get_page_size(number))
        except pdfium.PdfiumError:
            found.append(None)
    return found


def _is_damaged(document: Any, number: int) -> bool:
    try:
        document[number].close()
    except pdfium.PdfiumError:
        return True
    return False


def _day(document: Any) -> str | None:
    """Return the day of creation in ISO 8601; None if it is missing or cannot be read."""
    given = re.match(r"D:(\d{4})(\d\d)(\d\d)", document.get_metadata_value("CreationDate"))
    return "-".join(given.groups()) if given is not None else None


def _blocks(pages: list[list[PdfLine]], first_pages: frozenset[int]) -> list[Block]:
    """Return headings and paragraphs, without lists of contents.

    A paragraph ends with a short line that ends a sentence, and before an entry of a list. Headings hold until the
    page on which another document begins.
    """
    pages = [with_rows(_without_contents(page)) for page in pages]
    capitals = _in_capitals(pages)
    letters: Counter[float] = Counter()
    bold = 0
    for page in pages:
        for line in page:
            letters[line.size] += len(line.text)
            bold += len(line.text) * line.bold
    body = letters.most_common(1)[0][0] if letters else 0.0
    levels = _levels(line.size for page in pages for line in page if _is_larger(line, body))
    below = min(max(levels.values(), default=0) + 1, _LOWEST) if bold < _MOST_BOLD * letters.total() else 0
    widths = sorted(len(line.text) for page in pages for line in page if line.size == body)
    wide = widths[int(len(widths) * 0.8)] if widths else 0
    blocks: list[Block] = []
    begun: set[int] = set()
    lines: list[str] = []
    start, entry, in_contents, look = 1, False, False, (0.0, False, False)
    for number, page in enumerate(pages, start=1):
        if number in first_pages:
            blocks.extend(_paragraph(lines, start, entry))
            lines = []
            begun.add(len(blocks))
        alone = [line for line in _alone(page, capitals) if _is_bold(line, body, capitals)]
        pitch = _pitch(page)
        above: PdfLine | None = None
        for line, header in zip(page, headers_of(page), strict=True):
            if lines and _parts_paragraphs(above, line, pitch):
                blocks.extend(_paragraph(lines, start, entry))
                lines = []
            in_row = above is not None and abs(above.bottom - line.bottom) < line.size / 2
            above = line
            last = blocks[-1] if blocks and not lines else None
            level = levels[line.size] if _is_larger(line, body) else below * (line in alone)
            goes_on = False
            alike = (line.size, line.bold) == look[:2] and (not look[2] or line.text.isupper())
            if last is not None and last.level and last.page == number and (in_row or alike):
                goes_on = bool(level) or len(f"{last.text} {line.text}") <= _LONGEST_HEADING
            if (goes_on or level) and not line.row:
                blocks.extend(_paragraph(lines, start, entry))
                lines = []
                in_contents = _names_contents(line)
                look = line.size, line.bold, line in capitals and not _is_larger(line, body)
                if last is not None and goes_on:
                    blocks[-1] = replace(last, text=f"{last.text} {line.text}")
                elif not in_contents:
                    blocks.append(Block(line.text, level, page=number))
                continue
            if in_contents and _CONTENTS_LINE.fullmatch(line.text):
                continue
            in_contents = False
            if line.row:
                blocks.extend(_paragraph(lines, start, entry))
                lines = []
                blocks.append(Block(line.text, line=True, page=number, header=header))
                continue
            within = bool(lines) and lines[-1][-1:].isalnum() and _WITHIN_SENTENCE.match(line.text) is not None
            begins_entry = _ENTRY.match(line.text) is not None and not within
            if not lines or begins_entry:
                blocks.extend(_paragraph(lines, start, entry))
                lines, start, entry = [], number, begins_entry
            lines.append(line.text)
            if _ENDS.search(line.text) and len(line.text) < 0.85 * wide:
                blocks.extend(_paragraph(lines, start, entry))
                lines = []
    blocks.extend(_paragraph(lines, start, entry))
    return [
        replace(block, text=_undivided(block.text), begins_document=place in begun)
        for place, block in enumerate(blocks)
    ]


def _levels(sizes: Iterable[float]) -> dict[float, int]:
    """Return the level of headings by the size of their letters; sizes that look the same have one level."""
    levels: dict[float, int] = {}
    level, largest = 0, inf
    for size in sorted(set(sizes), reverse=True):
        if size < largest * _ALIKE_SIZES:
            level, largest = min(level + 1, _LOWEST), size
        levels[size] = level
    return levels


def _without_contents(page: Sequence[PdfLine]) -> list[PdfLine]:
    """Return the lines of a page without lists whose dots lead to numbers of pages: whole numbers that never fall."""
    led = [(place, line.led_to) for place, line in enumerate(page) if line.led_to is not None]
    if len(led) < _FEWEST_ENTRIES or any(one > two for (_, one), (_, two) in pairwise(led)):
        return list(page)
    first, last = led[0][0], led[-1][0]
    if first and _names_contents(page[first - 1]):
        first -= 1
    kept_between = 2 * len(led) < last - first + 1  # a page with more text than entries is not a list of contents
    left_out = {place for place, _ in led} if kept_between else set(range(first, last + 1))
    return [line for place, line in enumerate(page) if place not in left_out]


def _names_contents(line: PdfLine) -> bool:
    return line.text.casefold().strip(" .:") in _CONTENTS


def _is_larger(line: PdfLine, body: float) -> bool:
    """Return whether a line is a heading by the size of its letters."""
    letters = sum(letter.isalnum() for letter in line.text)
    unspaced = any(_unspaced(letter) for letter in line.text)
    enough = letters >= _HEADING_LETTERS or (unspaced and letters > 1)
    return line.size > body * _LARGER and len(line.text) <= _LONGEST_HEADING and enough


def _parts_paragraphs(before: PdfLine | None, line: PdfLine, pitch: float) -> bool:
    """Return whether a line begins a paragraph, because more space stands above it than between lines."""
    if before is None or line.text[:1].islower():
        return False
    begins_at = line.top - CAPITAL * line.size  # its end may be a line below, with a divided word
    return before.bottom - begins_at > _GAP * pitch


def _pitch(page: Sequence[PdfLine]) -> float:
    """Return the usual distance between the lines of a page."""
    distances = sorted(one.bottom - other.bottom for one, other in pairwise(page) if one.bottom - other.bottom > 0)
    return float(distances[len(distances) // 2]) if len(distances) >= _FEWEST_DISTANCES else inf


def _is_bold(line: PdfLine, body: float, capitals: Set[PdfLine]) -> bool:
    """Return whether a line in letters of the text's size is a heading: it is bold or in capitals, and no sentence."""
    letters = sum(letter.isalpha() for letter in line.text)
    begins = _HEADING_BEGINS.match(line.text) is not None
    fits = (
        line.size >= body * (_SMALL_CAPITALS if line in capitals else _SMALLER)
        and len(line.text) <= _LONGEST_HEADING
        and letters >= _HEADING_LETTERS
    )
    ends = _NO_HEADING.search(line.text) is not None and not _NUMBERED.match(line.text)
    ends = ends or _CAPTION.match(line.text) is not None
    return (line.bold or line in capitals) and fits and begins and not ends


def _in_capitals(pages: Sequence[Sequence[PdfLine]]) -> Set[PdfLine]:
    """Return the headings in capitals, as papers set them in small ones: numbered lines, and others where some are."""
    found = {line for page in pages for line in page if line.text.isupper() and _CAPITALS.search(line.text)}
    numbered = {line for line in found if _NUMBERED.match(line.text)}
    return {line for line in found if line.text[0].isalpha()} | numbered if len(numbered) > 1 else numbered


def _alone(page: Sequence[PdfLine], capitals: Set[PdfLine]) -> list[PdfLine]:
    """Return the lines of a page in bold letters or capitals that stand alone.

    They have no neighbour in their row, no such text above and below them, and no sentence that goes on below them.
    """
    found = []
    for place, line in enumerate(page):
        around = [*page[max(0, place - 2) : place], *page[place + 1 : place + 3]]
        in_row = any(abs(other.top - line.top) < line.size / 2 for other in around)
        below = next(iter(page[place + 1 : place + 2]), None)  # a heading goes on in its own look
        goes_on = below is not None and below.bold != line.bold and _GOES_ON.match(below.text) is not None
        alike = sum(other.bold if line.bold else other in capitals for other in around)
        if (line.bold or line in capitals) and not in_row and not goes_on and alike <= 1:
            found.append(line)
    return found


def _paragraph(lines: list[str], page: int, entry: bool) -> list[Block]:
    """Join lines to a paragraph, and join words that were divided at the end of a line."""
    text = ""
    for line in lines:
        if text.endswith(("-", SOFT_HYPHEN)) and line[:1].islower():
            text = text[:-1] + line
        elif text and _unspaced(text[-1]) and _unspaced(line[:1]):
            text += line
        else:
            text = f"{text} {line}" if text else line
    return [Block(text, line=entry, page=page)] if text else []


def _undivided(text: str) -> str:
    """Return a text in which words that were divided at the end of a line are whole."""
    return _DIVIDED.sub("", text).replace(SOFT_HYPHEN, "-")


def _unspaced(letter: str) -> bool:
    return "\u2e80" <= letter <= "\u9fff" or "\uf900" <= letter <= "\uffef" or "\u3000" <= letter <= "\u30ff"
