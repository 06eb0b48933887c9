"""Response files: JSONL rows, each a response to an item or listed with its fault, and scores per model."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from demur.corpora.corpus_rows import RowFault
from demur.corpora.jsonl import Record, parse_record, raw_lines
from demur.errors import FlowError
from demur.exchange.responses.response_fields import FIELDS, ResponseFault, response_row
from demur.scoring.counts import DEFAULT_SLICES, Slicing
from demur.scoring.intervals import Estimate, Limits
from demur.scoring.metrics import own_estimates
from demur.scoring.refusal_scores import ModelScore, document, score

# Response files: JSONL rows. Each row is parsed as a response to an item, or listed with its fault.
#
#     item_id, source_id: text or whole number; both together identify an item
#     class, intensity: the stratum, where there is one; case, blanks and a missing `P-` are ignored
#     expected: answer, refuse (for whatever reason) or a code; must agree with the stratum
#     predicted: ANSWER_ATTEMPT, a code or INVALID; takes precedence over `response`; an empty text counts as INVALID
#     response: the text of the response, required without `predicted`; a null or empty text counts as INVALID, and so
#         does a text of reasoning alone. Reasoning in tags such as <think> is no part of the response
#     reasoning: optional, text that the model's server sent apart from the response
#     finish_reason: optional, text; with content_filter or refusal, the provider refused in place of the model
#     refused_by_provider: optional, true or false, in place of such a finish_reason
#     quality: optional, a number from 1 to 5
#     confidence: optional, one of the five verbal levels or a number from 0 to 1
#     eligible, supported_all, supported_relevant, correct: optional, true or false
#     model, language: optional, text
#     layout: optional, single or multi
#     kind: optional, perturbed or control
#     replicate: optional, a whole number
#
# Optional fields may be null. Unknown fields are ignored and counted.


@dataclass(frozen=True, slots=True)
class Malformed:
    """The line and fault of a row that cannot be scored."""

    line: int
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}"


@dataclass(slots=True)
class ResponseFile:
    """The contents of a response file: rows with `fields.COLUMNS`, malformed rows, and unknown fields."""

    path: Path
    rows: list[Record] = field(default_factory=list)
    malformed: list[Malformed] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)

    @property
    def lines(self) -> int:
        """The number of rows, malformed rows included."""
        return len(self.rows) + len(self.malformed)


Records: TypeAlias = Iterable[tuple[int, Record | Malformed]]
"""Pairs of a row number and the raw row, or its fault."""


class _Seen:
    """Items and responses of earlier rows, for the detection of contradictions and duplicates."""

    def __init__(self, one_stratum: bool) -> None:
        self._one_stratum = one_stratum
        self._items: dict[tuple[object, ...], tuple[int, tuple[object, ...]]] = {}
        self._responses: dict[tuple[object, ...], int] = {}

    def add(self, line: int, row: Record) -> None:
        """Add a row.

        Raises:
            ResponseFault: an earlier row has the item with another stratum, or has the same item, model, language and
                replicate.
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
                f"model {row['model']!r} already responds to item_id {row['item_id']!r} on line "
                f"{self._responses[response]}; number repeated responses in `replicate`"
            )
        self._items[item] = first, stratum
        self._responses[response] = line


def read_response_file(
    path: Path, *, strict: bool = False, one_stratum: bool = False, records: Records | None = None
) -> ResponseFile:
    """Return the valid and the malformed rows of a response file.

    Args:
        path: the file.
        strict: raise FlowError at the first malformed row.
        one_stratum: treat a row as malformed if an earlier row gives its item another stratum. Imports set this
            parameter, since they compare models item by item.
        records: rows of another tool's log, in place of the JSONL of the file.

    Raises:
        FlowError: the file cannot be read, has no row, or has a malformed row under `strict`.
    """
    found = _read(ResponseFile(path), records or _records(path), strict, one_stratum, "line", "leave out --strict")
    if not found.lines:
        raise FlowError(f"{path}: no rows. Give a JSONL file with one response on each line")
    return found


def read_responses(records: Iterable[Record], *, strict: bool = False) -> ResponseFile:
    """Return the valid and the malformed rows of an iterable; row numbers begin at 0.

    Raises:
        FlowError: a row is malformed, under `strict`.
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
    """Add a valid row to `found`, or return the fault of a malformed row."""
    try:
        row = response_row(record)
        seen.add(line, row)
    except ResponseFault as exc:
        return Malformed(line, str(exc))
    found.rows.append(row)
    found.others.update(name for name in record if name not in FIELDS)
    return None


def _described(stratum: tuple[object, ...]) -> str:
    kind, lever_class, intensity = stratum
    named = " ".join(str(one) for one in (lever_class, intensity) if one is not None) or "without a class"
    return "a control" if kind == "control" else named


# Scores of response files: per model, by class, intensity and language.


def score_file(
    found: ResponseFile, *, replicates: int, seed: int, limits: Limits | None = None, metrics: Sequence[str] = ()
) -> list[ModelScore]:
    """Return the scores of each model; `metrics` names metrics of other packages.

    The list is empty if no row is valid.
    """
    import pandas as pd

    if not found.rows:
        return []
    frame = pd.DataFrame(found.rows)
    slices: Sequence[Slicing] = (*DEFAULT_SLICES, *(("language",) if frame["language"].notna().any() else ()))
    own: dict[str, dict[str, Estimate]] = defaultdict(dict)
    for model, metric, estimate in own_estimates(frame, metrics):
        own[model][metric] = estimate
    scores = score(frame, replicates=replicates, seed=seed, slices=slices, limits=limits, discrimination=True)
    return [replace(of, overall=replace(of.overall, metrics={**of.overall.metrics, **own[of.model]})) for of in scores]


def score_json(scores: Sequence[ModelScore]) -> str:
    """Return scores as a JSON document; undefined scores are null."""
    return json.dumps(document(scores), ensure_ascii=False, indent=1, allow_nan=False)
