"""PDF: headings and paragraphs from the lines of each page. Headings have larger letters."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import pairwise
from math import inf
from typing import Any, Final

import pypdfium2 as pdfium

from demur.corpora.documents.blocks import Block, LeftOut, ReadText
from demur.corpora.documents.readers.pdf_lines import SOFT_HYPHEN, PdfLine, lines_of_pages

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
_HEADING_BEGINS: Final = re.compile(r"[(\d§]|[^\W_a-z]")
_NO_HEADING: Final = re.compile(r"[.,;:!][\"'”’»)\]]*$")
_NUMBERED: Final = re.compile(r"(?:§+\s*|\d{1,3}[.)]|\(\w\)|[IVX]+[.)]).{,80}$")
"""Headings that may end with a full stop, as those of laws do."""
_LOWEST: Final = 6
_GAP: Final = 1.4
"""The least space between paragraphs, in distances of lines."""
_FEWEST_DISTANCES: Final = 5
_SMALLER: Final = 0.95
_MOST_BOLD: Final = 0.3
"""The largest share of bold letters of a document whose bold lines are headings."""
_SAID: Final = 0.75
"""The least share of a title's words that the first page says."""
_SAME_SIZE: Final = 9
"""The most points by which pages of one document differ, as pages that were scanned do."""
_MOST_RUNNING: Final = 8
"""The most lines of running heads or feet on a page."""
_APART: Final = 2.5
"""The least distance of a page number from the text of a page that stands alone, in sizes of its letters."""
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
    if not any(pages):
        raise LeftOut(
            "scanned", f"has no text on its {len(pages)} pages, pictures alone. Recognise its text (OCR) first"
        )
    title = document.get_metadata_value("Title").strip("\x00 ")
    blocks = _blocks(_without_running(pages, title), _first_pages(document))
    return ReadText(blocks, None if _is_foreign(title, blocks) else title, _day(document), pages=len(pages))


def _is_foreign(title: str, blocks: Sequence[Block]) -> bool:
    """Return whether the title in the properties is that of a template: the first page has a heading, and not it."""
    first = [block for block in blocks if block.page == 1]
    words = re.findall(r"\w+", title.casefold())
    said = set(re.findall(r"\w+", " ".join(block.text for block in first).casefold()))
    return any(block.level == 1 for block in first) and sum(word in said for word in words) < _SAID * len(words)


def _first_pages(document: Any) -> frozenset[int]:
    """Return the pages, from 2, on which another document begins: files of other page sizes were merged."""
    sizes = [sorted(round(side) for side in document.get_page_size(number)) for number in range(len(document))]
    return frozenset(
        number + 1
        for number, (before, size) in enumerate(pairwise(sizes), start=1)
        if any(abs(one - other) > _SAME_SIZE for one, other in zip(before, size, strict=True))
    )


def _day(document: Any) -> str | None:
    """Return the day of creation in ISO 8601; None if it is missing or cannot be read."""
    given = re.match(r"D:(\d{4})(\d\d)(\d\d)", document.get_metadata_value("CreationDate"))
    return "-".join(given.groups()) if given is not None else None


def _without_running(pages: list[list[PdfLine]], title: str) -> list[list[PdfLine]]:
    """Return pages without page numbers, without running heads and feet, and without what a browser prints around them.

    Running heads and feet are lines at the top or bottom of a page that stand in the same place on three pages, or on
    both pages of two. Only their digits may differ.
    """
    edges = [_edges(page) for page in pages]
    tops: dict[str, list[int]] = {}
    for upper, lower in edges:
        for name, top in {_name(line): line.top for line in [*upper, *lower]}.items():
            tops.setdefault(name, []).append(top)
    fewest = min(_RUNNING_PAGES, len(pages))
    running = {name: places for name, places in tops.items() if _in_one_place(places, fewest)}

    def is_running(line: PdfLine) -> bool:
        bare = line.text.removeprefix(title).strip() if title else line.text
        if _PRINTED.fullmatch(bare):
            return True
        return len(pages) > 1 and (_PAGE_NUMBER.fullmatch(_blanked(line)) is not None or _is_like(line, running))

    kept = []
    for page, (upper, lower) in zip(pages, edges, strict=True):
        left_out = [line for edge in (upper, lower) for line in _running_lines(edge, is_running)]
        if len(pages) == 1:
            left_out += [line for edge in (upper, lower) if (line := _lone_number(edge)) is not None]
        kept.append([line for line in page if line not in left_out])
    return kept


def _running_lines(edge: Sequence[PdfLine], is_running: Callable[[PdfLine], bool]) -> Iterator[PdfLine]:
    """Yield the running lines among the outermost ones of a page, and those that follow a running one inwards.

    A line with a number between two running ones is one too, such as "Fifth revised page".
    """
    found = [is_running(line) for line in edge]
    for place, line in enumerate(edge):
        between = 0 < place < len(edge) - 1 and found[place - 1] and found[place + 1] and re.search(r"\d", line.text)
        if found[place] or between:
            yield line
        elif place >= _EDGE_LINES - 1:
            return


def _lone_number(edge: Sequence[PdfLine]) -> PdfLine | None:
    """Return the page number at an edge of a page: figures that stand apart from the text."""
    if len(edge) < 2 or not edge[0].text.strip(" -–—").isdecimal():
        return None
    return edge[0] if abs(edge[0].top - edge[1].top) > _APART * edge[0].size else None


def _is_like(line: PdfLine, running: Mapping[str, list[int]]) -> bool:
    """Return whether a line is a running one, also if its letters were recognised (OCR) a little differently."""
    name = _name(line)
    if name in running:
        return True
    near = (other for other in list(running)[:_MOST_COMPARED] if abs(running[other][0] - line.top) <= _SAME_PLACE)
    return any(SequenceMatcher(None, name, other).ratio() > _ALIKE for other in near)


def _in_one_place(places: list[int], fewest: int) -> bool:
    middle = sorted(places)[len(places) // 2]
    return sum(abs(place - middle) <= _SAME_PLACE for place in places) >= fewest


def _edges(page: list[PdfLine]) -> tuple[list[PdfLine], list[PdfLine]]:
    """Return the lines at the top and at the bottom of a page, from the edge inwards."""
    ordered = sorted(page, key=lambda line: -line.top)
    return ordered[:_MOST_RUNNING], ordered[::-1][:_MOST_RUNNING]


def _blanked(line: PdfLine) -> str:
    return re.sub(r"\d+", "0", line.text)


def _name(line: PdfLine) -> str:
    """Return what a running line has in common on left and right pages, whose numbers stand at its other end."""
    return _ROMAN.sub("", _blanked(line)).strip("0 |-–—.")


def _blocks(pages: list[list[PdfLine]], first_pages: frozenset[int]) -> list[Block]:
    """Return headings and paragraphs, without lists of contents.

    A paragraph ends with a short line that ends a sentence, and before an entry of a list. Headings hold until the
    page on which another document begins.
    """
    letters: Counter[float] = Counter()
    bold = 0
    for page in pages:
        for line in page:
            letters[line.size] += len(line.text)
            bold += len(line.text) * line.bold
    body = letters.most_common(1)[0][0] if letters else 0.0
    larger = sorted({line.size for page in pages for line in page if _is_larger(line, body)}, reverse=True)
    levels = {size: min(number, _LOWEST) for number, size in enumerate(larger, start=1)}
    below = min(len(larger) + 1, _LOWEST) if bold < _MOST_BOLD * letters.total() else 0
    widths = sorted(len(line.text) for page in pages for line in page if line.size == body)
    wide = widths[int(len(widths) * 0.8)] if widths else 0
    blocks: list[Block] = []
    lines: list[str] = []
    start, entry, in_contents, look = 1, False, False, (0.0, False)
    for number, page in enumerate(pages, start=1):
        if number in first_pages:
            blocks += [*_paragraph(lines, start, entry), Block("", 1, page=number)]
            lines = []
        alone, pitch = _alone(page), _pitch(page)
        above: PdfLine | None = None
        for line in page:
            if lines and _parts_paragraphs(above, line, pitch):
                blocks.extend(_paragraph(lines, start, entry))
                lines = []
            above = line
            last = blocks[-1] if blocks and not lines else None
            level = levels[line.size] if _is_larger(line, body) else below * (_is_bold(line, body) and line in alone)
            same = last is not None and last.level and last.page == number and (line.size, line.bold) == look
            goes_on = same and last is not None and bool(last.text)
            if goes_on and not level and len(f"{last.text} {line.text}" if last else "") > _LONGEST_HEADING:
                goes_on = False
            if goes_on or level:
                blocks.extend(_paragraph(lines, start, entry))
                lines = []
                in_contents = line.text.casefold().strip(" .:") in _CONTENTS
                look = (line.size, line.bold)
                if last is not None and goes_on:
                    blocks[-1] = replace(last, text=f"{last.text} {line.text}")
                elif not in_contents:
                    blocks.append(Block(line.text, level, page=number))
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
    return before.bottom - line.bottom > _GAP * pitch


def _pitch(page: Sequence[PdfLine]) -> float:
    """Return the usual distance between the lines of a page."""
    distances = sorted(one.bottom - other.bottom for one, other in pairwise(page) if one.bottom - other.bottom > 0)
    return float(distances[len(distances) // 2]) if len(distances) >= _FEWEST_DISTANCES else inf


def _is_bold(line: PdfLine, body: float) -> bool:
    """Return whether a line in letters of the text's size is a heading: it is bold, and no sentence."""
    letters = sum(letter.isalpha() for letter in line.text)
    begins = _HEADING_BEGINS.match(line.text) is not None
    fits = line.size >= body * _SMALLER and len(line.text) <= _LONGEST_HEADING and letters >= _HEADING_LETTERS
    ends = _NO_HEADING.search(line.text) is not None and not _NUMBERED.match(line.text)
    return line.bold and fits and begins and not ends


def _alone(page: Sequence[PdfLine]) -> list[PdfLine]:
    """Return the bold lines of a page that have no neighbour in their row, and no bold text above and below them."""
    found = []
    for place, line in enumerate(page):
        around = [*page[max(0, place - 2) : place], *page[place + 1 : place + 3]]
        in_row = any(abs(other.top - line.top) < line.size / 2 for other in around)
        if line.bold and not in_row and sum(other.bold for other in around) <= 1:
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
    return [Block(_DIVIDED.sub("", text).replace(SOFT_HYPHEN, "-"), line=entry, page=page)] if text else []


def _unspaced(letter: str) -> bool:
    return "\u2e80" <= letter <= "\u9fff" or "\uf900" <= letter <= "\uffef" or "\u3000" <= letter <= "\u30ff"
