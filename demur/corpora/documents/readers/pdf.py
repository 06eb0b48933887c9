"""PDF: headings and paragraphs from the lines of each page. Headings have larger letters."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import groupby, pairwise
from math import inf
from typing import Any, Final

import pypdfium2 as pdfium

from demur.corpora.documents.blocks import Block, LeftOut, ReadText, shows_title
from demur.corpora.documents.readers.pdf_lines import SOFT_HYPHEN, PdfLine, lines_of_pages
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
_EDGE_LINES: Final = 3
"""Lines at the top and at the bottom of a page that may be running heads or feet."""
_RUNNING_PAGES: Final = 3
_MOST_COMPARED: Final = 50
_ALIKE: Final = 0.85
_SAME_PLACE: Final = 12
"""The most points between two lines in the same place; scanned pages are never laid quite the same."""
_HEADING_BEGINS: Final = re.compile(r"[(\d§]|[^\W_a-z]")
_NO_HEADING: Final = re.compile(r"[.,;:!][\"'”’»)\]]*$")
_GOES_ON: Final = re.compile(r"[a-zà-öø-ÿ]{2}|[a-z] |[,;)\]]")
_NUMBERED: Final = re.compile(r"(?:§+\s*|\d{1,3}[.)]|\(\w\)|[IVX]+[.)]).{,80}$")
"""Headings that may end with a full stop, as those of laws do."""
_LOWEST: Final = 6
_GAP: Final = 1.4
"""The least space between paragraphs, in distances of lines."""
_FEWEST_DISTANCES: Final = 5
_SMALLER: Final = 0.95
_MOST_BOLD: Final = 0.3
"""The largest share of bold letters of a document whose bold lines are headings."""
_FIRST_PAGES: Final = 3
"""The pages on which people see the title of a document."""
_SAME_SIZE: Final = 9
"""The most points by which pages of one document differ, as pages that were scanned do."""
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_WORDS_OF_A_HEAD: Final = 3
_PAGES_OF_A_HEAD: Final = 5
"""The fewest words and pages of a running head whose numbers neither stay nor count the pages."""
_MOST_RUNNING: Final = 8
"""The most lines of running heads or feet on a page."""
_APART: Final = 2.5
"""The least distance of a page number from the text of a page that stands alone, in sizes of its letters."""
_MOST_FIGURES: Final = 3
_MARGIN: Final = 60
"""The most figures of that page number, and the most points to the edge of the page."""
_NUMBERS: Final = re.compile(r"\d+(?:[.,]\d+)*")
_MOST_DIGITS: Final = 6
"""The most digits of a number that may count the pages."""
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
_FEWEST_ENTRIES: Final = 3
"""The fewest lines of a list of contents that no heading names."""
_CONTENTS_LINE: Final = re.compile(r".*[\s.](?:\d+|[ivxlc]+)", re.IGNORECASE)
_ENTRY: Final = re.compile(r"[•▪●◦‣]\s*\S|[–*-]\s+\S|\(?\d{1,2}[.)]\s+\S|\([a-z]\)\s+\S")
_DIVIDED: Final = re.compile(r"(?<=[^\W\d_])\u00ad\s*(?=[a-zà-öø-ÿ])")
_ENCRYPTED: Final = 4
"""PDFium's number of the error that a password is missing or wrong."""

Size = tuple[float, float]
_Key = tuple[str, tuple[str, ...]]
_Seen = dict[_Key, list[tuple[int, int]]]


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
    sizes = _sizes(document)
    kept = _without_running(pages, title, sizes)
    first_pages = _first_pages(sizes, [_heads(*both) for both in zip(pages, kept, strict=True)])
    starts = [0, *(number - 1 for number in sorted(first_pages)), len(pages)]
    if first_pages:  # each document has running heads of its own
        kept = [
            page for one, two in pairwise(starts) for page in _without_running(kept[one:two], title, sizes[one:two])
        ]
    blocks = _blocks(kept, first_pages)
    shown = " ".join(line.text for page in pages[:_FIRST_PAGES] for line in page)
    return ReadText(blocks, title if shows_title(title, shown) else None, _day(document), pages=len(pages))


def _sizes(document: Any) -> list[Size | None]:
    """Return width and height of each page in points; None for a damaged page."""
    found: list[Size | None] = []
    for number in range(len(document)):
        try:
            found.append(document.get_page_size(number))
        except pdfium.PdfiumError:
            found.append(None)
    return found


def _heads(page: Sequence[PdfLine], kept: Sequence[PdfLine]) -> frozenset[str]:
    """Return what the running heads and feet of a page say beside numbers."""
    return frozenset(_name(line) for line in set(page).difference(kept)) - {""}


def _first_pages(sizes: Sequence[Size | None], heads: Sequence[Set[str]]) -> frozenset[int]:
    """Return the pages, from 2, on which another document begins: files of other page sizes were merged.

    A size that returns later, as around a page that folds out, is one of the same document, unless the pages before and
    after have running heads and none in common.
    """
    known: list[list[float]] = []
    kinds: list[tuple[int, int]] = []  # the number of each page, from 1, with that of its size
    for number, size in enumerate(sizes, start=1):
        if size is None:
            continue
        sides = sorted(size)
        alike = (
            kind
            for kind, other in enumerate(known)
            if all(abs(one - two) <= _SAME_SIZE for one, two in zip(sides, other, strict=True))
        )
        if (kind := next(alike, None)) is None:
            kind = len(known)
            known.append(sides)
        kinds.append((number, kind))
    kinds = list(_of_documents(kinds, heads))
    last = {kind: number for number, kind in kinds}
    begun: set[int] = set()
    open_until = 0
    found: set[int] = set()
    for number, kind in kinds:
        if kind not in begun and begun and open_until < number:
            found.add(number)
        begun.add(kind)
        open_until = max(open_until, last[kind])
    return frozenset(found)


def _of_documents(kinds: Sequence[tuple[int, int]], heads: Sequence[Set[str]]) -> Iterator[tuple[int, int]]:
    """Yield pages with their kinds; a kind that returns with other running heads gets a new number."""
    said: dict[int, Set[str]] = {}  # the heads of each kind
    now: dict[int, int] = {}  # the number that each kind has by now
    for kind, stretch in groupby(kinds, key=lambda one: one[1]):
        pages = [number for number, _ in stretch]
        own: Set[str] = frozenset().union(*(heads[number - 1] for number in pages))
        number = now.get(kind, kind)
        before = said.get(number, frozenset())
        if before and own and before.isdisjoint(own):
            number = len(heads) + pages[0]  # a number that no kind has
            before = frozenset()
        now[kind] = number
        said[number] = before | own
        yield from ((page, number) for page in pages)


def _day(document: Any) -> str | None:
    """Return the day of creation in ISO 8601; None if it is missing or cannot be read."""
    given = re.match(r"D:(\d{4})(\d\d)(\d\d)", document.get_metadata_value("CreationDate"))
    return "-".join(given.groups()) if given is not None else None


def _without_running(pages: list[list[PdfLine]], title: str, sizes: Sequence[Size | None]) -> list[list[PdfLine]]:
    """Return pages without page numbers, without running heads and feet, and without what a browser prints around them.

    Running heads and feet are lines at the top or bottom of a page that stand in the same place on three pages, or on
    both pages of two. Their numbers are the same, or one of them counts up with the pages: rows of a table that differ
    in their numbers are text.
    """
    edges = [_edges(page) for page in pages]
    seen: _Seen = {}
    for number, edge in enumerate(edges):
        for line in dict.fromkeys((*edge[0], *edge[1])):  # in order: only the first running lines are compared
            for key in _keys(line, number):
                seen.setdefault(key, []).append((line.top, number))
    for places in seen.values():
        places.sort()
    counted = {
        counting: len({number for _, number in places})
        for (name, counting), places in seen.items()
        if not name and counting
    }
    fewest = min(_RUNNING_PAGES, len(pages))
    outermost = set(_outermost_heads(edges))
    running = [key for key, places in seen.items() if any(_is_in_place(places, top, fewest) for top, _ in places)]

    def is_running(line: PdfLine, number: int) -> bool:
        bare = line.text.removeprefix(title).strip() if title else line.text
        if _PRINTED.fullmatch(bare):
            return True
        if len(pages) == 1:
            return False
        keys = _keys(line, number)
        if _PAGE_NUMBER.fullmatch(_blanked(line)):
            bare_figures = line.text.strip(" -–—").isdecimal()
            return not bare_figures or any(counted.get(counting, 0) > 1 for _, counting in keys[1:])
        if line in (edges[number][0][0], edges[number][1][0]) and any(
            SequenceMatcher(None, keys[0][0], head).ratio() > _ALIKE for head in outermost
        ):
            return True
        if any(_is_in_place(seen[key], line.top, fewest) for key in keys):
            return True
        return any(
            _is_in_place(seen[other], line.top, fewest)
            and any(other[1] == numbers for _, numbers in keys)
            and SequenceMatcher(None, keys[0][0], other[0]).ratio() > _ALIKE
            for other in running[:_MOST_COMPARED]
        )

    kept = []
    for number, (page, both) in enumerate(zip(pages, edges, strict=True)):
        left_out = [line for edge in both for line in _running_lines(edge, [is_running(one, number) for one in edge])]
        if len(pages) == 1:
            left_out += [lone for edge in both if (lone := _lone_number(edge, sizes[number])) is not None]
        kept.append([line for line in page if line not in left_out])
    return kept


def _outermost_heads(edges: Sequence[tuple[list[PdfLine], list[PdfLine]]]) -> Iterator[str]:
    """Yield the names of outermost lines of pages that say the same but for numbers that never fall.

    Such heads name the section of a law or the entry of a dictionary with which a page begins or ends.
    """
    found: dict[tuple[str, bool], list[tuple[int, tuple[int, ...]]]] = {}
    for both in edges:
        for at_top, edge in zip((True, False), both, strict=True):
            if edge and len(_WORD.findall(_name(edge[0]))) >= _WORDS_OF_A_HEAD:
                numbers = tuple(int(one) for one in re.findall(rf"\d{{1,{_MOST_DIGITS}}}", edge[0].text))
                found.setdefault((_name(edge[0]), at_top), []).append((edge[0].top, numbers))
    for (name, _), heads in found.items():
        tops = [top for top, _ in heads]
        rises = all(one <= other for (_, one), (_, other) in pairwise(heads))
        if len(heads) >= _PAGES_OF_A_HEAD and rises and max(tops) - min(tops) <= _SAME_PLACE:
            yield name


def _running_lines(edge: Sequence[PdfLine], found: Sequence[bool]) -> Iterator[PdfLine]:
    """Yield the running lines among the outermost ones of a page, and those that follow a running one inwards.

    A line with a number between two running ones is one too, such as "Fifth revised page".
    """
    for place, line in enumerate(edge):
        between = 0 < place < len(edge) - 1 and found[place - 1] and found[place + 1] and re.search(r"\d", line.text)
        if found[place] or between:
            yield line
        elif place >= _EDGE_LINES - 1:
            return


def _lone_number(edge: Sequence[PdfLine], size: Size | None) -> PdfLine | None:
    """Return the page number in the margin of a page: up to three figures that stand apart from the text."""
    figures = edge[0].text.strip(" -–—") if len(edge) > 1 else ""
    if size is None or not figures.isdecimal() or len(figures) > _MOST_FIGURES:
        return None
    in_margin = min(edge[0].bottom, size[1] - edge[0].top) <= _MARGIN
    return edge[0] if in_margin and abs(edge[0].top - edge[1].top) > _APART * edge[0].size else None


def _keys(line: PdfLine, number: int) -> list[_Key]:
    """Return the name of a line with its numbers, and with each of them as it is if it counts up with the pages."""
    name, found = _name(line), _NUMBERS.findall(line.text)
    counting = [
        (*found[:place], f"+{int(one) - number}", *found[place + 1 :])
        for place, one in enumerate(found)
        if one.isdecimal() and len(one) <= _MOST_DIGITS
    ]
    return [(name, numbers) for numbers in (tuple(found), *counting)]


def _is_in_place(places: Sequence[tuple[int, int]], top: int, fewest: int) -> bool:
    """Return whether lines of so many pages, given by place and page in order, stand where a line stands."""
    pages: set[int] = set()
    for index in range(bisect_left(places, (top - _SAME_PLACE, 0)), len(places)):
        if places[index][0] > top + _SAME_PLACE or len(pages) >= fewest:
            break
        pages.add(places[index][1])
    return len(pages) >= fewest


def _edges(page: list[PdfLine]) -> tuple[list[PdfLine], list[PdfLine]]:
    """Return the lines at the top and at the bottom of a page, from the edge inwards; marks in its sides are none."""
    upright = [line for line in page if line.upright]
    ordered = sorted(upright or page, key=lambda line: -line.top)
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
    pages = [with_rows(_without_contents(page)) for page in pages]
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
    start, entry, in_contents, look = 1, False, False, (0.0, False)
    for number, page in enumerate(pages, start=1):
        if number in first_pages:
            blocks.extend(_paragraph(lines, start, entry))
            lines = []
            begun.add(len(blocks))
        alone, pitch = _alone(page), _pitch(page)
        above: PdfLine | None = None
        for line, header in zip(page, headers_of(page), strict=True):
            if lines and _parts_paragraphs(above, line, pitch):
                blocks.extend(_paragraph(lines, start, entry))
                lines = []
            in_row = above is not None and abs(above.bottom - line.bottom) < line.size / 2
            above = line
            last = blocks[-1] if blocks and not lines else None
            level = levels[line.size] if _is_larger(line, body) else below * (_is_bold(line, body) and line in alone)
            goes_on = False
            if last is not None and last.level and last.page == number and (in_row or (line.size, line.bold) == look):
                goes_on = bool(level) or len(f"{last.text} {line.text}") <= _LONGEST_HEADING
            if (goes_on or level) and not line.row:
                blocks.extend(_paragraph(lines, start, entry))
                lines = []
                in_contents = _names_contents(line)
                look = (line.size, line.bold)
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
            begins_entry = _ENTRY.match(line.text) is not None
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
    """Return the bold lines of a page that stand alone.

    They have no neighbour in their row, no bold text above and below them, and no sentence that goes on below them.
    """
    found = []
    for place, line in enumerate(page):
        around = [*page[max(0, place - 2) : place], *page[place + 1 : place + 3]]
        in_row = any(abs(other.top - line.top) < line.size / 2 for other in around)
        goes_on = place + 1 < len(page) and _GOES_ON.match(page[place + 1].text) is not None
        if line.bold and not in_row and not goes_on and sum(other.bold for other in around) <= 1:
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
