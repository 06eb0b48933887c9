"""Rows of files in the usual formats: JSONL, JSON, CSV and Parquet. The first bytes of a file tell its format."""

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from demur.corpora.faults import FaultReason, RowFault
from demur.corpora.jsonl import Json, Record, parse_record, raw_lines
from demur.corpora.mapping import rows_at
from demur.errors import CorpusError
from demur.warehouse.release import MANIFEST

SUFFIXES: Final = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
"""Suffixes of files that are read in a folder."""
PARQUET: Final = b"PAR1"
NESTED: Final = ("data[].paragraphs[].qas[]", "data[]", "rows[]", "items[]", "examples[]")
"""Where rows stand in files that are one JSON object; the first place with rows counts. SQuAD has the first one."""
ALLOWED: Final = "JSONL, a JSON array of objects, CSV, TSV or Parquet"


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A row of a file, or its fault. `place` names file and line, or file and number of the row."""

    place: str
    record: Record | RowFault


def files_of(path: Path) -> tuple[Path, ...]:
    """Return the files with rows at a path: the file itself, or the files of a folder in the order of their names.

    Raises:
        CorpusError: there is no such file or folder, it has no files with rows, or it is a release.
    """
    if path.is_file():
        return (path,)
    if not path.is_dir():
        raise CorpusError(f"{path}: does not exist. Name a file, a folder or an address with rows ({ALLOWED})")
    if (path / MANIFEST).is_file():
        raise CorpusError(f"{path}: is a release already. Use it: demur evaluate {path} --model ...")
    found = tuple(
        sorted(
            file
            for file in path.rglob("*")
            if file.is_file()
            and file.suffix.lower() in SUFFIXES
            and not any(part.startswith(".") for part in file.relative_to(path).parts)
        )
    )
    if not found:
        raise CorpusError(f"{path}: has no files with rows. Put in files that end in {', '.join(SUFFIXES)}")
    return found


def read_rows(path: Path) -> Iterator[SourceRow]:
    """Yield the rows of a file.

    Raises:
        CorpusError: the file cannot be read, or is in no known format.
    """
    try:
        with path.open("rb") as file:
            start = file.read(4096)
    except OSError as exc:
        raise CorpusError(f"{path}: cannot be read ({exc.strerror or exc}). Check the path and its permissions") from exc
    if start.startswith(PARQUET):
        yield from _parquet(path)
    elif path.suffix.lower() in (".csv", ".tsv"):
        yield from _table(path, "\t" if path.suffix.lower() == ".tsv" else ",")
    else:
        text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
        whole = text.startswith(b"[") or (text.startswith(b"{") and not _is_object(next(raw_lines(path)).content))
        yield from _document(path) if whole else _lines(path)


def _is_object(line: bytes) -> bool:
    """Return whether a line is one JSON object that holds no list of rows, as the lines of JSONL are."""
    try:
        found = json.loads(line)
    except ValueError:
        # A broken first line of JSONL ends in a bracket; the first line of an indented document does not.
        return line.rstrip().endswith(b"}")
    return isinstance(found, dict) and not any(True for place in NESTED for _ in rows_at(found, place))


def _lines(path: Path) -> Iterator[SourceRow]:
    for line in raw_lines(path):
        place = f"{path.name}: line {line.number}"
        try:
            yield SourceRow(place, parse_record(line))
        except RowFault as exc:
            yield SourceRow(place, exc)


def _document(path: Path) -> Iterator[SourceRow]:
    try:
        content: Json = json.loads(path.read_bytes().decode("utf-8-sig"))
    except (ValueError, RecursionError) as exc:
        raise CorpusError(f"{path}: is not JSON ({exc}). Allowed: {ALLOWED}. Repair the file, or export it again") from exc
    rows: list[Json]
    if isinstance(content, list):
        rows = content
    else:
        rows = next((found for place in NESTED if (found := list(rows_at(content, place)))), [content])
    for number, row in enumerate(rows, start=1):
        yield SourceRow(f"{path.name}: row {number}", row if isinstance(row, dict) else _no_object())


def _no_object() -> RowFault:
    return RowFault(FaultReason.NOT_AN_OBJECT, None, "is no object", "an object for each row", "write the row as {...}")


def _table(path: Path, separator: str) -> Iterator[SourceRow]:
    csv.field_size_limit(2**27)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file, delimiter=separator)
            for row in rows:
                place = f"{path.name}: line {rows.line_num}"
                if None in row or None in row.values():
                    yield SourceRow(place, _uneven(len(rows.fieldnames or ())))
                else:
                    yield SourceRow(place, dict(row))
    except (UnicodeDecodeError, csv.Error) as exc:
        raise CorpusError(
            f"{path}: cannot be read as CSV ({exc}). Save it as CSV in UTF-8, with the names of fields in the first line"
        ) from exc


def _uneven(fields: int) -> RowFault:
    return RowFault(
        FaultReason.MALFORMED_JSON,
        None,
        "has another number of cells than the first line",
        f"{fields} cells",
        "put quotation marks around cells with commas or line ends",
    )


def _parquet(path: Path) -> Iterator[SourceRow]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=1_000):
                for record in batch.to_pylist():
                    number += 1
                    yield SourceRow(f"{path.name}: row {number}", record)
    except (OSError, pa.ArrowException) as exc:
        raise CorpusError(f"{path}: cannot be read as Parquet ({exc}). Get the file again from its source") from exc
