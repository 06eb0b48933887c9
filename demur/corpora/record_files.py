"""Files of rows in any layout, read a row at a time where possible, and mappings of their fields as paths."""

import ast
import contextlib
import csv
import io
import json
import re
from codecs import BOM_UTF8
from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Final

from demur.corpora.corpus_rows import RowFault, shown
from demur.corpora.jsonl import Json, RawLine, Record, first_bytes, numbered_cells, opened, parse_record, raw_lines
from demur.errors import CorpusError

# Mappings from the fields of other people's rows to fields of ours, as paths.
#
# A mapping gives a path for each of our fields, such as `question=query,answers=answer.value+answer.aliases`. A path
# has these parts:
#
# - `answer.value` is the field `value` inside the field `answer`; `0` is the first entry of a list; -
# `evidence[].text` is the field `text` of every entry of the list `evidence`; - `one+other` are the values of both; -
# `one|other` are the values of `one` or, if there are none, of `other`.
#
# A row's field whose name is the whole path comes first, so that names with dots or signs can be mapped too. Null and
# empty text count as no value.


EACH: Final = "[]"
_LIST_IN_A_CELL: Final = re.compile(r"""\s*\[\s*(?:["'].*["']\s*)?\]\s*\Z""", re.DOTALL)
"""A list of texts as Python and JSON write it. CSV has no lists, so that writers put such texts into cells."""


def parse_map(given: str, fields: Collection[str], option: str = "--map") -> dict[str, str]:
    """Return the path of each mapped field, from text such as `question=query,context=evidence[].text`.

    Args:
        given: The text, with commas between the fields.
        fields: Our fields that can be mapped.
        option: The option that has the text, for messages.

    Raises:
        ValueError: the text has another form, or names a field that is not one of `fields`, or one field twice.
    """
    paths: dict[str, str] = {}
    for part in given.split(","):
        field, equals, path = (one.strip() for one in part.partition("="))
        if not equals or not field or not path:
            raise ValueError(
                f"{option}: '{part.strip()}' is not a mapping of a field; allowed: field=theirs,…, such as "
                "question=query,answers=answer; remedy: write our field, =, and the path in your rows"
            )
        if field not in fields:
            raise ValueError(
                f"{option}: '{field}' is not one of our fields; allowed: {', '.join(fields)}; "
                "remedy: our field stands before =, and yours behind it"
            )
        if field in paths:
            raise ValueError(
                f"{option}: '{field}' is mapped twice, to '{paths[field]}' and '{path}'; allowed: each field once; "
                f"remedy: {field}={paths[field]}+{path} takes the values of both"
            )
        paths[field] = path
    return paths


def found_at(row: Json, path: str) -> list[Json]:
    """Return the values that a path finds in a row, in their order; null and empty text are left out.

    Lists at the end of a path give their entries. A text that is written as a list of texts gives its entries too.
    """
    return [entry for value in values_at(row, path) for entry in _entries(value)]


def values_at(row: Json, path: str) -> list[Json]:
    """Return the values that a path finds in a row as they are: lists, null and empty text too."""
    if isinstance(row, dict) and path in row:
        return [row[path]]
    for sign in "|+":
        if sign in path:
            found = [values_at(row, one.strip()) for one in path.split(sign)]
            kept = [values for values in found if any(map(_is_there, values))]
            return next(iter(kept), []) if sign == "|" else [value for values in kept for value in values]
    values: list[Json] = [row]
    for step in path.replace(EACH, f".{EACH}").lstrip(".").split("."):
        values = [inner for value in values for inner in _stepped(value, step)]
    return values


def first_at(row: Json, path: str) -> Json:
    """Return the first value that a path finds in a row; None if it finds none."""
    return next(iter(found_at(row, path)), None)


def _stepped(value: Json, step: str) -> Iterator[Json]:
    if step == EACH:
        yield from value if isinstance(value, list) else (value,)
    elif isinstance(value, dict) and step in value:
        yield value[step]
    elif isinstance(value, list):
        if step.isdigit():
            yield from value[int(step) : int(step) + 1]
        else:
            for entry in value:
                yield from _stepped(entry, step)


def _entries(value: Json) -> Iterator[Json]:
    if isinstance(value, str) and _LIST_IN_A_CELL.match(value):
        with contextlib.suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            value = ast.literal_eval(value.strip())
    if isinstance(value, list):
        for entry in value:
            yield from _entries(entry)
    elif _is_there(value):
        yield value


def _is_there(value: Json) -> bool:
    return value is not None and value != "" and value != []


def rows_at(value: Json, path: str) -> Iterator[Record]:
    """Yield the rows that a path finds inside an object or list, with the fields of the objects around them.

    In `data[].paragraphs[].qas[]` every entry of `qas` is a row, with the fields of its paragraph and of its entry of
    `data`. A row's own field comes before a field of an object around it.
    """
    yield from _rows(value, [step for step in path.split(".") if step], {})


def _rows(value: Json, steps: list[str], around: Mapping[str, Json]) -> Iterator[Record]:
    if not steps:
        if isinstance(value, dict):
            yield {**around, **value}
        return
    key = steps[0].removesuffix(EACH)
    if key:
        if not isinstance(value, dict):
            return
        around = {**around, **{name: inner for name, inner in value.items() if name != key}}
        value = value.get(key)
    for entry in value if isinstance(value, list) else [value]:
        yield from _rows(entry, steps[1:], around)


# Files of rows in any layout: lines of JSON and CSV, read a row at a time, or one JSON document, read whole.
#
# Files that are packed with gzip, bzip2 or xz are read as they are.


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
