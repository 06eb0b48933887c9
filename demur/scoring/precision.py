"""Precision of a finished round: the mean score over source questions, its interval, and the design effect.

The score of a source question is the share of right responses (a correct answer, or the expected code) to its perturbed
items. The bound in scoring.sample_size holds for independent draws in [0, 1]; here the draws are the scores of source
questions.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from demur.scoring.bootstrap import FloatArray, resample
from demur.scoring.calibration import UNGRADED
from demur.scoring.counts import ratio
from demur.scoring.estimates import Estimate, EstimateBasis, Row, bootstrap, known
from demur.scoring.intervals import SHARE
from demur.scoring.responses import read_responses
from demur.scoring.sample_size import DesignEffect, design_effect
from demur.scoring.slices import cluster_codes


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
