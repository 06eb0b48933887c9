"""Assignment of responses to slices, and sums per slice and source question."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from demur.levers.vocabulary import Intensity, ItemKind, LeverClass
from demur.scoring.bootstrap import BoolArray, FloatArray, IntArray
from demur.scoring.errors import ScoringError

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
    for kind in KINDS_APART:
        if apart.any() and (own := apart & (frame["kind"] == kind).to_numpy(dtype=np.bool_, na_value=False)).any():
            members.append(np.where(own, len(dimensions), -1))
            dimensions.append((("kind", kind),))
    return Slices(tuple(dimensions), np.stack(members, axis=1))


def _combinations(frame: pd.DataFrame, columns: tuple[str, ...]) -> tuple[list[Dimensions], IntArray]:
    """Return the combinations of values that occur, sorted by TABLE_ORDER, and each row's position among them."""
    combined = np.zeros(len(frame), dtype=np.int64)
    known = np.ones(len(frame), dtype=np.bool_)
    levels: list[list[str]] = []
    for column in columns:
        if column not in frame.columns:
            raise ScoringError(
                f"slices: there is no column {column!r}; the responses have {', '.join(map(str, frame.columns))}"
            )
        values, codes = _levels(frame[column], TABLE_ORDER.get(column, ()))
        combined = combined * max(len(values), 1) + codes
        known &= codes >= 0
        levels.append(values)
    occurring, inverse = np.unique(combined[known], return_inverse=True)
    position = np.full(len(frame), -1, dtype=np.int64)
    position[known] = inverse
    parts = np.unravel_index(occurring, [max(len(values), 1) for values in levels])
    found = [
        tuple((column, values[at]) for column, values, at in zip(columns, levels, cell, strict=True))
        for cell in zip(*parts, strict=True)
    ]
    return found, position


def _levels(column: pd.Series, order: tuple[str, ...]) -> tuple[list[str], IntArray]:
    """Return a column's distinct values as text, those of `order` first, and each row's position among them."""
    codes, uniques = pd.factorize(column)
    names = [str(value) for value in uniques]
    rank = sorted(
        range(len(names)), key=lambda at: (order.index(names[at]) if names[at] in order else len(order), names[at])
    )
    position = np.empty(len(names) + 1, dtype=np.int64)
    position[rank] = np.arange(len(names))
    position[-1] = -1
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
    cells = member[rows, slicings] * clusters + cluster[rows]
    membership = csr_array((np.ones(len(rows)), (cells, rows)), shape=(slices * clusters, columns.shape[1]))
    return np.ascontiguousarray((membership @ columns.T).T).reshape(len(columns), slices, clusters)
