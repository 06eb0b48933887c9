"""What scoring returns: a value with its uncertainty and, where something is missing, the reason."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

import numpy as np

from demur.scoring.bootstrap import BoolArray, IntArray, Intervals

Json: TypeAlias = "str | int | float | None | list[Json] | dict[str, Json]"

ONE_SOURCE = "one source question: nothing to resample"
RARELY_DEFINED = "undefined in nearly every replicate: too few source questions bear on it"


class Limits(StrEnum):
    """Which of the two intervals is meant."""

    PERCENTILE = "percentile"
    BCA = "bca"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value, its standard error and its interval: percentile (low, high) and BCa (bca_low, bca_high).

    `n` counts the responses that the value is about, its denominator. What is undefined is NaN and `reason` says why.
    A defined value has a reason too where its interval is undefined or is not the bootstrap's.
    """

    value: float
    se: float = math.nan
    low: float = math.nan
    high: float = math.nan
    n: int = 0
    reason: str | None = None
    bca_low: float = math.nan
    bca_high: float = math.nan

    @property
    def defined(self) -> bool:
        """False where there was nothing to compute the value from."""
        return not math.isnan(self.value)

    def as_dict(self, limits: Limits = Limits.PERCENTILE) -> dict[str, Json]:
        """Return value, se, low, high, n and reason with None for NaN, as JSON wants them."""
        low, high = (self.bca_low, self.bca_high) if limits is Limits.BCA else (self.low, self.high)
        return {
            "value": _null(self.value),
            "se": _null(self.se),
            "low": _null(low),
            "high": _null(high),
            "n": self.n,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Support:
    """What stands behind statistics of shape (statistics, slices): denominators, source questions, reasons.

    `reasons` is None where a value is defined. `shares` says which statistics lie between 0 and 1 and reach both.
    """

    n: IntArray
    sources: IntArray
    reasons: Sequence[Sequence[str | None]]
    shares: BoolArray


def estimates(intervals: Intervals, support: Support, level: float = 0.95) -> list[list[Estimate]]:
    """Turn intervals into estimates, one list (over slices) per statistic.

    Where no replicate differs from a share of 0 or of 1 the bootstrap sees no uncertainty; the interval is then the
    exact binomial one with source questions as trials, which is conservative for correlated responses. A share between
    them, such as a mean of 0 and 1, has no interval then; anything else keeps the bootstrap's, of no width. Either way
    a reason says so.
    """
    grids = (intervals.se, intervals.low, intervals.high, intervals.bca_low, intervals.bca_high)
    values = intervals.value.tolist()
    limits = np.stack(grids, axis=-1).tolist()
    counts, sources = support.n.tolist(), support.sources.tolist()
    flat = intervals.flat.tolist()
    return [
        [
            _flat(found, sources[m][g], is_share=bool(support.shares[m]), level=level) if flat[m][g] else found
            for g, found in enumerate(
                _estimate(values[m][g], limits[m][g], counts[m][g], sources[m][g], support.reasons[m][g])
                for g in range(len(values[m]))
            )
        ]
        for m in range(len(values))
    ]


def _estimate(value: float, limits: list[float], n: int, sources: int, reason: str | None) -> Estimate:
    if math.isnan(value):
        return Estimate(value, n=n, reason=reason)
    if sources < 2:
        return Estimate(value, n=n, reason=ONE_SOURCE)
    se, low, high, bca_low, bca_high = limits
    if math.isnan(se):
        return Estimate(value, n=n, reason=RARELY_DEFINED)
    return Estimate(value, se, low, high, n, None, bca_low, bca_high)


def _flat(found: Estimate, sources: int, *, is_share: bool, level: float) -> Estimate:
    """Return an estimate that no replicate differs from, with what can be said of its uncertainty."""
    if math.isnan(found.se):
        return found
    reason = f"no variation over {sources} source questions"
    if not is_share:
        return replace(found, reason=f"{reason}: the bootstrap sees no uncertainty")
    if found.value not in (0.0, 1.0):
        reason = f"{reason}: the bootstrap sees no uncertainty"
        return replace(found, low=math.nan, high=math.nan, bca_low=math.nan, bca_high=math.nan, reason=reason)
    bound = ((1.0 - level) / 2.0) ** (1.0 / sources)
    low, high = (0.0, 1.0 - bound) if found.value == 0.0 else (bound, 1.0)
    reason = f"{reason}: exact binomial interval with these as trials"
    return replace(found, low=low, high=high, bca_low=low, bca_high=high, reason=reason)


def _null(number: float) -> float | None:
    return None if math.isnan(number) else float(number)
