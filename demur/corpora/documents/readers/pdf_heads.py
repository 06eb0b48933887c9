"""Running heads and feet of the pages of a PDF, and the pages on which documents of a merged file begin."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence, Set
from difflib import SequenceMatcher
from itertools import groupby, pairwise
from typing import Final

from demur.corpora.documents.readers.pdf_lines import PdfLine

_EDGE_LINES: Final = 3
"""Lines at the top and at the bottom of a page that may be running heads or feet."""
_RUNNING_PAGES: Final = 3
_MOST_COMPARED: Final = 50
_ALIKE: Final = 0.85
_SAME_PLACE: Final = 12
"""The most points between two lines in the same place; scanned pages are never laid quite the same."""
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
_MARGIN: Final = 0.15
"""The most figures of that page number, and the largest distance to the edge of the page, in heights of the page."""
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

Size = tuple[float, float]
_Key = tuple[str, tuple[str, ...]]
_Seen = dict[_Key, list[tuple[int, int]]]


def heads_of(page: Sequence[PdfLine], kept: Sequence[PdfLine]) -> frozenset[str]:
    """Return what the running heads and feet of a page say beside numbers."""
    return frozenset(_name(line) for line in set(page).difference(kept)) - {""}


def first_pages_of(sizes: Sequence[Size | None], heads: Sequence[Set[str]]) -> frozenset[int]:
    """Return the pages, from 2, on which another document begins: files of other page sizes were merged.

    A size that returns later, as around a page that folds out, is one of the same document, unless the pages before and
    after have running heads and none in common, or upright pages between them have none of those heads.
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
    kinds = list(_of_documents(kinds, heads, sizes))
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


def _of_documents(
    kinds: Sequence[tuple[int, int]], heads: Sequence[Set[str]], sizes: Sequence[Size | None]
) -> Iterator[tuple[int, int]]:
    """Yield pages with their kinds; a kind that returns with other running heads gets a new number.

    So does a kind that returns behind upright pages which have none of its heads.
    """
    said: dict[int, Set[str]] = {}  # the heads of each kind
    ended: dict[int, int] = {}  # the last page of each kind
    now: dict[int, int] = {}  # the number that each kind has by now
    for kind, stretch in groupby(kinds, key=lambda one: one[1]):
        pages = [number for number, _ in stretch]
        own: Set[str] = frozenset().union(*(heads[number - 1] for number in pages))
        number = now.get(kind, kind)
        before = said.get(number, frozenset())
        between = range(ended.get(number, pages[0]), pages[0] - 1)
        parted = all((size := sizes[page]) is None or size[0] <= size[1] for page in between)
        apart = frozenset().union(*(heads[page] for page in between)) if parted else before & own
        if before and own and (before & own).isdisjoint(apart):
            number = len(heads) + pages[0]  # a number that no kind has
            before = frozenset()
        now[kind] = number
        said[number] = before | own
        ended[number] = pages[-1]
        yield from ((page, number) for page in pages)


def without_running(pages: list[list[PdfLine]], title: str, sizes: Sequence[Size | None]) -> list[list[PdfLine]]:
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
    found: dict[tuple[str, bool], list[tuple[int, int, tuple[int, ...]]]] = {}
    for page, both in enumerate(edges):
        for at_top, edge in zip((True, False), both, strict=True):
            if edge and len(_WORD.findall(_name(edge[0]))) >= _WORDS_OF_A_HEAD:
                numbers = tuple(int(one) for one in re.findall(rf"\d{{1,{_MOST_DIGITS}}}", edge[0].text))
                found.setdefault((_name(edge[0]), at_top), []).append((page, edge[0].top, numbers))
    compared = list(found.items())[:_MOST_COMPARED]
    for (name, at_top), own in found.items():
        heads = own
        if len(own) < _PAGES_OF_A_HEAD:  # as heads of scanned pages, whose letters are not recognised alike
            alike = (
                other
                for (said, side), other in compared
                if side == at_top and other is not own and SequenceMatcher(None, name, said).ratio() > _ALIKE
            )
            heads = sorted((*own, *(head for other in alike for head in other)))
        tops = [top for _, top, _ in heads]
        rises = all(one <= other for (_, _, one), (_, _, other) in pairwise(heads))
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
    in_margin = min(edge[0].bottom, size[1] - edge[0].top) <= _MARGIN * size[1]
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
