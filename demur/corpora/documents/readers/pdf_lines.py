"""Lines of the pages of a PDF, with the values of form fields, in the order in which people read them."""

import ctypes
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from math import hypot
from typing import Any, Final

import pypdfium2 as pdfium
import pypdfium2.raw as native

from demur.corpora.documents.passages import LEAST, measure

SOFT_HYPHEN: Final = "\u00ad"
"""The hyphen of a word that is divided at the end of a line."""
_CAPITAL: Final = 0.7
"""The height of capitals, relative to the size of letters."""
_SAMPLED: Final = 5
"""The letters of a line whose size is asked for."""
_HYPHENS: Final = frozenset((0x02, 0xAD, 0xFFFE))
"""Characters by which PDFium and PDFs mark a word that is divided at the end of a line."""
_LIGATURES: Final = dict(zip(range(0xFB00, 0xFB07), ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True))
_PRIVATE: Final = range(0xE000, 0xF900)
_BOLD: Final = 600
"""The least weight of bold letters."""
_BOLD_NAMES: Final = re.compile(r"bold|black|heavy", re.IGNORECASE)
_FIELDS_WITH_TEXT: Final = frozenset(
    (native.FPDF_FORMFIELD_TEXTFIELD, native.FPDF_FORMFIELD_COMBOBOX, native.FPDF_FORMFIELD_LISTBOX)
)
_SPACE: Final = 0x20
_NO_BLANK: Final = 0.1
"""The most space behind the place of a letter that is no blank, in sizes of letters."""
_FEWEST_NEAR: Final = 3
_LIKE_OTHERS: Final = 1.5
"""The fewest pairs of letters that show how near letters of a line are, and the most that others are wider apart."""
_CELL_GAP: Final = 20
"""The least points between two labels in a row of a form."""
_ROW_GAP: Final = 1.5
"""The least space between two cells in a row of a table, in sizes of its letters; spaces of justified text are less."""
_PART_GAP: Final = 0.45
"""The least space between a figure and a text that are cells of their own, in sizes of their letters."""
_RAISED: Final = 0.8
"""The largest size of the number of a note, relative to the figure that it follows."""
_SUPERSCRIPTS: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_LEADERS: Final = re.compile(r"(?:\s?[.…·]){5,}\s?")
"""The dots that lead from a name to its figure in another column."""
_LED_TO: Final = re.compile(_LEADERS.pattern + r"(\d{1,4})\s*$")
_UNSEEN: Final = 2 | 32
"""Flags of annotations that are hidden, or not viewed."""
_PASSWORD: Final = 1 << 13
"""The flag of fields whose value is shown as stars."""
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
_LABEL: Final = re.compile(r"(?=.*[^\W\d_]{3})\(?\w(?:.*[\w)%])?")
_APART_IN_FIGURE: Final = 0.7
"""Lines that follow one another on a page of text are labels of a figure if they are so many, have at most so many
words, and so many of their left edges, middles and right edges differ: those of lists and tables do not.
"""
_OVERLAP: Final = 1.0
_PIECE_GAP: Final = 0.6
"""The most by which pieces of a formula overlap, and the greatest space between them, in sizes of letters."""
_MOST_TURNED: Final = 2
"""The most lines of an upright page that are turned and no text, as axes of charts and stamps; more name columns."""
_MOST_PLACED: Final = 1500
"""The most lines and values of a form whose values are put behind their labels, since each is compared with all."""


Cell = tuple[str, int, int]
"""A part of a line with its left and right edge."""


@dataclass(frozen=True, slots=True, eq=False)
class PdfLine:
    """A line of a page, with the size of most of its letters.

    `top`, `bottom`, `left` and `right` are its edges, in points from the lower left corner of the page. `cells` has its
    parts that stand far apart; a line without such a space has none, and has no `parts`, which stand less far apart.
    `row` has the cells of a row of a table, and `led_to` the number to which dots lead at the end of the line. `label`
    is true for a label of a drawing, which is no text.
    """

    text: str
    size: float
    top: int
    bottom: int = 0
    left: int = 0
    right: int = 0
    bold: bool = False
    upright: bool = True
    cells: tuple[Cell, ...] = ()
    parts: tuple[Cell, ...] = ()
    row: tuple[Cell, ...] = ()
    led_to: int | None = None
    label: bool = False


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
    values = list(_values(document.formenv, page))
    lines = list(_lines(text, in_cells=bool(values)))
    if not values:
        lines = _with_pieces(lines)
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


def _lines(text: Any, *, in_cells: bool) -> Iterator[PdfLine]:
    """Yield the lines of a page; with `in_cells`, the parts of a line that are far apart are lines of their own."""
    letters: list[tuple[int, str]] = []
    right = 0.0
    for place in range(native.FPDFText_CountChars(text)):
        code = native.FPDFText_GetUnicode(text, place)
        if in_cells and code > _SPACE:
            box = _box(text, place)
            if letters and box[0] - right > _CELL_GAP:
                yield from _line(text, letters, in_cells=in_cells)
                letters = []
            right = box[1]
        if code in (0x0A, 0x0D):
            yield from _line(text, letters, in_cells=in_cells)
            letters = []
        elif code in _HYPHENS:
            letters.append((place, SOFT_HYPHEN))
        elif code and code not in _PRIVATE:
            letters.append((place, _LIGATURES.get(code) or chr(code)))
    yield from _line(text, letters, in_cells=in_cells)


def _line(page: Any, letters: Sequence[tuple[int, str]], *, in_cells: bool) -> Iterator[PdfLine]:
    letters = _raised(page, _without_torn(page, letters))
    given = "".join(letter for _, letter in letters)
    words, led_to = _plain(given), _LED_TO.search(given)
    places = [place for place, letter in letters if not letter.isspace()]
    if not words or not places:
        return
    sampled = places[:: max(1, len(places) // _SAMPLED)]
    sizes = Counter(_size(page, place) for place in sampled)
    size = sizes.most_common(1)[0][0]
    first, last = _box(page, places[0]), _box(page, places[-1])
    turned = native.FPDFText_GetCharAngle(page, places[len(places) // 2])
    upright = abs(turned) < 0.1 or abs(turned - 6.283) < 0.1
    cells = tuple(_cells(page, letters, _ROW_GAP * size)) if upright and not in_cells else ()
    yield PdfLine(
        words,
        size,
        top=round(first[2] + _CAPITAL * size),
        bottom=round(last[2] if upright and last[2] < first[2] - size / 2 else first[2]),  # PDFium joins divided words
        left=round(min(first[0], last[0])),
        right=round(max(first[1], last[1])),
        bold=all(_is_bold(page, place) for place in (places[0], places[len(places) // 2], places[-1])),
        upright=upright,
        cells=cells,
        parts=tuple(_cells(page, letters, _PART_GAP * size)) if cells else (),
        led_to=int(led_to[1]) if led_to is not None else None,
    )


def _without_torn(page: Any, letters: Sequence[tuple[int, str]]) -> Sequence[tuple[int, str]]:
    """Return letters without the blanks that PDFium adds within words whose letters were drawn in several pieces.

    The letters around such a blank are as near each other as others of the line, and leave no place for a blank.
    """
    torn = {at for at in range(1, len(letters) - 1) if _is_torn(page, letters[at - 1 : at + 2])}
    if not torn:
        return letters
    near = sorted(_between(page, *both) for both in pairwise(letters) if not any(one.isspace() for _, one in both))
    if len(near) < _FEWEST_NEAR:
        return letters
    most = _LIKE_OTHERS * near[len(near) // 2]
    return [
        one
        for at, one in enumerate(letters)
        if at not in torn or _between(page, letters[at - 1], letters[at + 1]) > most
    ]


def _is_torn(page: Any, letters: Sequence[tuple[int, str]]) -> bool:
    (_, before), (place, blank), (after, behind) = letters
    if blank != " " or before.isspace() or behind.isspace() or native.FPDFText_IsGenerated(page, place) != 1:
        return False
    one, other, size = _box(page, letters[0][0]), _box(page, after), _size(page, after)
    in_row = min(one[3], other[3]) > max(one[2], other[2]) and other[0] > one[0]
    return in_row and other[0] - _box(page, place)[0] <= _NO_BLANK * size


def _between(page: Any, one: tuple[int, str], other: tuple[int, str]) -> float:
    return _box(page, other[0])[0] - _box(page, one[0])[1]


def _plain(text: str) -> str:
    """Return a text with single spaces, without leaders."""
    return " ".join(_LEADERS.sub(" ", text).split())


def _raised(page: Any, letters: Sequence[tuple[int, str]]) -> Sequence[tuple[int, str]]:
    """Return letters with small raised figures behind a word or figure as superscripts: 8,935 with note 3 is 8,935³."""
    found: list[tuple[int, str]] = []
    full: int | None = None  # the place of the last letter or figure in full size, while figures follow
    for place, letter in letters:
        if not (letter.isascii() and letter.isdigit()):
            full = place if letter.isalpha() else None if letter.isspace() else full
        elif full is not None and _size(page, place) <= _RAISED * _size(page, full):
            higher = _box(page, place)[2] > _box(page, full)[2] + 1
            letter = letter.translate(_SUPERSCRIPTS) if higher else letter
        else:
            full = place
        found.append((place, letter))
    return found


def _cells(page: Any, letters: Sequence[tuple[int, str]], gap: float) -> Iterator[Cell]:
    """Yield the parts of a line between wide spaces, with their edges; nothing if it has no wide space."""
    begun = last = next((number for number, (_, letter) in enumerate(letters) if not letter.isspace()), 0)
    parts: list[tuple[int, int]] = []
    for number in range(begun + 1, len(letters)):
        if letters[number][1].isspace():
            continue
        if number > last + 1 and _box(page, letters[number][0])[0] - _box(page, letters[last][0])[1] > gap:
            parts.append((begun, last))
            begun = number
        last = number
    if not parts:
        return
    for first, final in (*parts, (begun, last)):
        text = _plain("".join(letter for _, letter in letters[first : final + 1]))
        if text:
            yield text, round(_box(page, letters[first][0])[0]), round(_box(page, letters[final][0])[1])


def _box(page: Any, place: int) -> list[float]:
    """Return left, right, lower and upper edge of a letter."""
    box = [ctypes.c_double() for _ in range(4)]
    native.FPDFText_GetCharBox(page, place, *box)
    return [edge.value for edge in box]


def _size(page: Any, place: int) -> float:
    """Return the height of a letter's font on the page, in points."""
    matrix = native.FS_MATRIX()
    scale = hypot(matrix.c, matrix.d) if native.FPDFText_GetMatrix(page, place, matrix) else 1.0
    return round(float(native.FPDFText_GetFontSize(page, place)) * (scale or 1.0), 1)


def _is_bold(page: Any, place: int) -> bool:
    if native.FPDFText_GetFontWeight(page, place) >= _BOLD:
        return True
    name, flags = ctypes.create_string_buffer(100), ctypes.c_int()
    native.FPDFText_GetFontInfo(page, place, name, 100, flags)
    return _BOLD_NAMES.search(name.value.decode("latin-1")) is not None


def _with_pieces(lines: Sequence[PdfLine]) -> list[PdfLine]:
    """Return lines of a page; the pieces of a formula, which are raised or lowered, belong to the line before them."""
    found: list[PdfLine] = []
    for line in lines:
        last = found[-1] if found else None
        if last is None or not _is_piece(last, line):
            found.append(line)
            continue
        raised = line.text.isdecimal() and line.size <= _RAISED * last.size and line.bottom > last.bottom
        text = line.text.translate(_SUPERSCRIPTS) if raised else line.text
        larger = max(last, line, key=lambda one: one.size)
        between = "" if raised or line.left - last.right < _NO_BLANK * line.size else " "
        found[-1] = replace(
            last,
            text=f"{last.text}{between}{text}",
            right=line.right,
            size=larger.size,
            top=larger.top,
            bottom=larger.bottom,
        )
    return found


def _is_piece(line: PdfLine, other: PdfLine) -> bool:
    """Return whether a line goes on in its row with another one that stands a little higher or lower."""
    if line.cells or other.cells or not (line.upright and other.upright) or line.text.endswith(SOFT_HYPHEN):
        return False
    shared = min(line.top, other.top) - max(line.bottom, other.bottom)
    near = -_OVERLAP <= (other.left - line.right) / max(line.size, other.size, 1) <= _PIECE_GAP
    return near and 2 * shared >= min(line.top - line.bottom, other.top - other.bottom)


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
    words = [measure(line.text) for line in lines]
    if len(lines) < _FEWEST_LABELS or _words_in_text(lines) >= _MOST_IN_TEXT * sum(words):
        return False
    return _differ(lines, _SCATTERED)


def _with_labels(lines: Sequence[PdfLine]) -> list[PdfLine]:
    """Return the lines of a page with labels told: few turned lines of an upright page, and labels of figures."""
    words = sum(measure(line.text) for line in lines)
    turned = {line for line in lines if not line.upright}
    labels = turned if len(turned) <= min(_MOST_TURNED, len(lines) // 2) else set()
    if 2 * _words_in_text(lines) > words:
        for short, run in groupby(lines, key=_may_be_label):
            found = list(run)
            if short and len(found) >= _FEWEST_IN_FIGURE and _differ(found, _APART_IN_FIGURE):
                labels.update(found)
    return [replace(line, label=True) if line in labels else line for line in lines]


def _may_be_label(line: PdfLine) -> bool:
    few = not line.cells and measure(line.text) <= _WORDS_OF_A_LABEL
    return line.upright and few and _LABEL.fullmatch(line.text) is not None


def _words_in_text(lines: Sequence[PdfLine]) -> float:
    return sum(words for words in (measure(line.text) for line in lines) if words >= _TEXT_WORDS)


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
    words = [measure(line.text) for line in box]
    return 2 * sum(words) >= LEAST and 2 * sum(one for one in words if one >= _TEXT_WORDS) > sum(words)


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


def _values(form: Any, page: Any) -> Iterator[PdfLine]:
    """Yield the values of the fields of a page that people see as text."""
    for number in range(native.FPDFPage_GetAnnotCount(page)):
        field = native.FPDFPage_GetAnnot(page, number)
        try:
            unseen = native.FPDFAnnot_GetFlags(field) & _UNSEEN
            if native.FPDFAnnot_GetSubtype(field) != native.FPDF_ANNOT_WIDGET or unseen:
                continue
            words = _value(form, field)
            edges = native.FS_RECTF()
            if words and native.FPDFAnnot_GetRect(field, edges):
                yield PdfLine(words, 0.0, *(round(edge) for edge in (edges.top, edges.bottom, edges.left, edges.right)))
        finally:
            native.FPDFPage_CloseAnnot(field)


def _value(form: Any, field: Any) -> str:
    """Return the text of a field of a form; empty for buttons, marks and passwords."""
    secret = native.FPDFAnnot_GetFormFieldFlags(form, field) & _PASSWORD
    if secret or native.FPDFAnnot_GetFormFieldType(form, field) not in _FIELDS_WITH_TEXT:
        return ""
    return _text_of(lambda buffer, length: native.FPDFAnnot_GetFormFieldValue(form, field, buffer, length))


def _text_of(read: Callable[[Any, int], int]) -> str:
    length = read(None, 0)
    buffer = (ctypes.c_ushort * (length // 2 + 1))()
    read(buffer, length)
    return " ".join(bytes(buffer).decode("utf-16-le", "replace").partition("\x00")[0].split())


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
