"""Reading of a corpus of answerable questions: rows of a JSONL file, one at a time."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final, cast

from demur.corpora.demur import parse_demur
from demur.corpora.faults import FaultReason, RowFault, shown
from demur.corpora.garage import FilterReason, parse_garage
from demur.corpora.jsonl import RawLine, Record, parse_record, raw_lines
from demur.corpora.rows import CorpusRow
from demur.errors import CorpusError
from demur.plugins import PluginKind, names, plugin, required

_MESSAGES_KEPT = 10


class CorpusFormat(StrEnum):
    """demur's corpus formats, as round configurations name them. Other packages can add formats."""

    DEMUR = "demur"
    GARAGE = "garage"


class OnBadRow(StrEnum):
    """Handling of a faulty row: stop, or count the row and leave it out."""

    FAIL = "fail"
    SKIP = "skip"


Parser = Callable[[Record], CorpusRow | FilterReason]
Reader = Callable[[Path], Iterable[Mapping[str, object]]]
"""A reader of another package (entry points `demur.corpora`), which yields rows with the fields of the format demur."""

_PARSERS: Final[Mapping[str, Parser]] = {CorpusFormat.DEMUR: parse_demur, CorpusFormat.GARAGE: parse_garage}


@dataclass(slots=True)
class CorpusReport:
    """Counts of the rows read so far.

    `skipped` is the number of faulty rows for each reason. `filtered` is the number of sound rows that the filter of
    the format leaves out, for each reason. Reasons without rows have no entry. `messages` has the messages of the first
    ten faults. Blank lines are not rows.
    """

    path: Path
    format: str
    rows_kept: int = 0
    skipped: Counter[FaultReason] = field(default_factory=Counter)
    filtered: Counter[FilterReason] = field(default_factory=Counter)
    messages: list[str] = field(default_factory=list)

    @property
    def rows_read(self) -> int:
        """The number of rows read so far: usable, skipped and filtered rows."""
        return self.rows_kept + self.skipped.total() + self.filtered.total()

    def __str__(self) -> str:
        reasons = ", ".join(f"{reason} {count}" for reason, count in (*self.skipped.items(), *self.filtered.items()))
        left_out = self.rows_read - self.rows_kept
        return f"{self.path}: {self.rows_read} rows read, {self.rows_kept} kept, {left_out} left out" + (
            f" ({reasons})" if reasons else ""
        )


@dataclass(slots=True)
class _Seen:
    """For each id and each content, the line on which it first occurred.

    The keys are digests of 16 bytes. A row takes 235 bytes of memory.
    """

    ids: dict[bytes, int] = field(default_factory=dict)
    contents: dict[bytes, int] = field(default_factory=dict)

    def add(self, row: CorpusRow, line: int) -> None:
        """Remember a row.

        Raises:
            RowFault: an earlier line has the same id or content.
        """
        id_digest = hashlib.sha256(row.source_id.encode()).digest()[:16]
        content_digest = bytes.fromhex(row.base_id)
        if first := self.ids.get(id_digest):
            raise RowFault(
                FaultReason.DUPLICATE_ID,
                "id",
                f"{shown(row.source_id)} is already on line {first}",
                "each id once in a file",
                "remove one of the two rows, or give one of them a new id",
            )
        if first := self.contents.get(content_digest):
            raise RowFault(
                FaultReason.DUPLICATE_CONTENT,
                "question, answers and passages",
                f"of id {shown(row.source_id)} are the same as on line {first}",
                "each base instance once in a file",
                "remove one of the two rows",
            )
        self.ids[id_digest] = line
        self.contents[content_digest] = line


class CorpusReading(Iterator[CorpusRow]):
    """An iterator over the rows of a corpus; `report` counts the rows read so far."""

    def __init__(self, path: Path, corpus_format: str, on_bad_row: OnBadRow) -> None:
        self._path = path
        self._format = corpus_format
        self._on_bad_row = on_bad_row
        self.report = CorpusReport(path, corpus_format)
        self._seen = _Seen()
        self._rows = self._read()

    def __next__(self) -> CorpusRow:
        return next(self._rows)

    def _read(self) -> Iterator[CorpusRow]:
        for number, row in self._numbered():
            try:
                parsed = self._parse(row, number)
            except RowFault as fault:
                self._meet(fault, number)
                continue
            if isinstance(parsed, FilterReason):
                self.report.filtered[parsed] += 1
                continue
            self.report.rows_kept += 1
            yield parsed
        self._require_rows()

    def _numbered(self) -> Iterator[tuple[int, object]]:
        """Yield rows with their numbers from 1: lines of a file, or rows of another package's reader."""
        if self._format in set(CorpusFormat):
            yield from ((line.number, line) for line in raw_lines(self._path))
            return
        found = required(PluginKind.CORPUS, self._format)
        read = cast("Reader", found.load(callable, "a function"))
        number = 0
        try:
            for number, row in enumerate(read(self._path), start=1):
                yield number, row
        except Exception as exc:
            what = f"{found.place} raised {type(exc).__name__}: {exc}"
            raise CorpusError(f"{self._path}: row {number + 1}: {what}. Repair the file or the reader") from exc

    def _parse(self, row: object, number: int) -> CorpusRow | FilterReason:
        if isinstance(row, RawLine):
            parsed = _PARSERS[self._format](parse_record(row))
        elif isinstance(row, dict):
            parsed = parse_demur(row)
        else:
            allowed = "an object with the fields of the format demur"
            raise RowFault(FaultReason.NOT_AN_OBJECT, None, f"is {shown(row)}", allowed, "mend the reader")
        if isinstance(parsed, CorpusRow):
            self._seen.add(parsed, number)
        return parsed

    def _meet(self, fault: RowFault, line: int) -> None:
        message = f"{self._path}: line {line}: {fault}"
        self.report.skipped[fault.reason] += 1
        if len(self.report.messages) < _MESSAGES_KEPT:
            self.report.messages.append(message)
        if self._on_bad_row is OnBadRow.FAIL:
            raise CorpusError(f"{message}, or set on_bad_row: skip to leave such rows out") from fault

    def _require_rows(self) -> None:
        if self.report.rows_kept:
            return
        if not self.report.rows_read:
            raise CorpusError(
                f"{self._path}: has no rows; allowed: at least one JSON object, one on each line; "
                "remedy: check that the export has finished and the path is right"
            )
        first = f"; the first fault: {self.report.messages[0]}" if self.report.messages else ""
        raise CorpusError(
            f"{self.report}: no row is usable; allowed: at least one usable row in the format '{self._format}'; "
            f"remedy: check that the file is in that format, one of {', '.join(format_names())}{first}"
        )


def format_names() -> tuple[str, ...]:
    """Return the names of all formats; the formats of other packages are last."""
    return names(PluginKind.CORPUS, tuple(CorpusFormat))


def checked_format(name: str) -> str:
    """Return the name of an existing format.

    Raises:
        ValueError: there is no such format.
        PluginError: the package's format cannot be used.
    """
    if plugin(PluginKind.CORPUS, name, tuple(CorpusFormat)) is None and name not in set(CorpusFormat):
        raise ValueError(f"'{name}' is not one of {', '.join(format_names())}")
    return name


def read_corpus(path: Path, format: str, *, on_bad_row: OnBadRow = OnBadRow.FAIL) -> CorpusReading:
    """Return the rows of a corpus file, read one at a time in file order.

    Only one line and the digests of earlier rows are in memory.

    Args:
        path: a JSONL file in UTF-8, or a file for another package's reader.
        format: the name of the rows' format.
        on_bad_row: FAIL stops at the first faulty row; SKIP counts faulty rows in the report.

    Raises:
        CorpusError: there is no such file. The returned reading raises CorpusError if the file cannot be used, if a row
            is faulty (with FAIL), or at the end if no row was usable.
    """
    if not path.is_file():
        found = "is not a regular file" if path.exists() else "does not exist"
        raise CorpusError(f"{path}: {found}; allowed: a JSONL file; remedy: check the path of the corpus")
    return CorpusReading(path, format, on_bad_row)
