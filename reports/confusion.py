"""Confusion matrices: what was expected of a response and what it was judged to be."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from demur.reports.names import CODES, in_order


@dataclass(frozen=True, slots=True)
class ConfusionRow:
    """The responses to the items with one expected code; `hit` is the column that is right."""

    expected: str
    responses: tuple[int, ...]
    hit: int | None

    @property
    def total(self) -> int:
        """All responses to items with this code."""
        return sum(self.responses)


@dataclass(frozen=True, slots=True)
class Confusion:
    """Responses of one respondent by expected code (rows) and by what they were judged to be (columns)."""

    respondent: str
    judge: str
    rows: tuple[ConfusionRow, ...]


@dataclass(frozen=True, slots=True)
class Confusions:
    """All matrices of a round, with the names of their common columns."""

    predicted: tuple[str, ...]
    matrices: tuple[Confusion, ...]


def confusions(frame: pd.DataFrame, order: Sequence[tuple[str, str]]) -> Confusions:
    """Return the matrices of the (respondent, judge) pairs in `order`, then of others as they come."""
    predicted = in_order(frame["predicted"].astype(str), CODES)
    counts: dict[tuple[str, str], dict[str, dict[str, int]]] = {}
    columns = ["respondent", "judge", "expected", "predicted", "responses"]
    for respondent, judge, expected, code, responses in frame[columns].itertuples(index=False, name=None):
        row = counts.setdefault((str(respondent), str(judge)), {}).setdefault(str(expected), {})
        row[str(code)] = row.get(str(code), 0) + int(responses)
    known = [who for who in order if who in counts] + [who for who in counts if who not in order]
    matrices = tuple(
        Confusion(
            *who,
            rows=tuple(
                ConfusionRow(
                    CODES.get(expected, expected),
                    tuple(counts[who][expected].get(code, 0) for code in predicted),
                    predicted.index(right) if (right := _right(expected)) in predicted else None,
                )
                for expected in in_order(counts[who], CODES)
            ),
        )
        for who in known
    )
    return Confusions(tuple(CODES.get(code, code) for code in predicted), matrices)


def _right(expected: str) -> str:
    return "ANSWER_ATTEMPT" if expected == "ANSWER_CORRECTLY" else expected
