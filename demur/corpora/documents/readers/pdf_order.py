"""Lines of the pages of a PDF in the order in which people read them, with values of forms and labels of drawings."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, Final

import pypdfium2 as pdfium
import pypdfium2.raw as native

from demur.corpora.documents.passages import LEAST, measure
from demur.corpora.documents.readers.pdf_lines import PdfLine, lines_of, values_of, with_pieces

_FIELD_SIZE: Final = 10.0
_MOST_MOVED: Final = 5
"""The most lines that stand elsewhere in the order of the content than on the page."""
_IN_COLUMN: Final = 0.1
"""The least share of the width of a line that lies above or below another line of its column."""
_IN_BOX: Final = 1.5
"""The most space between two lines of a box in a drawing, in sizes of its letters."""
_MOST_ORDERED: Final = 400
"""The most lines of a page whose order is looked at, since each is compared with all others."""
_LABEL_WORDS: Final = 2
"""The most words of the median line of a drawing that has labels and no text."""
_TEXT_WORDS: Final = 6
"""The fewest words of a line of running text."""
_FEWEST_LABELS: Final = 20
_MOST_IN_TEXT: Final = 0.2
_SCATTERED: Final = 0.3
_SAME_EDGE: Final = 4
_MOST_SIDES: Final = 100
"""Lines of a page are scattered if they are so many, hardly a word is in running text, and few stand below others:
the least share of different left edges, middles and right edges, which differ by so many points, of at most so many
lines, since a page has not more places.
"""

_FEWEST_IN_FIGURE: Final = 5
_WORDS_OF_A_LABEL: Final = 4
_FEWEST_AT_CAPTION: Final = 2
_CAPTION: Final = re.compile(r"(?:fig|abb|рис|图|図)\w*\.?\s*\d", re.IGNORECASE)
_LABEL: Final = re.compile(rf"(?!{_CAPTION.pattern}|\d)(?=.*[^\W\d_]{{3}})\(?\w(?:.*[\w)%])?", re.IGNORECASE)
_APART_IN_FIGURE: Final = 0.7
"""Lines that follow one another on a page of text are labels of a figure if they are so many, or so few beside its
caption, have at most so many words and no number as headings have, and if so many of their left edges, middles and
right edges differ: those of lists and tables do not.
"""
_MOST_TURNED: Final = 2
"""The most lines of an upright page that are turned and no text, as axes of charts and stamps; more name columns."""
_MOST_PLACED: Final = 1500
"""The most lines and values of a form whose values are put behind their labels, since each is compared with all."""


def lines_of_pages(document: Any) -> list[list[PdfLine]]:
    """Return the lines of each page of a document; a damaged page has none."""
    # pypdfium2 makes no environment for pages that were taken out of their form; PDFium reads their fields all the same
    config = native.FPDF_FORMFILLINFO(version=2)
    document.formenv = pdfium.PdfFormEnv(native.FPDFDOC_InitFormFillEnvironment(document, config), config)
    return [_lines_of(document, number) for number in range(len(document))]


def _lines_of(document: Any, number: int) -> list[PdfLine]:
    try:
        page = document[number]
        text = page.get_textpage()
    except pdfium.PdfiumError:
        return []
    values = list(values_of(document.formenv, page))
    lines = list(lines_of(text, in_cells=bool(values)))
    if not values:
        lines = with_pieces(lines)
    if values and len(lines) + len(values) > _MOST_PLACED:
        lines = _in_rows([*lines, *(replace(value, size=_FIELD_SIZE) for value in values)])
    else:
        lines = _in_rows(lines) if values and all(line.upright for line in lines) else _ordered(lines)
        for value in values:
            lines = _with_value(lines, value)
    if not values:
        lines = _with_labels(lines)
    text.close()
    page.close()
    return lines


def _ordered(lines: list[PdfLine]) -> list[PdfLine]:
    """Return lines in the order of the page's content, but for a few lines that stand there behind lines below them.

    Programs draw heads, fields and notes when they like. A page on which many lines stand so is a drawing, unless most
    lines are of running text, as beside formulas.
    """
    if _is_scattered(lines):
        return [line for box in _boxes(lines) for line in box]
    if len(lines) > _MOST_ORDERED:
        return lines
    kept = list(lines)
    moved: list[PdfLine] = []
    late = {line: [other for other in lines[:place] if _is_above(line, other)] for place, line in enumerate(lines)}
    while any(late[line] for line in kept):
        if len(moved) == _MOST_MOVED:
            return lines if _median_words(lines) >= _TEXT_WORDS else _boxes_in_order(lines)
        counted = Counter(one for line in kept for other in late[line] for one in (line, other))
        furthest = max(kept, key=lambda line: counted[line])
        kept.remove(furthest)
        moved.append(furthest)
        late = {line: [other for other in late[line] if other is not furthest] for line in kept}
    for line in sorted(moved, key=lambda one: -one.top):
        below = (place for place, other in enumerate(kept) if _is_above(line, other))
        above = [(other.bottom - line.top, -place) for place, other in enumerate(kept) if _is_above(other, line)]
        kept.insert(1 - min(above)[1] if above else next(below, len(kept)), line)
    return kept


def _is_scattered(lines: Sequence[PdfLine]) -> bool:
    """Return whether the lines of a page are labels of a drawing: short, and not below one another."""
    in_text, words = _words(lines)
    if len(lines) < _FEWEST_LABELS or in_text >= _MOST_IN_TEXT * words:
        return False
    return _differ(lines, _SCATTERED)


def _with_labels(lines: Sequence[PdfLine]) -> list[PdfLine]:
    """Return the lines of a page with labels told: few turned lines of an upright page, and labels of figures."""
    in_text, words = _words(lines)
    turned = {line for line in lines if not line.upright}
    labels = turned if len(turned) <= min(_MOST_TURNED, len(lines) // 2) else set()
    if 2 * in_text > words:
        runs = [(short, list(run)) for short, run in groupby(lines, key=_may_be_label)]
        for place, (short, run) in enumerate(runs):
            beside = [both[0] for _, both in runs[place + 1 : place + 2]] + [both[-1] for _, both in runs[:place][-1:]]
            at_caption = any(_CAPTION.match(line.text) for line in beside)
            fewest = _FEWEST_AT_CAPTION if at_caption else _FEWEST_IN_FIGURE
            if short and len(run) >= fewest and _differ(run, _APART_IN_FIGURE):
                labels.update(run)
    return [replace(line, label=True) if line in labels else line for line in lines]


def _may_be_label(line: PdfLine) -> bool:
    few = not line.cells and measure(line.text) <= _WORDS_OF_A_LABEL
    return line.upright and few and _LABEL.fullmatch(line.text) is not None


def _words(lines: Sequence[PdfLine]) -> tuple[float, float]:
    """Return the number of words in lines of running text, and in all lines."""
    words = [measure(line.text) for line in lines]
    return sum(one for one in words if one >= _TEXT_WORDS), sum(words)


def _differ(lines: Sequence[PdfLine], share: float) -> bool:
    """Return whether most left edges, middles and right edges of lines differ."""
    sides = zip(*((line.left, (line.left + line.right) // 2, line.right) for line in lines), strict=True)
    return all(len({one // _SAME_EDGE for one in side}) >= share * min(len(lines), _MOST_SIDES) for side in sides)


def _boxes_in_order(lines: Sequence[PdfLine]) -> list[PdfLine]:
    """Return the lines of a drawing: each of its boxes behind those above it, and else in the order of the content."""
    boxes = _boxes(lines)
    edges = [_around(box) for box in boxes]
    above = [{place for place, other in enumerate(edges) if _is_above(other, edge)} for edge in edges]
    left = list(range(len(boxes)))
    found: list[PdfLine] = []
    while left:
        chosen = next((place for place in left if above[place].isdisjoint(left)), left[0])
        left.remove(chosen)
        found += boxes[chosen]
    return found


def _boxes(lines: Sequence[PdfLine]) -> list[list[PdfLine]]:
    """Return the boxes of a drawing: lines that stand close below one another.

    If the drawing has labels and no text, lines of boxes without running text are labels.
    """
    boxes: list[list[PdfLine]] = []
    for line in lines:
        if boxes and _is_below_in_box(boxes[-1][-1], line):
            boxes[-1].append(line)
        else:
            boxes.append([line])
    if _median_words(lines) > _LABEL_WORDS:
        return boxes
    return [box if _is_text(box) else [replace(line, label=True) for line in box] for box in boxes]


def _median_words(lines: Sequence[PdfLine]) -> float:
    return sorted(measure(line.text) for line in lines)[len(lines) // 2]


def _is_text(box: Sequence[PdfLine]) -> bool:
    in_text, words = _words(box)
    return 2 * words >= LEAST and 2 * in_text > words


def _is_below_in_box(line: PdfLine, other: PdfLine) -> bool:
    beside = max(line.left, other.left) > min(line.right, other.right)
    return other.bottom < line.bottom <= other.top + _IN_BOX * other.size and not beside


def _around(box: Sequence[PdfLine]) -> PdfLine:
    """Return a line with the edges of all lines of a box."""
    return replace(
        box[0],
        bottom=min(line.bottom for line in box),
        left=min(line.left for line in box),
        right=max(line.right for line in box),
    )


def _is_above(line: PdfLine, other: PdfLine) -> bool:
    """Return whether a line is above another one, in one column."""
    return line.upright and other.upright and line.bottom > other.top and _is_in_column(line, other)


def _is_in_column(line: PdfLine, other: PdfLine) -> bool:
    shared = min(line.right, other.right) - max(line.left, other.left)
    return shared > _IN_COLUMN * min(line.right - line.left, other.right - other.left)


def _in_rows(lines: list[PdfLine]) -> list[PdfLine]:
    """Return the lines of a form by rows: a row has the middles of its lines at the height of its first one."""
    rows: list[list[PdfLine]] = []
    for line in sorted(lines, key=lambda line: -(line.top + line.bottom)):
        first = rows[-1][0] if rows else line
        between = first.top + first.bottom - line.top - line.bottom
        if rows and between <= min(first.top - first.bottom, line.top - line.bottom):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda line: line.left)]


def _with_value(lines: list[PdfLine], value: PdfLine) -> list[PdfLine]:
    """Return lines with the value of a field behind its label: left of it in its row, or else the nearest above it."""

    def distance(line: PdfLine) -> tuple[int, int]:
        in_row = value.bottom <= (line.top + line.bottom) // 2 <= value.top and line.left <= value.left
        beside = max(0, line.left - value.right, value.left - line.right)
        if in_row:
            return 0, beside
        above = line.bottom - value.top
        return (1, above + beside) if line.top > value.top else (2, abs(above))

    if not lines:
        return [replace(value, size=_FIELD_SIZE)]
    label = min(lines, key=distance)
    place = lines.index(label) + 1
    if distance(label)[0] == 0:
        joined = replace(label, text=f"{label.text} {value.text}", right=max(label.right, value.right), bold=False)
        return [*lines[: place - 1], joined, *lines[place:]]
    return [*lines[:place], replace(value, size=label.size), *lines[place:]]
