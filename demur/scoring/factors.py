"""Associations over models: correlation of two metrics, trend of a metric with a number, contrast of groups."""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np
from scipy.special import ndtri, stdtrit

from demur.scoring.estimates import Row, known
from demur.scoring.intervals import LEVEL
from demur.scoring.scores import ModelScore


def _association(value: float, low: float, high: float, models: int, reason: str | None = None) -> Row:
    """Return the cells of a statistic over models; NaN becomes None."""
    return {"value": known(value), "low": known(low), "high": known(high), "models": models, "reason": reason}


def correlation(first: Sequence[float], second: Sequence[float]) -> Row:
    """Return Pearson's correlation over pairs without NaN, with Fisher's interval for 4 or more pairs."""
    x, y = _pairs(first, second)
    if len(x) < 3:
        return _association(math.nan, math.nan, math.nan, len(x), "fewer than 3 models")
    if np.ptp(x) == 0.0 or np.ptp(y) == 0.0:
        return _association(math.nan, math.nan, math.nan, len(x), "no variation over models")
    value = float(np.clip(np.corrcoef(x, y)[0, 1], -1.0, 1.0))
    if len(x) < 4 or abs(value) == 1.0:
        return _association(value, math.nan, math.nan, len(x), "too few models for an interval")
    margin = float(ndtri((1.0 + LEVEL) / 2.0)) / math.sqrt(len(x) - 3)
    centre = math.atanh(value)
    return _association(value, math.tanh(centre - margin), math.tanh(centre + margin), len(x))


def metric_correlation(scores: Iterable[ModelScore], first: str, second: str) -> Row:
    """Return the correlation of two metrics over models, such as false_refusal_rate and missed_refusal_rate."""
    kept = list(scores)
    return correlation([s.metrics[first].value for s in kept], [s.metrics[second].value for s in kept])


def trend(scores: Iterable[ModelScore], factor: Mapping[str, float], metric: str, *, logarithmic: bool) -> Row:
    """Return the least-squares slope of a metric along a factor, per tenfold increase if `logarithmic`.

    `factor` has a number for each model, such as its size; models without a number are left out.
    """
    kept = [score for score in scores if score.model in factor]
    x, y = _pairs([factor[score.model] for score in kept], [score.metrics[metric].value for score in kept])
    if logarithmic:
        x, y = np.log10(x[x > 0.0]), y[x > 0.0]
    if len(x) < 3:
        return _association(math.nan, math.nan, math.nan, len(x), "fewer than 3 models")
    if np.ptp(x) == 0.0:
        return _association(math.nan, math.nan, math.nan, len(x), "no variation over models")
    from scipy.stats import linregress  # half a second

    fit = linregress(x, y)
    margin = float(stdtrit(len(x) - 2, (1.0 + LEVEL) / 2.0)) * float(fit.stderr)
    slope = float(fit.slope)
    return _association(slope, slope - margin, slope + margin, len(x))


def contrasts(scores: Iterable[ModelScore], group: Mapping[str, str], metric: str) -> list[tuple[str, str, Row]]:
    """Return (first group, second group, first mean of the metric - second mean) for each pair of groups of models.

    `group` has the group of each model; models without a group are left out. The interval is Welch's. It assumes that
    the models of a group are a random sample.
    """
    values: dict[str, list[float]] = {}
    for score in scores:
        if score.model in group and not math.isnan(score.metrics[metric].value):
            values.setdefault(group[score.model], []).append(score.metrics[metric].value)
    return [
        (first, second, _difference(values[first], values[second])) for first, second in combinations(sorted(values), 2)
    ]


def _difference(first: Sequence[float], second: Sequence[float]) -> Row:
    value = float(np.mean(first) - np.mean(second))
    models = len(first) + len(second)
    if min(len(first), len(second)) < 2:
        return _association(value, math.nan, math.nan, models, "a group of one model: no interval")
    parts = [float(np.var(group, ddof=1)) / len(group) for group in (first, second)]
    variance = sum(parts)
    if variance == 0.0:
        return _association(value, math.nan, math.nan, models, "no variation within the groups")
    freedom = variance**2 / sum(part**2 / (len(group) - 1) for part, group in zip(parts, (first, second), strict=True))
    margin = float(stdtrit(freedom, (1.0 + LEVEL) / 2.0)) * math.sqrt(variance)
    return _association(value, value - margin, value + margin, models)


def _pairs(first: Sequence[float], second: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    x = np.asarray(first, dtype=np.float64)
    y = np.asarray(second, dtype=np.float64)
    known = ~(np.isnan(x) | np.isnan(y))
    return x[known], y[known]
