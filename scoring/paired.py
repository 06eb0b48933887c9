"""Comparing two models on the same items: McNemar, the clustered difference, Holm over all pairs, what could be seen.

The exact McNemar test treats items as independent and is too sure where perturbations of one question are alike; the
clustered difference, which every published claim should rest on, is not.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.stats import binomtest
from scipy.stats import t as student

from scoring.bootstrap import FloatArray, IntArray, bootstrap, resample
from scoring.counts import indicators
from scoring.errors import ScoringError
from scoring.estimates import Estimate, Support, estimates
from scoring.metrics import METRIC_NAMES, METRICS, Metric, statistic
from scoring.refusal import support
from scoring.responses import Responses, read_responses
from scoring.slices import cluster_codes, sum_by_slice_and_cluster

ITEM = ("source_id", "item_id")
DEFAULT_METRICS = ("calibrated_refusal_score",)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One metric of two models over the items that both answered; `difference` is first - second.

    `p_value` tests a difference of 0 with the clustered standard error (t, source questions - 1 degrees of freedom);
    `minimum_detectable` is the difference that this design finds with the given power. McNemar compares which items
    got a correct answer or a matching code: `only_first` by the first model alone, `only_second` by the second.
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
    """Return the two-sided exact p value of the discordant pairs; 1 where there are none."""
    discordant = only_first + only_second
    return float(binomtest(only_first, discordant, 0.5).pvalue) if discordant else 1.0


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p values adjusted for having looked at all of them; NaN stays and does not count. Source: Holm 1979."""
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
    level: float = 0.95,
    power: float = 0.8,
) -> list[Comparison]:
    """Return every pair of models compared by every named metric; Holm's adjustment is over the pairs of one metric.

    The frame is that of scoring.responses; several responses of a model to one item are told apart by `replicate`.
    Controls are left out. A pair without common items is compared by nothing and has NaN with a reason.

    Raises:
        ScoringError: if a metric does not exist, or a model answers an item twice in the same replicate.
    """
    chosen = chosen_metrics(metrics)
    responses = read_responses(frame)
    keys = _item_keys(frame)
    columns = indicators(responses)
    rows = {model: _sorted_by_item(at[~responses.control[at]], keys, model) for model, at in responses.by_model()}
    found = [
        comparison
        for first, second in combinations(rows, 2)
        for comparison in _compare_pair(
            _Pair(first, second, *_common(rows[first], rows[second], keys)),
            frame["source_id"],
            responses,
            columns,
            chosen,
            replicates=replicates,
            seed=seed,
            level=level,
            power=power,
        )
    ]
    return [adjusted for name in metrics for adjusted in _with_holm([c for c in found if c.metric == name])]


def difference_estimates(
    sums: FloatArray, metrics: Sequence[Metric], *, replicates: int, seed: int, level: float
) -> list[Estimate]:
    """Return first - second per metric, from sums of shape (sums, 2, clusters) over the same clusters."""
    size = len(sums)
    compute = statistic(metrics)

    def subtract(both: FloatArray) -> FloatArray:
        return compute(both[:size]) - compute(both[size:])

    stacked = np.concatenate([sums[:, :1], sums[:, 1:]])
    intervals = bootstrap(stacked, subtract, resample(sums.shape[-1], replicates, seed), level)
    behind = support(metrics, sums)
    joint = Support(
        n=behind.n.min(axis=1, keepdims=True),
        sources=behind.sources.min(axis=1, keepdims=True),
        reasons=[[next((reason for reason in of_metric if reason), None)] for of_metric in behind.reasons],
        shares=np.zeros(len(metrics), dtype=np.bool_),
    )
    return [row[0] for row in estimates(intervals, joint, level)]


def p_value_of(difference: Estimate, sources: int) -> float:
    """Return the two-sided p value of no difference; by signs of source questions where nothing varies."""
    if math.isnan(difference.se) or sources < 2:
        return math.nan
    if difference.se <= 0.0:
        return 1.0 if difference.value == 0.0 else min(1.0, 2.0 ** (1 - sources))
    return float(2.0 * student.sf(abs(difference.value) / difference.se, sources - 1))


@dataclass(frozen=True, slots=True, eq=False)
class _Pair:
    first: str
    second: str
    first_rows: IntArray
    second_rows: IntArray


def _compare_pair(
    pair: _Pair,
    source: pd.Series,
    responses: Responses,
    columns: FloatArray,
    chosen: Sequence[Metric],
    *,
    replicates: int,
    seed: int,
    level: float,
    power: float,
) -> Iterator[Comparison]:
    items = len(pair.first_rows)
    first_right, second_right = responses.accurate[pair.first_rows], responses.accurate[pair.second_rows]
    only_first, only_second = int((first_right & ~second_right).sum()), int((second_right & ~first_right).sum())
    codes, clusters = cluster_codes(source.iloc[pair.first_rows])
    if items:
        both = np.concatenate([pair.first_rows, pair.second_rows])
        member = np.repeat(np.arange(2), items)[:, None]
        sums = sum_by_slice_and_cluster(columns[:, both], member, np.tile(codes, 2), 2, clusters)
        found = difference_estimates(sums, chosen, replicates=replicates, seed=seed, level=level)
    else:
        found = [Estimate(math.nan, reason="no item that both models answered")] * len(chosen)
    reach = (
        student.ppf((1.0 + level) / 2.0, clusters - 1) + student.ppf(power, clusters - 1) if clusters > 1 else math.nan
    )
    for metric, difference in zip(chosen, found, strict=True):
        yield Comparison(
            first=pair.first,
            second=pair.second,
            metric=metric.name,
            items=items,
            sources=clusters,
            difference=difference,
            p_value=p_value_of(difference, clusters),
            minimum_detectable=float(reach * difference.se),
            only_first=only_first,
            only_second=only_second,
            mcnemar_p_value=mcnemar_exact(only_first, only_second) if items else math.nan,
        )


def chosen_metrics(metrics: Sequence[str]) -> list[Metric]:
    """Return the metrics of these names; raise a ScoringError for a name that is none."""
    unknown = [name for name in metrics if name not in METRIC_NAMES]
    if unknown:
        raise ScoringError(f"compare: metric {unknown[0]!r} is not one of {', '.join(METRIC_NAMES)}")
    return [METRICS[METRIC_NAMES.index(name)] for name in metrics]


def _item_keys(frame: pd.DataFrame) -> IntArray:
    """Return a number per row that is the same for responses to the same item in the same replicate."""
    columns = [*ITEM, "replicate"] if "replicate" in frame.columns else list(ITEM)
    return frame.groupby(columns, sort=False, dropna=False).ngroup().to_numpy().astype(np.int64)


def _sorted_by_item(rows: IntArray, keys: IntArray, model: str) -> IntArray:
    ordered = rows[np.argsort(keys[rows], kind="stable")]
    if len(ordered) != len(np.unique(keys[ordered])):
        raise ScoringError(
            f"compare: {model} answers an item more than once; tell its responses apart by a column 'replicate'"
        )
    return ordered


def _common(first: IntArray, second: IntArray, keys: IntArray) -> tuple[IntArray, IntArray]:
    """Return the rows of both models for the items that both answered, in the same order of items."""
    _, in_first, in_second = np.intersect1d(keys[first], keys[second], assume_unique=True, return_indices=True)
    return first[in_first], second[in_second]


def _with_holm(comparisons: list[Comparison]) -> list[Comparison]:
    clustered = holm([comparison.p_value for comparison in comparisons])
    exact = holm([comparison.mcnemar_p_value for comparison in comparisons])
    return [
        replace(comparison, p_value_holm=p, mcnemar_p_value_holm=m)
        for comparison, p, m in zip(comparisons, clustered, exact, strict=True)
    ]
