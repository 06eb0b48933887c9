"""Files of rows in any layout: lines of JSON and CSV, read a row at a time, or one JSON document, read whole.

Files that are packed with gzip, bzip2 or xz are read as they are.
"""

import csv
import io
import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Final

from demur.corpora.delimited import numbered_cells
from demur.corpora.faults import RowFault, shown
from demur.corpora.jsonl import Json, RawLine, Record, first_bytes, opened, parse_record, raw_lines
from demur.corpora.mapping import EACH, rows_at
from demur.errors import CorpusError

LONGEST_DOCUMENT_BYTES: Final = 512 * 1024 * 1024
"""The largest JSON document, which is read whole."""


class FileLayout(StrEnum):
    """Layouts of files of rows."""

    LINES = "JSONL"
    DOCUMENT = "JSON"
    CSV = "CSV"


def layout_of(path: Path, rows: str = "") -> FileLayout:
    """Return the layout of a file, from its first bytes.

    A file that begins with an array is one document. So is a file whose first object has the field with which the path
    `rows` begins, or whose first line is a bracket alone, as in a pretty-printed object. A file whose name ends in .csv
    or .tsv, and that does not begin as JSON, is CSV.

    Raises:
        CorpusError: the file cannot be read, or is not text in UTF-8.
    """
    begin = first_bytes(path).lstrip()
    if begin.startswith(b"["):
        return FileLayout.DOCUMENT
    if begin.startswith(b"{"):
        is_spread = begin.split(b"\n", 1)[0].strip() == b"{"
        has_rows = bool(rows) and _has_key(path, rows.partition(EACH)[0])
        return FileLayout.DOCUMENT if is_spread or has_rows else FileLayout.LINES
    names = {suffix.lower() for suffix in path.suffixes}
    return FileLayout.CSV if names & {".csv", ".tsv", ".tab"} else FileLayout.LINES


def numbered_rows(path: Path, rows: str = "") -> Iterator[tuple[int, RawLine | Record]]:
    """Yield the rows of a file with their numbers from 1: unparsed lines of JSONL, or records of another layout.

    Args:
        path: The file.
        rows: The path of the rows inside a JSON document; empty if the document is an array of rows.

    Raises:
        CorpusError: the file cannot be read.
    """
    layout = layout_of(path, rows)
    if layout is FileLayout.LINES:
        yield from ((line.number, line) for line in raw_lines(path))
        return
    read = _of_csv(path) if layout is FileLayout.CSV else _of_document(path, rows)
    yield from enumerate(read, start=1)


def _has_key(path: Path, key: str) -> bool:
    return re.search(rb'"%s"\s*:\s*\[' % re.escape(key.encode()), first_bytes(path)) is not None


def _of_document(path: Path, rows: str) -> Iterator[Record]:
    with opened(path) as stream:
        content = stream.read(LONGEST_DOCUMENT_BYTES + 1)
    if len(content) > LONGEST_DOCUMENT_BYTES:
        raise CorpusError(
            f"{path}: has more than {LONGEST_DOCUMENT_BYTES:,} bytes in one JSON document; allowed: smaller documents, "
            "or JSONL of any size; remedy: write one row on each line, for instance with jq -c '.[]'"
        )
    try:
        found: Json = json.loads(content.removeprefix(BOM_UTF8))
    except (ValueError, RecursionError) as exc:
        raise CorpusError(
            f"{path}: is not JSON ({shown(str(exc))}); allowed: one whole JSON document, or JSONL; remedy: check that "
            "the file is complete, and export it again"
        ) from exc
    del content
    if not isinstance(found, list):
        yield from rows_at(found, rows)
        return
    for number, entry in enumerate(found, start=1):
        if not isinstance(entry, dict):
            raise CorpusError(
                f"{path}: entry {number} of the array is {shown(entry)}; allowed: an array of objects, one for each "
                "question; remedy: export rows as objects with named fields"
            )
        yield entry


def _of_csv(path: Path) -> Iterator[Record]:
    try:
        with opened(path) as stream, io.TextIOWrapper(stream, encoding="utf-8-sig", newline="") as text:
            rows = numbered_cells(text)
            first, header = next(rows, (1, []))
            names = [name.strip() for name in header]
            if len(set(names)) < len(names) or not any(names):
                raise CorpusError(
                    f"{path}: line {first}: the columns are {shown(names)}; allowed: a header with each name once; "
                    "remedy: write the names of the columns into the first line"
                )
            if len(names) == 1:
                raise CorpusError(
                    f"{path}: line {first}: is {shown(names[0])}, one column; allowed: a header with at least two, "
                    "between commas, semicolons, tabs or |; remedy: export the table with one of these separators"
                )
            for number, cells in rows:
                if cells:
                    yield _record(f"{path}: line {number}", names, cells)
    except (csv.Error, UnicodeDecodeError) as exc:
        raise CorpusError(
            f"{path}: is not CSV in UTF-8 ({shown(str(exc))}); allowed: a header and rows with cells between "
            "commas, semicolons or tabs; remedy: export the table again as CSV in UTF-8"
        ) from exc


def _record(place: str, names: list[str], cells: list[str]) -> dict[str, Json]:
    if len(cells) > len(names):
        raise CorpusError(
            f"{place}: the row that begins with {shown(cells[0])} has {len(cells)} cells; allowed: {len(names)}, as "
            "the header has; remedy: put cells with separators into quotation marks"
        )
    return dict(zip(names, cells, strict=False))


def first_record(path: Path, rows: str = "") -> Record | None:
    """Return the first row of a file; None if it cannot be read."""
    try:
        _, row = next(numbered_rows(path, rows))
        return parse_record(row) if isinstance(row, RawLine) else row
    except (StopIteration, CorpusError, RowFault):
        return None
