"""Counts of responses for all metrics, assignment of responses to slices, and sums per slice."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Self, TypeAlias

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from demur.levers.vocabulary import Code, Confidence, Intensity, ItemKind, LeverClass, Reaction
from demur.scoring import ScoringError
from demur.scoring.bootstrap import BoolArray, FloatArray, IntArray
from demur.scoring.responses import EXPECTED, REACTIONS, UNKNOWN, ResponseArrays

# Counts of responses for all metrics, and the indicator columns whose sums are the counts.


BINS = len(Confidence)
AMBIGUOUS = EXPECTED.index(Code.AMBIGUOUS)
ASKED_BACK = REACTIONS.index(Reaction.ASKED_BACK)
HEDGED = REACTIONS.index(Reaction.PARTIAL_ANSWER)


def ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Divide elementwise; NaN where the whole is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(whole > 0, part / whole, np.nan))


@dataclass(frozen=True, slots=True, eq=False)
class OutcomeCounts:
    """Counts of responses, as arrays of equal shape; `stated_*` have an additional first axis of confidence bins.

    In bootstrap replicates the counts are weighted sums. `multi_*` count responses to items of several documents.
    `graded_*` count attempts with a known grade on answerable items of several documents. `ungraded*` count attempts
    without known correctness on answerable items. `any_reason` counts responses to items to be refused for whatever
    reason; all their refusals are among the `matches`. `plain*` count responses in plain words.
    `provider_refusals` are counted among the refusals too.
    """

    answerable: FloatArray
    unanswerable: FloatArray
    attempts_on_answerable: FloatArray
    refusals_of_answerable: FloatArray
    correct_answers: FloatArray
    attempts_on_unanswerable: FloatArray
    refusals_of_unanswerable: FloatArray
    matches: FloatArray
    multi_answerable: FloatArray
    multi_unanswerable: FloatArray
    multi_attempts: FloatArray
    multi_correct: FloatArray
    multi_matches: FloatArray
    graded_eligible: FloatArray
    eligible: FloatArray
    graded_supported_all: FloatArray
    supported_all: FloatArray
    graded_supported_relevant: FloatArray
    supported_relevant: FloatArray
    ungraded: FloatArray
    ungraded_multi: FloatArray
    ungraded_with_confidence: FloatArray
    any_reason: FloatArray
    plain: FloatArray
    plain_ambiguous: FloatArray
    plain_attempts: FloatArray
    asked_back: FloatArray
    asked_back_on_ambiguous: FloatArray
    hedged: FloatArray
    provider_refusals: FloatArray
    stated_answers: FloatArray
    stated_answers_accurate: FloatArray
    stated_refusals: FloatArray
    stated_refusals_accurate: FloatArray
    stated_invalid: FloatArray
    stated_answers_claimed: FloatArray
    stated_refusals_claimed: FloatArray
    stated_invalid_claimed: FloatArray

    @classmethod
    def of(cls, sums: FloatArray) -> Self:
        """Return counts from sums, shape (sums, ...), in the order of `indicators`."""
        parts: list[FloatArray] = []
        at = 0
        for field in fields(cls):
            if field.name.startswith("stated_"):
                parts.append(sums[at : at + BINS])
                at += BINS
            else:
                parts.append(sums[at])
                at += 1
        return cls(*parts)

    @property
    def responses(self) -> FloatArray:
        """All responses, INVALID ones included."""
        return self.answerable + self.unanswerable

    @property
    def refusals(self) -> FloatArray:
        """Refusals of any item with any code."""
        return self.refusals_of_answerable + self.refusals_of_unanswerable

    @property
    def attempts(self) -> FloatArray:
        """Answer attempts on any item."""
        return self.attempts_on_answerable + self.attempts_on_unanswerable

    @property
    def invalid(self) -> FloatArray:
        """Responses that are neither refusals nor attempts."""
        return self.responses - self.refusals - self.attempts

    @property
    def multi_responses(self) -> FloatArray:
        """All responses to items of several documents."""
        return self.multi_answerable + self.multi_unanswerable

    @property
    def stated(self) -> FloatArray:
        """Responses with a stated confidence, per bin."""
        return self.stated_answers + self.stated_refusals + self.stated_invalid

    @property
    def stated_accurate(self) -> FloatArray:
        """Accurate responses with a stated confidence, per bin."""
        return self.stated_answers_accurate + self.stated_refusals_accurate

    @property
    def stated_claimed(self) -> FloatArray:
        """Sum of the stated probabilities of being right, per bin."""
        return self.stated_answers_claimed + self.stated_refusals_claimed + self.stated_invalid_claimed


def indicators(responses: ResponseArrays) -> FloatArray:
    """Return the columns whose sums are counts, shape (sums, rows).

    The columns of `stated_*_claimed` have stated probabilities. All other columns have 0 or 1.
    """
    yes = responses.answerable
    no = ~responses.answerable
    attempted = responses.attempted
    refused = responses.refused
    correct = yes & responses.accurate
    multi = responses.several_documents
    tried = multi & yes & attempted
    graded: list[BoolArray] = []
    for grade in (responses.eligible, responses.supported_all, responses.supported_relevant):
        graded += [tried & (grade != UNKNOWN), tried & (grade == 1)]
    plain = responses.reaction != UNKNOWN
    asked_back = responses.reaction == ASKED_BACK
    ambiguous = responses.expected == AMBIGUOUS
    bins = responses.confidence[None, :] == np.arange(BINS)[:, None]
    columns = [
        yes,
        no,
        yes & attempted,
        yes & refused,
        correct,
        no & attempted,
        no & refused,
        responses.matched,
        multi & yes,
        multi & no,
        tried,
        multi & correct,
        multi & responses.matched,
        *graded,
        responses.ungraded,
        multi & responses.ungraded,
        responses.ungraded & (responses.confidence != UNKNOWN),
        responses.any_reason,
        plain,
        plain & ambiguous,
        plain & attempted,
        asked_back,
        asked_back & ambiguous,
        attempted & (responses.reaction == HEDGED),
        responses.refused_by_provider == 1,
    ]
    stated = (
        attempted,
        attempted & responses.accurate,
        refused,
        refused & responses.accurate,
        responses.invalid,
    )
    claimed = np.where(np.isnan(responses.claimed), 0.0, responses.claimed)
    claims = [(bins & part) * claimed for part in (attempted, refused, responses.invalid)]
    return np.concatenate([np.stack(columns), *(bins & part for part in stated), *claims]).astype(np.float64)


# Assignment of responses to slices, and sums per slice and source question.


Dimensions: TypeAlias = tuple[tuple[str, str], ...]
Slicing: TypeAlias = str | tuple[str, ...]

OVERALL: Dimensions = ()
KINDS_APART = tuple(kind.value for kind in ItemKind if kind is not ItemKind.PERTURBED)
DEFAULT_SLICES: tuple[Slicing, ...] = ("class", "intensity", ("class", "intensity"))
TABLE_ORDER: dict[str, tuple[str, ...]] = {"class": tuple(LeverClass), "intensity": tuple(Intensity)}


def slice_cells(dimensions: Dimensions) -> dict[str, object]:
    """Return the cells `slice` ("class, intensity") and `slice_value` ("P-Ambiguity, HIGH") of a slice."""
    return {
        "slice": ", ".join(name for name, _ in dimensions) or "overall",
        "slice_value": ", ".join(value for _, value in dimensions) or "overall",
    }


@dataclass(frozen=True, slots=True, eq=False)
class Slices:
    """The slices of a frame.

    `member` has shape (rows, slicings). An element is the position in `dimensions` of the slice that the row belongs to
    under the slicing; -1 is no slice.
    """

    dimensions: tuple[Dimensions, ...]
    member: IntArray


def slice_rows(frame: pd.DataFrame, slicings: Sequence[Slicing], apart: BoolArray) -> Slices:
    """Return the slice of each row under each slicing: overall first, then `slicings`, then controls.

    Rows marked in `apart` (controls) are in the slice of their kind only. A row with a null in a column is in no slice
    of this column.

    Raises:
        ScoringError: a slicing names a column that the frame lacks.
    """
    dimensions: list[Dimensions] = [OVERALL]
    members: list[IntArray] = [np.where(apart, -1, 0)]
    for slicing in slicings:
        columns = (slicing,) if isinstance(slicing, str) else slicing
        found, codes = _combinations(frame, columns)
        members.append(np.where(apart | (codes < 0), -1, codes + len(dimensions)))
        dimensions.extend(found)
    if apart.any():  # a frame without controls needs no column `kind`
        for kind in KINDS_APART:
            own = apart & (frame["kind"] == kind).to_numpy(dtype=np.bool_, na_value=False)
            if own.any():
                members.append(np.where(own, len(dimensions), -1))
                dimensions.append((("kind", kind),))
    return Slices(tuple(dimensions), np.stack(members, axis=1))


def _combinations(frame: pd.DataFrame, columns: tuple[str, ...]) -> tuple[list[Dimensions], IntArray]:
    """Return the combinations of values that occur, sorted by TABLE_ORDER, and each row's position among them."""
    combined = np.zeros(len(frame), dtype=np.int64)
    known = np.ones(len(frame), dtype=np.bool_)
    levels: list[list[str]] = []
    sizes: list[int] = []
    for column in columns:
        if column not in frame.columns:
            raise ScoringError(
                f"slices: there is no column {column!r}; the responses have {', '.join(map(str, frame.columns))}"
            )
        values, codes = _levels(frame[column], TABLE_ORDER.get(column, ()))
        size = max(len(values), 1)
        combined = combined * size + codes  # one number for a combination: its codes are the digits
        sizes.append(size)
        known &= codes >= 0
        levels.append(values)
    occurring, inverse = np.unique(combined[known], return_inverse=True)
    position = np.full(len(frame), -1, dtype=np.int64)
    position[known] = inverse
    parts = np.unravel_index(occurring, sizes)
    found = [
        tuple((column, values[at]) for column, values, at in zip(columns, levels, cell, strict=True))
        for cell in zip(*parts, strict=True)
    ]
    return found, position


def _levels(column: pd.Series, order: tuple[str, ...]) -> tuple[list[str], IntArray]:
    """Return a column's distinct values as text, those of `order` first, and each row's position among them."""
    codes, uniques = pd.factorize(column)
    names = [str(value) for value in uniques]

    def place(at: int) -> tuple[int, str]:
        name = names[at]
        return (order.index(name) if name in order else len(order), name)

    rank = sorted(range(len(names)), key=place)
    position = np.empty(len(names) + 1, dtype=np.int64)
    position[rank] = np.arange(len(names))
    position[-1] = -1  # nulls have the code -1, which is the index of the last element
    return [names[at] for at in rank], position[codes]


def cluster_codes(column: pd.Series) -> tuple[IntArray, int]:
    """Return the index of each row's cluster among the sorted clusters, and the number of clusters."""
    names, codes = _levels(column, ())
    return codes, len(names)


def sum_by_slice_and_cluster(
    columns: FloatArray, member: IntArray, cluster: IntArray, slices: int, clusters: int
) -> FloatArray:
    """Return the sums over each slice and cluster, shape (sums, slices, clusters).

    `columns` has shape (sums, rows). `member` is that of `Slices`.
    """
    rows, slicings = np.nonzero(member >= 0)
    cells = member[rows, slicings] * clusters + cluster[rows]  # flat index of (slice, cluster)
    membership = csr_array((np.ones(len(rows)), (cells, rows)), shape=(slices * clusters, columns.shape[1]))
    return np.ascontiguousarray((membership @ columns.T).T).reshape(len(columns), slices, clusters)
