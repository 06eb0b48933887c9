"""Reading of a corpus, one row at a time: answerable questions in any format, or questions that people asked."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, cast

from demur.corpora.corpus_rows import Acceptance, AnswersBy, CorpusRow, FaultReason, OnBadRow, RowFault, shown
from demur.corpora.jsonl import RawLine, parse_record
from demur.corpora.public_sets import OTHER_NAMES, PublishedSet, mapped, published_rows, published_sets, recognised
from demur.corpora.record_files import FileLayout, layout_of
from demur.corpora.row_formats import FilterReason, parse_demur, parse_garage
from demur.errors import CorpusError
from demur.plugins import PluginKind, names, plugin, required
from demur.text.stated import Difference

# Reading of a corpus of answerable questions, one row at a time.


_MESSAGES_KEPT = 10
_MOST_KEPT_ROWS: Final = 20_000
_READ: Final[dict[tuple[object, ...], tuple[list[CorpusRow], "CorpusReport"]]] = {}
"""The rows of the last file whose texts are cut into parts: whole web pages take a second a row."""


class CorpusFormat(StrEnum):
    """demur's corpus formats, as round configurations name them. Other packages can add formats."""

    DEMUR = "demur"
    GARAGE = "garage"


Reader = Callable[[Path], Iterable[Mapping[str, object]]]
"""A reader of another package (entry points `demur.corpora`), which yields rows with the fields of the format demur."""


@dataclass(slots=True)
class CorpusReport:
    """Counts of the rows read so far.

    `accepted` is the number of usable rows by the reason for which their answers count, `differences` the number of
    these rows by the differences between answer and text.
    `skipped` is the number of faulty rows for each reason. `filtered` is the number of sound rows that the filter of
    the format leaves out, for each reason. Reasons without rows have no entry. `messages` has the messages of the first
    ten faults. Blank lines are not rows.
    """

    path: Path
    format: str
    rows_kept: int = 0
    accepted: Counter[Acceptance] = field(default_factory=Counter)
    differences: Counter[Difference] = field(default_factory=Counter)
    skipped: Counter[FaultReason] = field(default_factory=Counter)
    filtered: Counter[FilterReason] = field(default_factory=Counter)
    messages: list[str] = field(default_factory=list)

    def counted(self) -> list[dict[str, str | int]]:
        """Return the numbers of rows by outcome and reason, for storage: usable ones first, then those left out."""
        parts = (
            ("usable", self.accepted),
            ("difference", self.differences),
            ("faulty", self.skipped),
            ("not suited", self.filtered),
        )
        return [
            {"outcome": outcome, "reason": str(reason), "rows": number}
            for outcome, numbers in parts
            for reason, number in numbers.most_common()
        ]

    @property
    def rows_read(self) -> int:
        """The number of rows read so far: usable, skipped and filtered rows."""
        return self.rows_kept + self.skipped.total() + self.filtered.total()

    def __str__(self) -> str:
        left_out = self.rows_read - self.rows_kept
        said = f"{self.path}: {self.rows_read} rows read, {self.rows_kept} kept"
        if set(self.accepted) - {Acceptance.LETTERS}:
            said += f" ({_numbers(self.accepted)}{f'; {_numbers(self.differences)}' if self.differences else ''})"
        return f"{said}, {left_out} left out" + (f" ({_numbers(self.skipped + self.filtered)})" if left_out else "")


def _numbers(numbers: Mapping[Any, int]) -> str:
    return ", ".join(f"{reason} {number}" for reason, number in Counter(numbers).most_common())


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

    def __init__(
        self, path: Path, corpus_format: str, on_bad_row: OnBadRow, answers: AnswersBy, paths: Mapping[str, str]
    ) -> None:
        self._path = path
        self._format = corpus_format
        self._on_bad_row = on_bad_row
        self._may_be_proved = answers is AnswersBy.PROVED
        self._mapping = _mapping_of(path, corpus_format, paths)
        self.report = CorpusReport(path, corpus_format)
        self._seen = _Seen()
        self._rows = self._read() if self._mapping is None or self._mapping.nearest is None else self._read_once()

    def __next__(self) -> CorpusRow:
        return next(self._rows)

    def _read_once(self) -> Iterator[CorpusRow]:
        """Yield the rows of a set whose rows take long, from memory if this process has read the file before."""
        state = self._path.stat()
        key = (self._path.resolve(), state.st_mtime_ns, state.st_size, self._format, self._on_bad_row,
               self._may_be_proved, repr(self._mapping))  # fmt: skip
        if key not in _READ:
            rows = []
            for row in self._read():
                rows.append(row)
                yield row
            if len(rows) <= _MOST_KEPT_ROWS:
                _READ.clear()
                _READ[key] = rows, self.report
            return
        rows, self.report = _READ[key]
        yield from rows

    def _read(self) -> Iterator[CorpusRow]:
        for number, row in self._numbered():
            try:
                parsed = self._parse(row, number)
            except RowFault as fault:
                self._meet(fault, f"{'line' if isinstance(row, RawLine) else 'row'} {number}")
                continue
            if isinstance(parsed, FilterReason):
                self.report.filtered[parsed] += 1
                continue
            self.report.rows_kept += 1
            if parsed.acceptance is not None:
                self.report.accepted[parsed.acceptance] += 1
            self.report.differences.update(parsed.differences)
            yield parsed
        self._require_rows()

    def _numbered(self) -> Iterator[tuple[int, object]]:
        """Yield rows with their numbers from 1: lines or records of a file, or rows of another package's reader."""
        if not is_of_a_package(self._format):
            yield from published_rows(self._path, self._format)
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
        record = parse_record(row) if isinstance(row, RawLine) else row
        if not isinstance(record, dict):
            allowed = "an object with the fields of the format demur"
            raise RowFault(FaultReason.NOT_AN_OBJECT, None, f"is {shown(row)}", allowed, "mend the reader")
        if self._format == CorpusFormat.GARAGE:
            parsed = parse_garage(record)
        else:
            if self._mapping is not None:
                record = mapped(record, self._mapping, number, self._path.parent)
            parsed = parse_demur(record, may_be_proved=self._may_be_proved)
        if isinstance(parsed, CorpusRow):
            if self._mapping is not None and "passages" in record and len(parsed.passages) == 1:
                return FilterReason.ONE_PASSAGE  # a round has one layout, and most rows of such a set have several
            self._seen.add(parsed, number)
        return parsed

    def _meet(self, fault: RowFault, place: str) -> None:
        message = f"{self._path}: {place}: {fault}"
        self.report.skipped[fault.reason] += 1
        if len(self.report.messages) < _MESSAGES_KEPT:
            self.report.messages.append(message)
        if self._on_bad_row is OnBadRow.FAIL:
            message += self._reader_to_use() or ", or leave such rows out with --bad-rows skip (on_bad_row: skip)"
            raise CorpusError(message) from fault

    def _reader_to_use(self) -> str:
        """Return a sentence on the reader for the file, if its first row is of a public set; else an empty text."""
        name = recognised(self._path)
        if name is None or name == self._format:
            return ""
        return f". The file has rows of {published_sets()[name].title}: --corpus {name}:FILE (corpus.format: {name})"

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
            f"{self._reader_to_use()}"
        )


def format_names() -> tuple[str, ...]:
    """Return the names of all formats; the formats of other packages are last."""
    return names(PluginKind.CORPUS, _our_formats())


def _our_formats() -> tuple[str, ...]:
    return (*CorpusFormat, *published_sets())


def _mapping_of(path: Path, corpus_format: str, paths: Mapping[str, str]) -> PublishedSet | None:
    """Return how the rows of a file are mapped; None if they have the fields of their format."""
    one = published_sets().get(corpus_format)
    if one is None and corpus_format == CorpusFormat.DEMUR and (paths or layout_of(path) is FileLayout.CSV):
        one = OTHER_NAMES
    if one is None or not paths:
        return one
    reads = {name: way for name, way in one.reads.items() if not ("context" in paths and name.startswith("passages"))}
    if "passages" in paths:
        reads.pop("context", None)
    return replace(one, reads={**reads, **paths})


def is_of_a_package(name: str) -> bool:
    """Return whether a format is read by another package."""
    return name not in _our_formats()


def checked_format(name: str) -> str:
    """Return the name of an existing format.

    Raises:
        ValueError: there is no such format.
        PluginError: the package's format cannot be used.
    """
    if plugin(PluginKind.CORPUS, name, _our_formats()) is None and is_of_a_package(name):
        raise ValueError(f"'{name}' is not one of {', '.join(format_names())}")
    return name


def read_corpus(
    path: Path,
    format: str,
    *,
    on_bad_row: OnBadRow = OnBadRow.FAIL,
    answers: AnswersBy = AnswersBy.STATED,
    paths: Mapping[str, str] = MappingProxyType({}),
) -> CorpusReading:
    """Return the rows of a corpus file, read one at a time in file order.

    Only one row and the digests of earlier rows are in memory.

    Args:
        path: a file of rows, or what another package's reader takes.
        format: the name of the rows' format.
        on_bad_row: FAIL stops at the first faulty row; SKIP counts faulty rows in the report.
        answers: STATED refuses rows whose passages state no accepted answer; PROVED leaves them to the screeners.
        paths: paths in the rows by our fields, in place of the format's own names.

    Raises:
        CorpusError: there is no such file. The returned reading raises CorpusError if the file cannot be used, if a row
            is faulty (with FAIL), or at the end if no row was usable.
    """
    if not (path.is_dir() if format == "beir" else path.is_file()):
        found = "does not exist" if not path.exists() else "is a folder" if path.is_dir() else "is not a regular file"
        wanted = "the folder of a set of BEIR" if format == "beir" else "a file of rows"
        raise CorpusError(f"{path}: {found}; allowed: {wanted}; remedy: check the path of the corpus")
    return CorpusReading(path, format, on_bad_row, answers, paths)


# Questions that people have asked, such as those of a chat log: one a line, or rows of JSONL.


JSON_SUFFIXES: Final = (".jsonl", ".ndjson")
_TABLES: Final = (".csv", ".tsv", ".tab", ".xlsx", ".xls", ".ods", ".parquet", ".json")
"""Suffixes of files whose lines are no questions."""
_LONGEST: Final = 1000
_ALLOWED: Final = "allowed: a question a line, or JSONL with `question` and, if known, `answers`"


@dataclass(frozen=True, slots=True)
class OwnQuestion:
    """A question that somebody asked, with its line, and the answers that people accept, if the file has them."""

    line: int
    question: str
    answers: tuple[str, ...] = ()


def read_questions(path: Path) -> list[OwnQuestion]:
    """Return the questions of a file, each once: the same words in other capitals or spaces are the same question.

    A question has the answers of all of its rows.

    Empty lines are left out, and so are lines of a text that begin with #.

    Raises:
        CorpusError: the file cannot be read, or a line is no question.
    """
    if path.suffix.lower() in _TABLES:
        raise CorpusError(
            f"{path}: is named as {path.suffix}, whose lines are no questions; {_ALLOWED}; remedy: save the column of "
            "questions as .txt, or write the rows to .jsonl"
        )
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as exc:
        raise CorpusError(f"{path}: does not exist; {_ALLOWED}; remedy: check --questions or corpus.questions") from exc
    except (OSError, UnicodeDecodeError) as exc:
        raise CorpusError(f"{path}: cannot be read as UTF-8 ({exc}); remedy: save it as a text in UTF-8") from exc
    is_json = path.suffix.lower() in JSON_SUFFIXES
    found: dict[str, OwnQuestion] = {}
    for one in _rows(path, text) if is_json else _lines(text):
        if len(one.question) > _LONGEST:
            raise CorpusError(
                f"{path}, line {one.line}: the question has {len(one.question):,} characters; {_LONGEST:,} are read; "
                "remedy: shorten it or leave it out"
            )
        same = " ".join(one.question.casefold().split())
        first = found.setdefault(same, one)
        found[same] = replace(first, answers=tuple(dict.fromkeys((*first.answers, *one.answers))))
    if not found:
        raise CorpusError(f"{path}: has no question; {_ALLOWED}; remedy: add questions")
    return list(found.values())


def _lines(text: str) -> Iterator[OwnQuestion]:
    for number, line in enumerate(text.splitlines(), start=1):
        if (question := " ".join(line.split())) and not question.startswith("#"):
            yield OwnQuestion(number, question)


def _rows(path: Path, text: str) -> Iterator[OwnQuestion]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        place = f"{path}, line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as exc:
            raise CorpusError(f"{place}: is not JSON ({exc}); {_ALLOWED}; remedy: write one object a line") from exc
        question = row.get("question") if isinstance(row, dict) else None
        if not isinstance(question, str) or not question.strip():
            raise CorpusError(f"{place}: has no `question` that is a text; {_ALLOWED}; remedy: add it")
        yield OwnQuestion(number, " ".join(question.split()), _answers(place, row.get("answers")))


def _answers(place: str, given: Any) -> tuple[str, ...]:
    answers = [given] if isinstance(given, str) else given
    if answers is None:
        return ()
    if not isinstance(answers, list) or not all(isinstance(one, str) for one in answers):
        raise CorpusError(f"{place}: `answers` is no list of texts; {_ALLOWED}; remedy: write them in brackets")
    return tuple(dict.fromkeys(one.strip() for one in answers if one.strip()))
