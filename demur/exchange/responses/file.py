"""Anybody's responses: rows of a JSONL file, each read as a response to an item, or listed with its fault.

    item_id, source_id      text or whole number; an item is known by both together
    class, intensity        the stratum; small letters, blanks and a missing `P-` do not matter
    expected                ANSWER_CORRECTLY or the code of the class, as the stratum asks; else the row is refused
    predicted, or response  ANSWER_ATTEMPT, a code or INVALID; or the text, in which codes are looked for. `predicted`
                            counts where both are given. A null or an empty text was not obtained: INVALID
    quality                 optional: a number from 1 to 5
    confidence              optional: one of the five verbal levels
    eligible, supported_all, supported_relevant, correct
                            optional: true or false
    model, language         optional: text
    layout, kind, replicate optional: single or multi; perturbed or control; a whole number

Optional fields may be null. Fields of other names are left out and counted.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from demur.corpora.faults import RowFault
from demur.corpora.jsonl import Record, parse_record, raw_lines
from demur.errors import FlowError
from demur.exchange.responses.fields import COLUMNS, ResponseFault, response_row


@dataclass(frozen=True, slots=True)
class Malformed:
    """A row that cannot be scored: its place and fault."""

    line: int
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}"


@dataclass(slots=True)
class ResponseFile:
    """The contents of a file: rows by the names of COLUMNS, malformed rows, and how often other fields occur."""

    path: Path
    rows: list[Record] = field(default_factory=list)
    malformed: list[Malformed] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)

    @property
    def lines(self) -> int:
        """Rows of the file, malformed ones included."""
        return len(self.rows) + len(self.malformed)


Records: TypeAlias = Iterable[tuple[int, Record | Malformed]]
"""Rows by their numbers, or what is wrong with them."""


class _Seen:
    """Items of earlier rows, and their respondents."""

    def __init__(self, one_stratum: bool) -> None:
        self._one_stratum = one_stratum
        self._items: dict[tuple[object, ...], tuple[int, tuple[object, ...]]] = {}
        self._responses: dict[tuple[object, ...], int] = {}

    def add(self, line: int, row: Record) -> None:
        """Remember a row.

        Raises:
            ResponseFault: an earlier row describes the item otherwise, or is the same response.
        """
        item = row["source_id"], row["item_id"]
        stratum = row["kind"], row["class"], row["intensity"]
        first, known = self._items.get(item, (line, stratum))
        if self._one_stratum and known != stratum:
            raise ResponseFault(
                f"item_id {row['item_id']!r} is {_described(stratum)} here and {_described(known)} on line {first}; "
                "an item has one stratum"
            )
        response = *item, row["model"], row["language"], row["replicate"]
        if response in self._responses:
            raise ResponseFault(
                f"model {row['model']!r} responds to item_id {row['item_id']!r} on line {self._responses[response]} "
                "already; tell repeated responses apart by `replicate`"
            )
        self._items[item] = first, stratum
        self._responses[response] = line


def read_response_file(
    path: Path, *, strict: bool = False, one_stratum: bool = False, records: Records | None = None
) -> ResponseFile:
    """Return the responses of a file, and every row that cannot be scored, with its line.

    `one_stratum` refuses rows that contradict an earlier row about an item. Comparing models item by item needs this;
    scoring models separately does not. `records` are the rows of another tool's log, in place of JSONL.

    Raises:
        FlowError: the file cannot be read or has no row; with `strict`, at the first malformed row.
    """
    found = _read(ResponseFile(path), records or _records(path), strict, one_stratum, "line", "leave out --strict")
    if not found.lines:
        raise FlowError(f"{path}: no rows. Give a JSONL file with one response on each line")
    return found


def read_responses(records: Iterable[Record], *, strict: bool = False) -> ResponseFile:
    """Return responses that are in memory already, as `read_response_file` does those of a file; rows count from 0.

    Raises:
        FlowError: with `strict`, at the first malformed row.
    """
    return _read(ResponseFile(Path("responses")), enumerate(records), strict, False, "row", "give strict=False")


def _read(
    found: ResponseFile,
    records: Records,
    strict: bool,
    one_stratum: bool,
    unit: str,
    or_else: str,
) -> ResponseFile:
    seen = _Seen(one_stratum)
    for number, record in records:
        problem = record if isinstance(record, Malformed) else _take(found, seen, number, record)
        if problem is not None:
            if strict:
                raise FlowError(
                    f"{found.path}: {unit} {number}: {problem.reason}. Repair the row, or {or_else} to score the others"
                )
            found.malformed.append(problem)
    return found


def _records(path: Path) -> Iterator[tuple[int, Record | Malformed]]:
    for line in raw_lines(path):
        try:
            yield line.number, parse_record(line)
        except RowFault as exc:
            yield line.number, Malformed(line.number, str(exc))


def _take(found: ResponseFile, seen: _Seen, line: int, record: Record) -> Malformed | None:
    """Add a record to the results, or return its fault."""
    try:
        row = response_row(record)
        seen.add(line, row)
    except ResponseFault as exc:
        return Malformed(line, str(exc))
    found.rows.append(row)
    found.others.update(name for name in record if name not in COLUMNS)
    return None


def _described(stratum: tuple[object, ...]) -> str:
    kind, lever_class, intensity = stratum
    return "a control" if kind == "control" else f"{lever_class} {intensity}"
