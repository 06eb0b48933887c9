"""Comparisons of models: on common items, between two rounds, and by factors such as size."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.special import bdtr, ndtri, stdtr, stdtrit

from demur.scoring import ScoringError
from demur.scoring.bootstrap import BoolArray, FloatArray, IntArray, Resampled, evaluate, resample, single
from demur.scoring.counts import OutcomeCounts, cluster_codes, indicators, sum_by_slice_and_cluster
from demur.scoring.intervals import DIFFERENCE, LEVEL, Estimate, EstimateBasis, Row, estimates, known, limits, summarise
from demur.scoring.metrics import METRIC_NAMES, METRICS, Metric, statistic, with_parts
from demur.scoring.refusal_scores import ModelScore, support
from demur.scoring.responses import read_responses, response_keys

# Comparison of two models on common items: clustered difference, McNemar's test, Holm's adjustment, power.
#
# The exact McNemar test treats items as independent. Its p values are too small if perturbations of one question
# correlate. Published claims should use the clustered difference.


DEFAULT_METRICS = ("calibrated_refusal_score",)
POWER = 0.8
"""Power for `minimum_detectable`."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One metric of two models over the items that both answered; `difference` is first - second.

    `p_value` is that of a t test of the difference with the clustered standard error. The degrees of freedom are the
    number of source questions - 1. `minimum_detectable` is the smallest true difference that this test detects with
    probability POWER.

    The `event` of a metric says which responses are events, such as false refusals. For the calibrated refusal score,
    the events are the right responses. `only_first` is the number of items with an event of the first model only, and
    `only_second` is the number of items with an event of the second model only. McNemar's test compares these numbers.
    `mcnemar_p_value` is NaN if the metric has no `event`, or if its denominator has different items for the two models.
    """

    first: str
    second: str
    metric: str
    items: int
    sources: int
    difference: Estimate
    p_value: float
    minimum_detectable: float
    only_first: int
    only_second: int
    mcnemar_p_value: float
    p_value_holm: float = math.nan
    mcnemar_p_value_holm: float = math.nan


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """Return the two-sided exact p value of McNemar's test; 1 if both arguments are 0."""
    # scipy.stats.binomtest would cost half a second and 25 MB to import
    return min(1.0, 2.0 * float(bdtr(min(only_first, only_second), only_first + only_second, 0.5)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p values with Holm's adjustment. NaN stays NaN and is not among the tests. Source: Holm 1979."""
    values = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(len(values), np.nan)
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    steps = values[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return [float(value) for value in adjusted]


def compare(
    frame: pd.DataFrame,
    *,
    replicates: int,
    seed: int,
    metrics: Sequence[str] = DEFAULT_METRICS,
) -> list[Comparison]:
    """Return a comparison for each named metric and pair of models.

    Holm's adjustment is for the number of pairs of models, separately for each metric. The frame has the columns of
    scoring.responses; `language` and `replicate` distinguish responses of one model to one item. Controls are left out.
    A pair without common items has the difference NaN, with a reason.

    Raises:
        ScoringError: a metric does not exist, or a model has two responses to an item in one language and replicate.
    """
    arena = _Arena(frame, chosen_metrics(metrics), replicates=replicates, seed=seed)
    found = [
        comparison
        for first, second in combinations(arena.models, 2)
        for comparison in _compare_pair(arena, first, second)
    ]
    return [adjusted for name in metrics for adjusted in _with_holm([c for c in found if c.metric == name])]


def differences(
    first: tuple[Resampled, EstimateBasis], second: tuple[Resampled, EstimateBasis]
) -> list[list[Estimate]]:
    """Return the estimates of `first` minus `second`: one list per statistic, with one estimate per slice.

    Both arguments must come from the same resampling weights. The interval of a difference comes from the intervals of
    both sides, or of what these are made from.
    """
    behind = (first[1], second[1])
    count = len(behind[0].spans)
    composites = [span.composite or single(row) for row, span in enumerate(behind[0].spans)]
    joint = EstimateBasis(
        n=np.minimum(behind[0].n, behind[1].n),
        sources=np.minimum(behind[0].sources, behind[1].sources),
        reasons=[
            [a or b for a, b in zip(*rows, strict=True)] for rows in zip(*(b.reasons for b in behind), strict=True)
        ],
        spans=[replace(DIFFERENCE, composite=own.moved(count).minus(own.moved(2 * count))) for own in composites],
    )
    found = summarise(
        (first[0] - second[0]).beside(first[0]).beside(second[0]),
        np.concatenate([joint.sources, behind[0].sources, behind[1].sources]),
        [*joint.spans, *behind[0].spans, *behind[1].spans],
    )
    return estimates(found.first(count), joint)


def p_value_of(difference: Estimate) -> float:
    """Return the two-sided p value of the hypothesis that the true difference is 0.

    The p value is below .05 if the 95 % interval excludes 0: the standard error is the one that the interval has on the
    side of 0. If the interval has no width, the p value is that of a sign test over source questions.
    """
    sources = difference.sources
    if math.isnan(difference.low) or sources < 2:
        return math.nan
    if difference.value == 0.0:
        return 1.0
    towards_zero = difference.value - difference.low if difference.value > 0.0 else difference.high - difference.value
    if towards_zero <= 0.0:
        return min(1.0, 2.0 ** (1 - sources))
    quantile = float(stdtrit(sources - 1, (1.0 + LEVEL) / 2.0))
    return float(2.0 * stdtr(sources - 1, -quantile * abs(difference.value) / towards_zero))


class _Arena:
    """The responses of a frame by model. `evaluated` caches its results for each model and set of items."""

    def __init__(self, frame: pd.DataFrame, metrics: Sequence[Metric], *, replicates: int, seed: int) -> None:
        responses = read_responses(frame)
        self.metrics = metrics
        self._counted = with_parts(metrics)
        self.replicates = replicates
        self.seed = seed
        self._columns = indicators(responses)
        self._keys = response_keys(frame)
        self._source, _ = cluster_codes(frame["source_id"])
        self._rows = {
            model: _sorted_by_item(at[~responses.apart[at]], self._keys, model) for model, at in responses.by_model()
        }
        self._weights: dict[int, FloatArray] = {}
        self._evaluated: dict[tuple[str, bytes], tuple[Resampled, EstimateBasis]] = {}

    @property
    def models(self) -> list[str]:
        return list(self._rows)

    def common(self, first: str, second: str) -> tuple[IntArray, IntArray]:
        """Return the rows of both models for their common items, in the same order of items."""
        ours = self._rows[first]
        theirs = self._rows[second]
        _, at, there = np.intersect1d(self._keys[ours], self._keys[theirs], assume_unique=True, return_indices=True)
        return ours[at], theirs[there]

    def events(self, metric: Metric, rows: IntArray) -> tuple[BoolArray, BoolArray]:
        """Return for each row whether it is in the metric's denominator, and whether `metric.event` counts it."""
        counts = OutcomeCounts.of(self._columns[:, rows])
        assert metric.event is not None
        return metric.base(counts) > 0, metric.event(counts) > 0

    def sources(self, rows: IntArray) -> int:
        return len(np.unique(self._source[rows]))

    def evaluated(self, model: str, rows: IntArray) -> tuple[Resampled, EstimateBasis]:
        key = (model, self._keys[rows].tobytes())
        if key not in self._evaluated:
            names, codes = np.unique(self._source[rows], return_inverse=True)
            clusters = len(names)
            if clusters not in self._weights:
                self._weights[clusters] = resample(clusters, self.replicates, self.seed)
            member = np.zeros((len(rows), 1), dtype=np.int64)
            sums = sum_by_slice_and_cluster(self._columns[:, rows], member, codes, 1, clusters)
            resampled = evaluate(sums, statistic(self._counted), self._weights[clusters])
            self._evaluated[key] = resampled, support(self._counted, sums)
        return self._evaluated[key]


def _compare_pair(arena: _Arena, first: str, second: str) -> Iterator[Comparison]:
    ours, theirs = arena.common(first, second)
    items = len(ours)
    sources = arena.sources(ours)
    if items:
        found = differences(arena.evaluated(first, ours), arena.evaluated(second, theirs))
    else:
        found = [[Estimate(math.nan, reason="no item that both models answered")]] * len(arena.metrics)
    for metric, (difference,) in zip(arena.metrics, found, strict=False):  # behind them are their parts
        pair = _discordant(arena, metric, ours, theirs)
        yield Comparison(
            first=first,
            second=second,
            metric=metric.name,
            items=items,
            sources=sources,
            difference=difference,
            p_value=p_value_of(difference),
            minimum_detectable=_minimum_detectable(difference),
            only_first=0 if pair is None else pair[0],
            only_second=0 if pair is None else pair[1],
            mcnemar_p_value=math.nan if pair is None or math.isnan(difference.value) else mcnemar_exact(*pair),
        )


def _discordant(arena: _Arena, metric: Metric, ours: IntArray, theirs: IntArray) -> tuple[int, int] | None:
    """Return `only_first` and `only_second` of `Comparison`; None if `mcnemar_p_value` must be NaN."""
    if metric.event is None:
        return None
    (about, first), (about_theirs, second) = arena.events(metric, ours), arena.events(metric, theirs)
    if (about != about_theirs).any():
        return None
    return int((about & first & ~second).sum()), int((about & second & ~first).sum())


def _minimum_detectable(difference: Estimate) -> float:
    sources = difference.sources
    if sources < 2:
        return math.nan
    certain, powerful = stdtrit(sources - 1, [(1.0 + LEVEL) / 2.0, POWER])
    return float((difference.high - difference.low) / 2.0 * (certain + powerful) / certain)


def chosen_metrics(metrics: Sequence[str]) -> list[Metric]:
    """Return the metrics of these names.

    Raises:
        ScoringError: a name is unknown.
    """
    unknown = [name for name in metrics if name not in METRIC_NAMES]
    if unknown:
        raise ScoringError(f"compare: metric {unknown[0]!r} is not one of {', '.join(METRIC_NAMES)}")
    return [METRICS[METRIC_NAMES.index(name)] for name in metrics]


def _sorted_by_item(rows: IntArray, keys: IntArray, model: str) -> IntArray:
    ordered = rows[np.argsort(keys[rows], kind="stable")]
    if len(ordered) != len(np.unique(keys[ordered])):
        raise ScoringError(
            f"compare: {model} answers an item more than once in one language; number its responses in a column "
            "'replicate'"
        )
    return ordered


def _with_holm(comparisons: list[Comparison]) -> list[Comparison]:
    clustered = holm([comparison.p_value for comparison in comparisons])
    exact = holm([comparison.mcnemar_p_value for comparison in comparisons])
    return [
        replace(comparison, p_value_holm=p, mcnemar_p_value_holm=m)
        for comparison, p, m in zip(comparisons, clustered, exact, strict=True)
    ]


# Change of a model's score between two rounds, with its interval.
#
# If a source question is in both rounds, a replicate draws the question equally often for each round. What such a
# question adds to both scores therefore cancels in the difference. Other source questions are drawn independently.


def drift(
    before: pd.DataFrame,
    after: pd.DataFrame,
    *,
    replicates: int,
    seed: int,
    metrics: Sequence[str] = DEFAULT_METRICS,
) -> Iterator[Row]:
    """Yield the drift of every named metric for every model of both rounds, sorted by model.

    The drift is the metric in the round `after` minus the metric in the round `before`.
    Both frames have the columns of scoring.responses. Controls are left out. `sources_shared` counts source questions
    that are in both rounds.

    Raises:
        ScoringError: a frame is malformed, or a metric does not exist.
    """
    wanted = chosen_metrics(metrics)
    counted = with_parts(wanted)
    rounds = [read_responses(frame) for frame in (after, before)]
    columns = [indicators(responses) for responses in rounds]
    rows = [{model: at[~responses.apart[at]] for model, at in responses.by_model()} for responses in rounds]
    for model in sorted(rows[0].keys() & rows[1].keys()):
        later = rows[0][model]
        earlier = rows[1][model]
        sources = [after["source_id"].iloc[later].astype(str), before["source_id"].iloc[earlier].astype(str)]
        codes, clusters = cluster_codes(pd.concat(sources, ignore_index=True))
        if not clusters:
            continue
        member = np.repeat(np.arange(2), [len(later), len(earlier)])[:, None]
        both = np.concatenate([columns[0][:, later], columns[1][:, earlier]], axis=1)
        sums = sum_by_slice_and_cluster(both, member, codes, 2, clusters)
        weights = resample(clusters, replicates, seed)
        sides = [
            (evaluate(side, statistic(counted), weights), support(counted, side)) for side in (sums[:, :1], sums[:, 1:])
        ]
        moved = differences(sides[0], sides[1])
        counts = [int(source.nunique()) for source in sources]
        for metric, (difference,) in zip(wanted, moved, strict=False):  # behind them are their parts
            yield {
                "respondent": model,
                "metric": metric.name,
                **limits(difference, "difference"),
                "p_value": known(p_value_of(difference)),
                "sources": counts[0],
                "sources_earlier": counts[1],
                "sources_shared": sum(counts) - clusters,
            }


# Associations over models: correlation of two metrics, trend of a metric with a number, contrast of groups.


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
