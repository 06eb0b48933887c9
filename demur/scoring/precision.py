"""Precision of a finished round: one score per source question, its interval, and the cost of correlated items.

The bound of scoring.sample_size speaks of independent draws in [0, 1]. Such a draw is a source question, scored by the
share of right responses (a correct answer, or the expected code) to its perturbed items.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from demur.scoring.bootstrap import FloatArray, resample
from demur.scoring.calibration import UNGRADED
from demur.scoring.counts import ratio
from demur.scoring.estimates import Estimate, EstimateBasis, bootstrap
from demur.scoring.intervals import SHARE
from demur.scoring.responses import read_responses
from demur.scoring.sample_size import DesignEffect, design_effect
from demur.scoring.slices import cluster_codes


@dataclass(frozen=True, slots=True)
class SamplePrecision:
    """The mean over source questions of one model's share of right responses; replicates of an item count as one."""

    model: str
    share_right: Estimate
    items: int
    sources: int
    design: DesignEffect

    @property
    def reason(self) -> str | None:
        """Reason for a missing value; None if nothing is missing."""
        return self.share_right.reason or self.design.reason


def sample_precision(frame: pd.DataFrame, *, replicates: int, seed: int) -> list[SamplePrecision]:
    """Return the precision of every model of a frame of scoring.responses, sorted by model; controls are left out.

    Raises:
        ScoringError: if the frame is malformed.
    """
    responses = read_responses(frame)
    right = responses.accurate.astype(np.float64)
    right[responses.ungraded] = np.nan
    found = []
    for model, rows in responses.by_model():
        kept = rows[~responses.apart[rows]]
        labels = frame.iloc[kept][["item_id", "source_id"]].astype(str).reset_index(drop=True)
        by_item = labels.assign(right=right[kept]).groupby(["source_id", "item_id"], sort=True)["right"]
        means = by_item.agg(lambda values: values.mean(skipna=False)).reset_index()
        found.append(_precision_of(model, means, replicates, seed))
    return found


def _precision_of(model: str, items: pd.DataFrame, replicates: int, seed: int) -> SamplePrecision:
    values = items["right"].to_numpy(dtype=np.float64)
    codes, sources = cluster_codes(items["source_id"])
    if not sources or np.isnan(values).any():
        reason = UNGRADED if sources else "no responses to perturbed items"
        undefined = DesignEffect(np.nan, np.nan, len(values), sources, np.nan, reason)
        return SamplePrecision(model, Estimate(np.nan, n=len(values), reason=reason), len(values), sources, undefined)
    size = np.bincount(codes, minlength=sources)
    mean = np.bincount(codes, weights=values, minlength=sources) / size
    sums = np.stack([mean, np.ones(sources)])[:, None, :]
    support = EstimateBasis.of_one(len(values), sources, SHARE)
    estimate = bootstrap(sums, _mean, resample(sources, replicates, seed), support)[0][0]
    return SamplePrecision(model, estimate, len(values), sources, design_effect(values, items["source_id"]))


def _mean(sums: FloatArray) -> FloatArray:
    return ratio(sums[:1], sums[1:])
