"""Lines of a page of a PDF with their letters' size, place and weight, and the values of form fields."""

import ctypes
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import hypot
from typing import Any, Final

import pypdfium2.raw as native

SOFT_HYPHEN: Final = "\u00ad"
"""The hyphen of a word that is divided at the end of a line."""
CAPITAL: Final = 0.7
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
_OVERLAP: Final = 1.0
_PIECE_GAP: Final = 0.6
"""The most by which pieces of a formula overlap, and the greatest space between them, in sizes of letters."""


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


def lines_of(text: Any, *, in_cells: bool) -> Iterator[PdfLine]:
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
        top=round(first[2] + CAPITAL * size),
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


def with_pieces(lines: Sequence[PdfLine]) -> list[PdfLine]:
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


def values_of(form: Any, page: Any) -> Iterator[PdfLine]:
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
