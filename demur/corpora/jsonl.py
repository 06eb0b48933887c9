"""The lines of a JSONL file as records, one at a time, with bounded memory, and rows of CSV and TSV."""

import bz2
import codecs
import csv
import gzip
import io
import json
import lzma
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Final, TextIO, TypeAlias, cast

from demur.corpora.corpus_rows import FaultReason, RowFault, shown
from demur.errors import CorpusError

# The lines of a JSONL file as records, one at a time, with bounded memory.


LONGEST_LINE_BYTES = 16 * 1024 * 1024
_CHUNK_BYTES = 1024 * 1024
_FOREIGN_MARKS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UNPACKED: Mapping[bytes, Callable[[Path], object]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ": lzma.open,
}
PACKED_SUFFIXES = frozenset((".gz", ".bz2", ".xz"))
"""Endings of the names of files that are unpacked."""
_PACKED = {b"PK\x03\x04": "zip", b"\x28\xb5\x2f\xfd": "zstd", b"PAR1": "Parquet"}
_ONE_OBJECT = "one JSON object on each line"

Json: TypeAlias = "str | int | float | bool | None | list[Json] | dict[str, Json]"
Record: TypeAlias = dict[str, Json]


@dataclass(frozen=True, slots=True)
class RawLine:
    """One line of a file, without the line end.

    `size` is the number of bytes of the line. If the line is too long, `content` is empty.
    """

    number: int
    content: bytes
    size: int

    @property
    def too_long(self) -> bool:
        """True if the line is longer than `LONGEST_LINE_BYTES`."""
        return self.size > LONGEST_LINE_BYTES


def raw_lines(path: Path) -> Iterator[RawLine]:
    """Yield non-blank lines, numbered from 1, without a UTF-8 byte order mark.

    Raises:
        CorpusError: the file cannot be read, or its first bytes show UTF-16, UTF-32 or an archive.
    """
    with opened(path) as stream:
        yield from _lines_of(stream)


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file of UTF-8 text for reading its bytes; gzip, bzip2 and xz are unpacked.

    Raises:
        CorpusError: the file cannot be read, or its first bytes show UTF-16, UTF-32 or an archive.
    """
    try:
        with path.open("rb") as packed:
            start = packed.read(8)
        unpacked = next((unpack for mark, unpack in _UNPACKED.items() if start.startswith(mark)), None)
        found = path.open("rb", buffering=_CHUNK_BYTES) if unpacked is None else unpacked(path)
        with cast("BinaryIO", found) as stream:
            if unpacked is None:
                _refuse_other_files(start, path)
            yield stream
    except (OSError, EOFError, lzma.LZMAError) as exc:
        said = getattr(exc, "strerror", None) or exc
        raise CorpusError(
            f"{path}: cannot be read ({said}); allowed: a readable file; remedy: check the path, its permissions, and "
            "that the file is complete"
        ) from exc


def first_bytes(path: Path) -> bytes:
    """Return the first 64 KiB of a file, unpacked and without a UTF-8 byte order mark.

    Raises:
        CorpusError: as `opened`.
    """
    with opened(path) as stream:
        return stream.read(64 * 1024).removeprefix(codecs.BOM_UTF8)


def _lines_of(stream: BinaryIO) -> Iterator[RawLine]:
    number = 0
    # Two bytes more than the bound, for a line end.
    while content := stream.readline(LONGEST_LINE_BYTES + 2):
        number += 1
        if number == 1:
            content = content.removeprefix(codecs.BOM_UTF8)
        ended = content.endswith(b"\n")
        content = content.rstrip(b"\r\n")
        size = len(content)
        if size > LONGEST_LINE_BYTES:
            yield RawLine(number=number, content=b"", size=size + (0 if ended else _discard_rest(stream)))
        elif content and not content.isspace():
            yield RawLine(number=number, content=content, size=size)


def _discard_rest(stream: BinaryIO) -> int:
    discarded = 0
    while piece := stream.readline(_CHUNK_BYTES):
        discarded += len(piece.rstrip(b"\r\n"))
        if piece.endswith(b"\n"):
            break
    return discarded


def _refuse_other_files(start: bytes, path: Path) -> None:
    packed = next((name for mark, name in _PACKED.items() if start.startswith(mark)), None)
    if packed is not None:
        raise CorpusError(
            f"{path}: line 1: starts like a {packed} file; allowed: JSONL as plain text; "
            "remedy: unpack the file, or export the rows as JSONL"
        )
    if start.startswith(_FOREIGN_MARKS):
        raise CorpusError(
            f"{path}: line 1: starts with the bytes {start[:4].hex(' ')}, a mark of UTF-16 or UTF-32; "
            "allowed: UTF-8, with or without byte order mark; remedy: convert the file, for instance with iconv -t "
            "UTF-8"
        )


def parse_record(line: RawLine) -> Record:
    """Return the JSON object on a line.

    Raises:
        RowFault: the line is too long, is not UTF-8, holds a NUL byte, or is not exactly one JSON object.
    """
    if line.too_long:
        raise RowFault(
            FaultReason.LINE_TOO_LONG,
            None,
            f"the line has {line.size:,} bytes",
            f"at most {LONGEST_LINE_BYTES:,} bytes a line",
            f"{_ONE_OBJECT}, or shorten the texts of this row",
        )
    text = _decoded(line.content)
    if "\0" in text:
        raise RowFault(
            FaultReason.NUL_CHARACTER,
            None,
            f"the line holds a NUL byte at column {text.index(chr(0)) + 1}",
            "text without NUL",
            "remove the byte; the file may be binary or damaged",
        )
    record = _parsed(text)
    if not isinstance(record, dict):
        raise RowFault(
            FaultReason.NOT_AN_OBJECT,
            None,
            f"the line holds {shown(record)}",
            _ONE_OBJECT,
            "write the row as {...}; a JSON array of rows must be split into lines",
        )
    return record


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as exc:
        raise RowFault(
            FaultReason.NOT_UTF8,
            None,
            f"byte 0x{content[exc.start]:02x} at position {exc.start + 1} is not UTF-8",
            "UTF-8",
            "find the file's encoding and convert it, for instance with iconv -f WINDOWS-1252 -t UTF-8",
        ) from exc


def _parsed(text: str) -> Json:
    try:
        parsed: Json = json.loads(text, object_pairs_hook=_without_double_keys)
    except json.JSONDecodeError as exc:
        raise _malformed(f"is not JSON: {exc.msg} at column {exc.colno}, near {shown(text[exc.pos :][:40])}") from exc
    except (ValueError, RecursionError) as exc:
        raise _malformed(f"is not JSON that can be read: {shown(str(exc))}") from exc
    return parsed


def _without_double_keys(pairs: list[tuple[str, Json]]) -> Record:
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        double = next(key for key in keys if keys.count(key) > 1)
        raise _malformed(f"names the key {shown(double)} twice in one object")
    return record


def _malformed(problem: str) -> RowFault:
    return RowFault(
        FaultReason.MALFORMED_JSON, None, f"the line {problem}", _ONE_OBJECT, "repair the line, or export it again"
    )


# Rows of CSV and TSV, whatever parts their cells.


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
