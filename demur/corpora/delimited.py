"""Rows of CSV and TSV, whatever parts their cells."""

import csv
import io
import re
from collections.abc import Iterator
from itertools import chain
from typing import Final, TextIO

_LONGEST_CELL: Final = 16 * 1024 * 1024
_SEPARATORS: Final = ",;\t|"
_SAMPLE: Final = 20_000
_STATED_SEPARATOR: Final = re.compile(r"(\"?)sep=(.)\1\s*", re.IGNORECASE)
"""The line before the header in which Excel names the separator."""

csv.field_size_limit(_LONGEST_CELL)  # the limit holds for the process, so that it is set here alone


def numbered_cells(text: TextIO) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each row with the number of its last line, from 1; an empty line has no cells.

    Args:
        text: a stream opened with `newline=""`, so that line ends inside cells stay as they are.

    Raises:
        csv.Error: a quotation mark is not closed, or a cell is too long.
    """
    sample = text.read(_SAMPLE) + text.readline()
    lines = list(io.StringIO(sample, newline=""))
    stated = _STATED_SEPARATOR.fullmatch(lines[0]) if lines else None
    if stated:
        del lines[0]
    separator = stated[2] if stated else _separator(lines)
    reader = csv.reader(chain(lines, text), delimiter=separator, strict=True)
    for cells in reader:
        yield reader.line_num + bool(stated), cells


def _separator(lines: list[str]) -> str:
    """Return the separator by which most rows have the same number of cells, or else the first row has most cells."""

    def fit(separator: str) -> tuple[int, int, int]:
        numbers = [len(row) for row in csv.reader(lines, delimiter=separator) if row]
        usual = max(set(numbers), key=numbers.count, default=1)
        return (numbers.count(usual) if usual > 1 else 0, usual, max(numbers[:1], default=0))

    return max(_SEPARATORS, key=fit)
