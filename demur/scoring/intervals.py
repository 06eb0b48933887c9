"""Standard errors and confidence limits of resampled statistics, and estimates with reasons for undefined numbers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self, TypeAlias

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri, stdtrit

from demur.scoring.bootstrap import (
    FLAT,
    BoolArray,
    Composite,
    FloatArray,
    IntArray,
    Resampled,
    Statistic,
    evaluate,
    recovered,
)

# Standard errors and confidence limits of resampled statistics; benchmarks/coverage.md measures their coverage.
#
# Shares and other bounded statistics have Wilson's limits, scaled to the statistic's bounds. Wilson's formula takes
# the effective number of draws. This many independent draws would have the variance that the bootstrap found. The
# multiplier in the formula is Student's t for the number of source questions.
#
# A share without variation has the exact binomial limits with source questions as trials. A statistic that is made
# from other statistics has, on each side, the farther of two limits: its own, and the one that its parts give
# (`recovered`). Its own limit alone treats a part of 0 or 1 as exact.
#
# A true share near 0 cannot lie above the upper limit: even if no event was observed, the upper limit is higher than
# such a share. The lower limit of a share near 0 is therefore one-sided, with the whole error probability of 5 %. In
# the same way, the upper limit of a share near 1 is one-sided. Two-sided limits would cover 97 % there (Blaker 2000).
#
# Sources:
#
# - Wilson's limits: Wilson 1927. Effective sample size: Korn and Graubard 1998, Franco et al. 2019. - Percentile and
# BCa limits: Efron and Tibshirani 1993, chapter 14. Widening for few clusters: Hesterberg 2015, section 4.


LEVEL = 0.95
"""Confidence level of all intervals."""
TIE = FLAT
"""Values of a statistic with a smaller difference count as equal (rounding errors)."""


class Limits(StrEnum):
    """Methods for confidence limits from replicates."""

    SCORE = "score"
    PERCENTILE = "percentile"
    BCA = "bca"


@dataclass(frozen=True, slots=True)
class Bounds:
    """Smallest and largest value of a statistic, and the method for its limits.

    `is_share` marks shares of binomial trials and means of such shares. `one_sided` allows one-sided limits near `low`
    and `high`. `composite` is not None if the statistic is made from others.
    """

    low: float
    high: float
    limits: Limits = Limits.SCORE
    is_share: bool = False
    one_sided: bool = False
    composite: Composite | None = None


SHARE = Bounds(0.0, 1.0, is_share=True, one_sided=True)
MEAN_OF_SHARES = Bounds(0.0, 1.0, is_share=True)
ERROR = Bounds(0.0, 1.0)
AGREEMENT = Bounds(-1.0, 1.0)
DIFFERENCE = Bounds(-1.0, 1.0)
"""Bounds of the difference of two shares."""


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """Standard errors and limits of statistics, all of shape (statistics, slices); NaN where undefined."""

    value: FloatArray
    se: FloatArray
    low: FloatArray
    high: FloatArray

    @property
    def flat(self) -> BoolArray:
        """True for statistics whose replicates are all equal."""
        return np.asarray(self.se <= TIE, dtype=np.bool_)

    def first(self, count: int) -> "Intervals":
        """Return the first `count` statistics."""
        return Intervals(self.value[:count], self.se[:count], self.low[:count], self.high[:count])


def summarise(
    resampled: Resampled,
    sources: IntArray,
    spans: Sequence[Bounds],
    limits: Limits | None = None,
) -> Intervals:
    """Return standard errors and limits; replicates with an undefined statistic are left out.

    Args:
        resampled: values and replicates.
        sources: number of source questions behind each value, shape (statistics, slices).
        spans: bounds of each statistic.
        limits: method for all statistics. With None, each statistic has the method of its element of `spans`.
    """
    value = resampled.value
    se = spread(resampled.replicates)
    low = np.full(value.shape, np.nan)
    high = np.full(value.shape, np.nan)
    methods = [limits or span.limits for span in spans]
    for method in set(methods):
        at = [row for row, other in enumerate(methods) if other is method]
        if method is Limits.SCORE:
            low[at], high[at] = _score(value[at], se[at], sources[at], [spans[row] for row in at])
            for row in at:
                low[row], high[row] = _with_parts(resampled, se, sources, spans, row, (low[row], high[row]))
        else:
            part = Resampled(value[at], resampled.replicates[at], resampled.leave_one_out[at])
            low[at], high[at] = _quantiles(part, _multipliers(sources[at]), accelerated=method is Limits.BCA)
    undefined = np.isnan(value)
    return Intervals(value, *(np.where(undefined, np.nan, found) for found in (se, low, high)))


def _with_parts(
    resampled: Resampled,
    se: FloatArray,
    sources: IntArray,
    spans: Sequence[Bounds],
    row: int,
    own: tuple[FloatArray, FloatArray],
) -> tuple[FloatArray, FloatArray]:
    """Return the farther of a statistic's own limits and those that its parts give; its own if it has no parts.

    A statistic without variation, other than a share of 0 or 1, has no limits of its own.
    """
    span = spans[row]
    if span.composite is None:
        return own
    parts = list(span.composite.parts)
    two_sided = [replace(spans[part], one_sided=False) for part in parts]
    limits = _score(
        resampled.value[parts], se[parts], sources[parts], two_sided, estimates=len(parts) - span.composite.fixed
    )
    low, high = recovered(span.composite, resampled.value[parts], *limits, resampled.replicates[parts])
    value = resampled.value[row]
    alone = (se[row] <= TIE) & ~(span.is_share & np.isin(value, (0.0, 1.0)))
    own_low, own_high = (np.where(alone & np.isfinite(low), value, limit) for limit in own)
    return np.fmin(own_low, np.maximum(low, span.low)), np.fmax(own_high, np.minimum(high, span.high))


def _quantiles(resampled: Resampled, times: FloatArray, *, accelerated: bool) -> tuple[FloatArray, FloatArray]:
    ordered = np.sort(resampled.replicates, axis=-1)
    defined = np.isfinite(ordered).sum(axis=-1)
    shares = (ndtr(-times), ndtr(times))
    if accelerated:
        bias = _bias(resampled.value, ordered, defined)
        acceleration = _acceleration(resampled.leave_one_out)
        shares = (_adjusted(bias, acceleration, -times), _adjusted(bias, acceleration, times))
    return _quantile(ordered, defined, shares[0]), _quantile(ordered, defined, shares[1])


def _score(
    value: FloatArray, se: FloatArray, sources: IntArray, spans: Sequence[Bounds], estimates: int = 1
) -> tuple[FloatArray, FloatArray]:
    """Return Wilson's limits. `estimates` is the number of standard errors that a later sum of distances averages."""
    low = np.array([[span.low] for span in spans])
    width = np.array([[span.high - span.low] for span in spans])
    times = _multipliers(sources, estimates=estimates)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        place = (value - low) / width
        variance = (se / width) ** 2
        room = place * (1.0 - place)
        below, above = _wilson(place, variance / room, times)
        if any(span.one_sided for span in spans):
            nearer = _one_sided(place, variance / room, sources)
            chosen = np.array([[span.one_sided] for span in spans])
            below = np.where(chosen, np.maximum(below, nearer[0]), below)
            above = np.where(chosen, np.minimum(above, nearer[1]), above)
        at_end = room <= 0.0  # the variance there does not determine the width
        varies = times**2 * variance > TIE**2
        below = np.where(at_end, np.where(varies, np.minimum(0.0, place), place), np.minimum(below, place))
        above = np.where(at_end, np.where(varies, np.maximum(1.0, place), place), np.maximum(above, place))
        exact = np.array([[span.is_share] for span in spans]) & (se <= TIE)
        binomial = exact_limits(np.clip(place, 0.0, 1.0), sources)
        below, above = np.where(exact, binomial[0], below), np.where(exact, binomial[1], above)
        return low + width * below, low + width * above


def _wilson(place: FloatArray, per_draw: FloatArray, times: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return Wilson's limits of the share `place`.

    `times` is the multiplier of the standard error. `per_draw` is 1 / the number of draws.
    """
    draws = times**2 * per_draw
    centre = (place + draws / 2.0) / (1.0 + draws)
    half = np.sqrt(draws * place * (1.0 - place) + draws**2 / 4.0) / (1.0 + draws)
    return centre - half, centre + half


def _one_sided(place: FloatArray, per_draw: FloatArray, sources: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return Wilson's one-sided limits: the lower is at most `excluded`, the upper is at least 1 - `excluded`.

    `excluded` is the smaller of two upper limits of a share: Wilson's limit if one event was observed, and the exact
    limit if no event was observed. The caller takes the two-sided limit instead of a one-sided limit if the two-sided
    limit is nearer to the share.
    """
    times = _multipliers(sources, 2.0 * LEVEL - 1.0)
    below, above = _wilson(place, per_draw, times)
    one_event = _wilson(np.clip(per_draw, 0.0, 1.0), per_draw, times)[1]
    excluded = np.minimum(one_event, exact_bound(sources))
    return np.minimum(below, excluded), np.maximum(above, 1.0 - excluded)


def exact_bound(sources: IntArray) -> FloatArray:
    """Return the exact upper limit of a share after `sources` independent trials without an event."""
    return np.asarray(1.0 - ((1.0 - LEVEL) / 2.0) ** (1.0 / np.maximum(sources, 1)))


def exact_limits(share: FloatArray, sources: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the exact binomial limits of a share in `sources` independent trials. Source: Clopper and Pearson 1934."""
    trials = np.maximum(sources, 1)
    events = share * trials
    miss = (1.0 - LEVEL) / 2.0
    low = np.where(events > 0.0, betaincinv(np.maximum(events, TIE), trials - events + 1.0, miss), 0.0)
    rest = np.maximum(trials - events, TIE)
    high = np.where(events < trials, betaincinv(events + 1.0, rest, 1.0 - miss), 1.0)
    return np.where(np.isnan(share), np.nan, low), np.where(np.isnan(share), np.nan, high)


def spread(replicates: FloatArray) -> FloatArray:
    """Return the standard deviation over the last axis, ignoring NaN; NaN for fewer than two defined replicates."""
    if not np.isnan(replicates).any():
        return np.asarray(replicates.std(axis=-1, ddof=1))
    defined = np.isfinite(replicates)
    count = defined.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(defined, replicates, 0.0).sum(axis=-1) / count
        square = np.where(defined, (replicates - mean[..., None]) ** 2, 0.0).sum(axis=-1)
        return np.asarray(np.where(count > 1, np.sqrt(square / (count - 1)), np.nan))


def t_multiplier(sources: int, level: float = LEVEL, estimates: int = 1) -> float:
    """Return the number of bootstrap standard errors between a value and its limit.

    This is Student's t, corrected for the bias of the standard error. Each of the `estimates` of a standard error adds
    the number of source questions minus 1 to the degrees of freedom. With fewer than 2 source questions the normal
    quantile is returned.
    """
    if sources < 2:
        return float(ndtri((1.0 + level) / 2.0))
    return unbiased(float(stdtrit(estimates * (sources - 1), (1.0 + level) / 2.0)), sources)


def unbiased(se: float, sources: int) -> float:
    """Return a bootstrap's standard error without bias. With n clusters, the bias is the factor sqrt((n - 1) / n)."""
    return math.sqrt(sources / (sources - 1)) * se


def _multipliers(sources: IntArray, level: float = LEVEL, estimates: int = 1) -> FloatArray:
    numbers, at = np.unique(sources, return_inverse=True)
    return np.array([t_multiplier(int(number), level, estimates) for number in numbers])[at].reshape(sources.shape)


def _bias(value: FloatArray, replicates: FloatArray, defined: IntArray) -> FloatArray:
    """Return BCa's bias correction z0: the normal quantile of the share of replicates below the value.

    Replicates equal to the value add one half each.
    """
    below = (replicates < value[..., None] - TIE).sum(axis=-1)
    not_above = (replicates <= value[..., None] + TIE).sum(axis=-1)
    count = np.maximum(defined, 1)
    return np.asarray(ndtri(np.clip((below + not_above) / 2.0 / count, 0.5 / count, 1.0 - 0.5 / count)))


def _acceleration(leave_one_out: FloatArray) -> FloatArray:
    """Return BCa's acceleration: a sixth of the skewness of the clusters' jackknife influence."""
    known = np.isfinite(leave_one_out)
    mean = np.where(known, leave_one_out, 0.0).sum(axis=-1) / np.maximum(known.sum(axis=-1), 1)
    influence = np.where(known, mean[..., None] - leave_one_out, 0.0)
    square = np.einsum("...c,...c->...", influence, influence)
    cube = np.einsum("...c,...c,...c->...", influence, influence, influence)
    return np.asarray(np.where(square > TIE**2, cube / np.maximum(6.0 * square**1.5, 1e-300), 0.0))


def _adjusted(bias: FloatArray, acceleration: FloatArray, z: FloatArray) -> FloatArray:
    """Return BCa's adjusted percentile for a limit at `z` standard errors."""
    shifted = bias + z
    return np.asarray(ndtr(bias + shifted / np.maximum(1.0 - acceleration * shifted, TIE)))


def _quantile(ordered: FloatArray, defined: IntArray, share: FloatArray) -> FloatArray:
    """Return an interpolated quantile of the first `defined` values of each row of sorted replicates."""
    position = share * np.maximum(defined - 1, 0)
    lower = np.floor(position).astype(np.int64)
    upper = np.minimum(lower + 1, np.maximum(defined - 1, 0))
    left = np.take_along_axis(ordered, lower[..., None], axis=-1)[..., 0]
    right = np.take_along_axis(ordered, upper[..., None], axis=-1)[..., 0]
    return np.asarray(left + (right - left) * (position - lower))


# Estimates: values with standard errors and intervals, and reasons for undefined numbers.


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
