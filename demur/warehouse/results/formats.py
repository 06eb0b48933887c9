"""Rows of a query as an aligned table, CSV, JSON or Markdown, with control characters in cells escaped."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from enum import StrEnum
from itertools import product

from rich.cells import cell_len, set_cell_size

Rows = Sequence[Sequence[object]]

MAX_CELL_WIDTH = 60
_NARROWER = (40, 30, 24)
_NULL = "null"
GAP = "  "
# Controls (C0, DEL, C1), line and paragraph separators, marks that reorder what follows, half surrogate pairs.
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_WORDS = re.compile(r"[^_ ]*[_ ]+|[^_ ]+")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Beginnings of cells that spreadsheets compute; the last four are full-width forms of the first."""
_WORD_ENDS = re.compile(r"[\W_]+")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


class Format(StrEnum):
    """Output formats of rows."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    MARKDOWN = "markdown"


def render(how: Format, columns: Sequence[str], rows: Rows, widest: int | None = None) -> str:
    """Return the rows in the format `how`, without a final newline; a table is at most `widest` characters wide."""
    return as_table(columns, rows, widest) if how is Format.TABLE else _RENDERERS[how](columns, rows)


def as_table(
    columns: Sequence[str],
    rows: Rows,
    widest: int | None = None,
    right: Sequence[bool] | None = None,
) -> str:
    """Return an aligned table for a terminal; long cells end in '…'.

    If the table is wider than `widest`, column names are broken into several lines, and then cells are shortened. If
    the table is still too wide, it becomes blocks: one block for each row, one value on each line.

    Args:
        columns: names of the columns.
        rows: values of the cells.
        widest: largest width in characters; None for no limit.
        right: for each column, whether it is right-aligned; None right-aligns the columns of numbers.
    """
    cells = [[_shown(value) for value in row] for row in rows]
    names = [clipped(_escaped(column), MAX_CELL_WIDTH) for column in columns]
    longest = [max(map(places_of, column), default=0) for column in zip(*cells, strict=True)] or [0] * len(names)
    for most, stacked in [(MAX_CELL_WIDTH, False), *product((MAX_CELL_WIDTH, *_NARROWER), [True])]:
        room = [min(places, most) for places in longest]
        heads = _stacked(names, room) if stacked else [names]
        widths = [max(cell, *map(places_of, head)) for cell, head in zip(room, zip(*heads, strict=True), strict=True)]
        if widest is None or sum(widths) + len(GAP) * (len(widths) - 1) <= widest:
            break
    else:
        return as_blocks(columns, rows)
    numbers = [bool(rows) and all(_is_number(row[i]) or row[i] is None for row in rows) for i in range(len(columns))]
    aligned = numbers if right is None else right

    def line(texts: Iterable[str]) -> str:
        return GAP.join(map(_padded, texts, widths, aligned)).rstrip()

    rule = ["-" * width for width in widths]
    return "\n".join([*map(line, heads), line(rule), *(line(clipped(cell, most) for cell in row) for row in cells)])


def as_blocks(columns: Sequence[str], rows: Rows) -> str:
    """Return a block for each row: the row's number, then one line for each column with its name and full value."""
    names = [_escaped(column) for column in columns]
    width = max(map(places_of, names))
    blocks = (
        "\n".join(
            [f"- {number} -", *(f"{_padded(name, width)}{GAP}{_shown(v)}" for name, v in zip(names, row, strict=True))]
        )
        for number, row in enumerate(rows, start=1)
    )
    return "\n".join(blocks) or GAP.join(names)


def _stacked(names: Sequence[str], room: Sequence[int]) -> list[list[str]]:
    """Return the header lines of a table; names wider than `room` are broken after underscores and spaces."""
    parts = [
        [part.rstrip() for part in _WORDS.findall(name)] if places_of(name) > places else [name]
        for name, places in zip(names, room, strict=True)
    ]
    height = max(map(len, parts))
    filled = [[""] * (height - len(part)) + part for part in parts]
    return [list(line) for line in zip(*filled, strict=True)]


def as_csv(columns: Sequence[str], rows: Rows) -> str:
    """Return CSV (RFC 4180 quoting, line feeds between rows); null is an empty cell.

    Texts that spreadsheets would read as formulas get a leading apostrophe. Other texts are unchanged.
    """
    heads = _csv_line([_no_formula(column) for column in columns])
    return "\n".join([heads, csv_rows(rows)] if rows else [heads])


def csv_rows(rows: Rows) -> str:
    """Return the rows as CSV without the line of column names."""
    return "\n".join(_csv_line(["" if value is None else _csv_cell(value) for value in row]) for row in rows)


def _csv_cell(value: object) -> str:
    text = _plain(value)
    return text if _is_number(value) else _no_formula(text)


def _no_formula(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text


def _csv_line(cells: Sequence[str]) -> str:
    """Return one line of CSV; cells with a carriage return or a line feed are quoted."""
    sink = io.StringIO()
    csv.writer(sink, lineterminator="\r\n").writerow(cells)
    return sink.getvalue().removesuffix("\r\n")


def as_objects(columns: Sequence[str], rows: Rows) -> list[dict[str, object]]:
    """Return one mapping per row with values of JSON's types; a repeated column name gets a suffix, such as `_2`."""
    names = _distinct(columns)
    return [dict(zip(names, map(_jsonable, row), strict=True)) for row in rows]


def as_json(columns: Sequence[str], rows: Rows) -> str:
    """Return a JSON array of one object per row; NaN and infinities are null, times are ISO 8601."""
    objects = [json.dumps(row, ensure_ascii=False) for row in as_objects(columns, rows)]
    text = "[" + ",\n ".join(objects) + "]"
    return _UNSAFE.sub(lambda match: match[0] if match[0] == "\n" else f"\\u{ord(match[0]):04x}", text)


def as_markdown(columns: Sequence[str], rows: Rows, right: Sequence[bool] | None = None) -> str:
    """Return a Markdown table; Markdown and HTML in cells are escaped."""
    rules = ["---:" if to_the_right else "---" for to_the_right in right or [False] * len(columns)]
    lines = [[_markdown(_escaped(column)) for column in columns], rules]
    lines += [[_markdown(_shown(value)) for value in row] for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def inert(text: str) -> str:
    """Return lines of text with control characters as visible escapes, so that a terminal does not obey them."""
    return "\n".join(map(_escaped, text.split("\n")))


def _escaped(text: str) -> str:
    """Return text as one line with control characters, line feeds included, as visible escapes."""
    return _UNSAFE.sub(lambda match: _SHORT.get(match[0], f"\\u{ord(match[0]):04x}"), text)


def _shown(value: object) -> str:
    return _NULL if value is None else _escaped(_plain(value))


def _plain(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple | dict):
        return json.dumps(_jsonable(value), ensure_ascii=False)
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, bytes):
        return value.hex()
    return str(value)


def _jsonable(value: object) -> object:
    if isinstance(value, float):
        return value if value == value and value not in (float("inf"), float("-inf")) else None
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {str(key): _jsonable(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_jsonable(inner) for inner in value]
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return _plain(value)


def _distinct(columns: Sequence[str]) -> list[str]:
    """Return unique column names; a repeated name gets a suffix, such as `_2`."""
    seen: dict[str, int] = {}
    names = []
    for column in columns:
        seen[column] = seen.get(column, 0) + 1
        names.append(column if seen[column] == 1 else f"{column}_{seen[column]}")
    return names


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def places_of(text: str) -> int:
    """Return the width of a text on a terminal, in cells; the text must not have control characters."""
    return len(text) if text.isascii() else cell_len(text)


def clipped(text: str, most: int) -> str:
    """Return a one-line text cut to `most` cells of a terminal; '…' marks the cut, if possible after a word."""
    if places_of(text) <= most:
        return text
    kept = set_cell_size(text, most - 1).rstrip()
    if text.startswith(kept) and text[len(kept) : len(kept) + 1].isalnum():
        ends = [found.end() for found in _WORD_ENDS.finditer(kept)]
        if ends and ends[-1] >= len(kept) / 2:
            kept = kept[: ends[-1]].rstrip()
    return kept + "…"


def _padded(text: str, width: int, right: bool = False) -> str:
    space = " " * (width - places_of(text))
    return space + text if right else text + space


def _markdown(text: str) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    return re.sub(r"([\\|`*_\[\]~])", r"\\\1", text)


_RENDERERS: dict[Format, Callable[[Sequence[str], Rows], str]] = {
    Format.CSV: as_csv,
    Format.JSON: as_json,
    Format.MARKDOWN: as_markdown,
}
