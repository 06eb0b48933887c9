"""Estimates: values with standard errors and intervals, and reasons for undefined numbers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self, TypeAlias

import numpy as np

from demur.scoring.bootstrap import FloatArray, IntArray, Statistic, evaluate
from demur.scoring.intervals import Bounds, Intervals, Limits, summarise

Json: TypeAlias = "str | int | float | None | list[Json] | dict[str, Json]"
Row: TypeAlias = dict[str, object]
"""Cells of one row of a table, by column."""

ONE_SOURCE = "one source question: nothing to resample"
RARELY_DEFINED = "undefined in nearly every replicate: too few source questions bear on it"

BLOCK = 4_000_000
"""Largest number of floats for the replicates of a block of slices (32 MB)."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with standard error and interval.

    `n` is the denominator, a number of responses. `sources` is the number of source questions behind the value.
    Undefined numbers are NaN. `reason` says why the value or its interval is undefined, or why the interval does not
    come from the bootstrap.
    """

    value: float
    se: float = math.nan
    low: float = math.nan
    high: float = math.nan
    n: int = 0
    reason: str | None = None
    sources: int = 0

    @property
    def defined(self) -> bool:
        """Whether the value is defined."""
        return not math.isnan(self.value)

    def as_dict(self) -> dict[str, Json]:
        """Return value, se, low, high, n and reason as JSON values; NaN is None."""
        numbers = {name: known(getattr(self, name)) for name in ("value", "se", "low", "high")}
        return {**numbers, "n": self.n, "reason": self.reason}


@dataclass(frozen=True, slots=True, eq=False)
class EstimateBasis:
    """Denominators, source questions and reasons of statistics, shape (statistics, slices).

    `reasons` has None for defined values. `spans` has the bounds of each statistic.
    """

    n: IntArray
    sources: IntArray
    reasons: Sequence[Sequence[str | None]]
    spans: Sequence[Bounds]

    @classmethod
    def of_one(cls, n: int, sources: int, span: Bounds, reason: str | None = None) -> Self:
        """Return the basis of one statistic in one slice."""
        return cls(n=np.array([[n]]), sources=np.array([[sources]]), reasons=[[reason]], spans=[span])


def bootstrap(
    cluster_sums: FloatArray,
    statistic: Statistic,
    weights: FloatArray,
    support: EstimateBasis,
    limits: Limits | None = None,
) -> list[list[Estimate]]:
    """Return one list per statistic, with one estimate per slice.

    Args:
        cluster_sums: sums by slice and cluster, shape (sums, slices, clusters).
        statistic: function from sums to statistics.
        weights: how often each replicate draws each cluster, shape (replicates, clusters).
        support: denominators, source questions and reasons.
        limits: method for all limits; None for each statistic's own method.
    """
    sums, slices, clusters = cluster_sums.shape
    step = max(1, BLOCK // (sums * max(clusters, len(weights))))
    blocks = []
    for at in range(0, slices, step):
        of = slice(at, at + step)
        found = evaluate(cluster_sums[:, of], statistic, weights)
        blocks.append(summarise(found, support.sources[:, of], support.spans, limits))
    grids = zip(*((block.value, block.se, block.low, block.high) for block in blocks), strict=True)
    return estimates(Intervals(*(np.concatenate(parts, axis=1) for parts in grids)), support)


def estimates(intervals: Intervals, support: EstimateBasis) -> list[list[Estimate]]:
    """Return intervals as estimates: one list per statistic, with one estimate per slice.

    If all replicates are equal, the bootstrap cannot give an interval. A share then gets the exact binomial interval
    with source questions as trials, and a statistic that is made from shares gets its interval from theirs. Any other
    statistic gets an interval of width 0. In each of these cases `reason` of the estimate names the case.
    """
    numbers = [grid.tolist() for grid in (intervals.value, intervals.se, intervals.low, intervals.high)]
    counts = support.n.tolist()
    sources = support.sources.tolist()
    flat = intervals.flat.tolist()
    return [
        [
            replace(found, reason=_without_variation(found, span)) if flat[m][g] and found.reason is None else found
            for g, found in enumerate(
                map(_estimate, *(grid[m] for grid in numbers), counts[m], support.reasons[m], sources[m])
            )
        ]
        for m, span in enumerate(support.spans)
    ]


def _estimate(value: float, se: float, low: float, high: float, n: int, reason: str | None, sources: int) -> Estimate:
    if math.isnan(value):
        return Estimate(value, n=n, reason=reason, sources=sources)
    if sources < 2:
        return Estimate(value, n=n, reason=ONE_SOURCE, sources=sources)
    if math.isnan(se):
        return Estimate(value, n=n, reason=RARELY_DEFINED, sources=sources)
    return Estimate(value, se, low, high, n, None, sources)


def _without_variation(found: Estimate, span: Bounds) -> str:
    """Return where the interval of a statistic whose replicates are all equal comes from."""
    reason = f"no variation over {found.sources} source questions"
    if found.low < found.high and not (span.is_share and found.value in (0.0, 1.0)) and span.composite is not None:
        return f"{reason}: interval from those of its parts"
    if span.is_share:
        return f"{reason}: exact binomial interval with these as trials"
    return f"{reason}: the bootstrap sees no uncertainty"


def known(number: float) -> float | None:
    """Return a number; None for NaN."""
    return None if math.isnan(number) else float(number)


def limits(estimate: Estimate, name: str) -> Row:
    """Return the cells `name`, `se`, `low`, `high` and `reason` of an estimate; undefined numbers are None."""
    return {
        name: known(estimate.value),
        "se": known(estimate.se),
        "low": known(estimate.low),
        "high": known(estimate.high),
        "reason": estimate.reason or None,
    }
