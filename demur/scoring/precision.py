"""Precision of a finished round, and the number of source questions for a tolerance."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from demur.scoring import ScoringError
from demur.scoring.bootstrap import FloatArray, resample
from demur.scoring.calibration import UNGRADED
from demur.scoring.counts import cluster_codes, ratio
from demur.scoring.intervals import SHARE, Estimate, EstimateBasis, Row, bootstrap, known
from demur.scoring.responses import read_responses

# Number of source questions that keeps the error of scores within a tolerance, and the design effect.
#
# The bounds hold for independent draws in [0, 1]. The draws are the mean scores of source questions over their items.
# The design effect converts numbers of correlated items to numbers of independent items.
#
# Source: RefusalBench, theorem 3.1 and appendix B (Hoeffding's inequality and a union bound over rounds).


@dataclass(frozen=True, slots=True)
class StaticBound:
    """The bound for a set of items that all rounds use again, if contamination shifts scores by `drift`.

    `failure_at_most` bounds the probability of an error above the tolerance. The bound is vacuous if the drift reaches
    the tolerance. Then `failure_at_most` and `items_needed` are None, and `failure_at_least` is a lower bound.
    """

    drift: float
    vacuous: bool
    items_needed: int | None
    failure_at_most: float | None
    failure_at_least: float

    @property
    def reason(self) -> str | None:
        """Reason for a missing bound; None if there is a bound."""
        if not self.vacuous:
            return None
        return f"a drift of {self.drift:g} reaches the tolerance: no static set is large enough"


@dataclass(frozen=True, slots=True)
class SamplePlan:
    """Numbers of new source questions and items per round. With them, the errors of all rounds are within `epsilon`.

    This holds with probability 1 - `delta`. `static` has the numbers for one set of questions
    that all rounds share.
    """

    epsilon: float
    delta: float
    rounds: int
    sources: int
    items: int
    items_per_source: float
    static: StaticBound


@dataclass(frozen=True, slots=True)
class DesignEffect:
    """The design effect: variance of a mean over items, divided by its variance if the items were independent.

    `icc` is the correlation between items of one source question. Undefined numbers are NaN, with a reason.
    """

    value: float
    icc: float
    items: int
    sources: int
    effective_items: float
    reason: str | None = None


def fresh_sources(epsilon: float, delta: float, rounds: int) -> int:
    """Return the number of new source questions per round: the least m >= ln(2 rounds / delta) / (2 epsilon^2).

    With probability 1 - `delta`, the errors of all `rounds` rounds are then within `epsilon`. The paper has T + 1 for
    `rounds`.
    """
    _check(epsilon, delta, rounds)
    return math.ceil(math.log(2.0 * rounds / delta) / (2.0 * epsilon**2))


def half_width(sources: int, delta: float, rounds: int) -> float:
    """Return the largest error of `rounds` rounds with `sources` source questions each.

    With probability 1 - `delta`, no round has a larger error.
    """
    _check(0.5, delta, rounds)
    if sources < 1:
        raise ScoringError(f"sample size: {sources} source questions; give at least 1")
    return math.sqrt(math.log(2.0 * rounds / delta) / (2.0 * sources))


def static_bound(epsilon: float, delta: float, drift: float, items: int) -> StaticBound:
    """Return the bound for a set of `items` independent items that all rounds use again.

    Contamination shifts scores by `drift`.
    """
    _check(epsilon, delta, 1)
    if not 0.0 <= drift <= 1.0:
        raise ScoringError(f"sample size: drift {drift} is not from 0 to 1")
    if items < 1:
        raise ScoringError(f"sample size: {items} items; give at least 1")
    margin = epsilon - drift
    deviation = 2.0 * math.exp(-2.0 * items * margin**2)
    if margin <= 0.0:
        return StaticBound(drift, True, None, None, max(0.0, 1.0 - deviation))
    return StaticBound(drift, False, math.ceil(math.log(2.0 / delta) / (2.0 * margin**2)), min(1.0, deviation), 0.0)


def plan(epsilon: float, delta: float, rounds: int, *, items_per_source: float, drift: float) -> SamplePlan:
    """Return the sizes of rounds with new source questions, and the bound for a set that all rounds use again.

    The set has as many items as a round has source questions.
    """
    if items_per_source <= 0.0:
        raise ScoringError(f"sample size: {items_per_source} items per source question; give more than 0")
    sources = fresh_sources(epsilon, delta, rounds)
    return SamplePlan(
        epsilon=epsilon,
        delta=delta,
        rounds=rounds,
        sources=sources,
        items=math.ceil(sources * items_per_source),
        items_per_source=items_per_source,
        static=static_bound(epsilon, delta, drift, sources),
    )


def design_effect_of(icc: float, items_per_source: float) -> float:
    """Return the design effect from the number of items per source question and the items' correlation; at least 1.

    A negative `icc` has the effect of 0. Source: Kish 1965.
    """
    return 1.0 + max(items_per_source - 1.0, 0.0) * max(icc, 0.0)


def design_effect(values: FloatArray, sources: pd.Series) -> DesignEffect:
    """Return the design effect of a mean over items, from the analysis of variance over source questions.

    Sources: Kish 1965; Donner 1986 (intraclass correlation for clusters of unequal sizes).
    """
    known = ~np.isnan(values)
    codes, clusters = cluster_codes(sources[known])
    kept = values[known]
    items = len(kept)
    size = np.bincount(codes, minlength=clusters).astype(np.float64)
    if clusters < 2 or items <= clusters:
        reason = "fewer than two source questions" if clusters < 2 else "one item per source question"
        undefined = items > clusters or clusters < 2
        value = math.nan if undefined else 1.0
        return DesignEffect(value, math.nan, items, clusters, math.nan if undefined else float(items), reason)
    mean = np.bincount(codes, weights=kept, minlength=clusters) / size
    between = float((size * (mean - kept.mean()) ** 2).sum() / (clusters - 1))
    within = float(((kept - mean[codes]) ** 2).sum() / (items - clusters))
    if between == within == 0.0:
        return DesignEffect(math.nan, math.nan, items, clusters, math.nan, "every item has the same value")
    typical = (items - (size**2).sum() / items) / (clusters - 1)
    icc = (between - within) / (between + (typical - 1.0) * within)
    value = 1.0 + ((size**2).sum() / items - 1.0) * icc
    return DesignEffect(float(value), float(icc), items, clusters, float(items / value) if value > 0 else math.nan)


def _check(epsilon: float, delta: float, rounds: int) -> None:
    if not 0.0 < epsilon < 1.0:
        raise ScoringError(f"sample size: epsilon {epsilon} is not between 0 and 1")
    if not 0.0 < delta < 1.0:
        raise ScoringError(f"sample size: delta {delta} is not between 0 and 1")
    if rounds < 1:
        raise ScoringError(f"sample size: {rounds} rounds; give at least 1")


# Precision of a finished round: the mean score over source questions, its interval, and the design effect.
#
# The score of a source question is the share of right responses (a correct answer, or the expected code) to its
# perturbed items. The bound in `static_bound` holds for independent draws in [0, 1]; here the draws are the
# scores of source questions.


def sample_precision(frame: pd.DataFrame, *, replicates: int, seed: int) -> Iterator[Row]:
    """Yield a row of `sample_precision` for each model, sorted by model.

    The frame has the columns of scoring.responses. Controls are left out. If an item has several replicates, the mean
    over the replicates is used.

    Raises:
        ScoringError: the frame is malformed.
    """
    responses = read_responses(frame)
    right = responses.accurate.astype(np.float64)
    right[responses.ungraded] = np.nan
    for model, rows in responses.by_model():
        kept = rows[~responses.apart[rows]]
        labels = frame.iloc[kept][["item_id", "source_id"]].astype(str).reset_index(drop=True)
        by_item = labels.assign(right=right[kept]).groupby(["source_id", "item_id"], sort=True)["right"]
        items = by_item.agg(lambda values: values.mean(skipna=False)).reset_index()
        share_right, design = _precision_of(items, replicates, seed)
        yield {
            "respondent": model,
            "items": len(items),
            "sources": design.sources,
            "share_right": known(share_right.value),
            "low": known(share_right.low),
            "high": known(share_right.high),
            "design_effect": known(design.value),
            "icc": known(design.icc),
            "effective_items": known(design.effective_items),
            "reason": share_right.reason or design.reason,
        }


def _precision_of(items: pd.DataFrame, replicates: int, seed: int) -> tuple[Estimate, DesignEffect]:
    """Return the mean score over source questions, and the design effect of the items."""
    values = items["right"].to_numpy(dtype=np.float64)
    codes, sources = cluster_codes(items["source_id"])
    if not sources or np.isnan(values).any():
        reason = UNGRADED if sources else "no responses to perturbed items"
        undefined = DesignEffect(np.nan, np.nan, len(values), sources, np.nan, reason)
        return Estimate(np.nan, n=len(values), reason=reason), undefined
    size = np.bincount(codes, minlength=sources)
    mean = np.bincount(codes, weights=values, minlength=sources) / size
    sums = np.stack([mean, np.ones(sources)])[:, None, :]
    support = EstimateBasis.of_one(len(values), sources, SHARE)
    estimate = bootstrap(sums, _mean, resample(sources, replicates, seed), support)[0][0]
    return estimate, design_effect(values, items["source_id"])


def _mean(sums: FloatArray) -> FloatArray:
    return ratio(sums[:1], sums[1:])
