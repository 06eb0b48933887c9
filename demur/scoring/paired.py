"""Comparison of two models on common items: clustered difference, McNemar's test, Holm's adjustment, power.

The exact McNemar test treats items as independent. Its p values are too small if perturbations of one question
correlate. Published claims should use the clustered difference.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.special import bdtr, stdtr, stdtrit

from demur.scoring.bootstrap import BoolArray, FloatArray, IntArray, Resampled, evaluate, resample
from demur.scoring.composites import single
from demur.scoring.counts import OutcomeCounts, indicators
from demur.scoring.errors import ScoringError
from demur.scoring.estimates import Estimate, EstimateBasis, estimates
from demur.scoring.intervals import DIFFERENCE, LEVEL, summarise
from demur.scoring.metrics import METRIC_NAMES, METRICS, Metric, statistic, with_parts
from demur.scoring.refusal import support
from demur.scoring.responses import read_responses, response_keys
from demur.scoring.slices import cluster_codes, sum_by_slice_and_cluster

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
