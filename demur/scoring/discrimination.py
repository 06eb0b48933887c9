"""Area under the ROC curve of stated confidence as a predictor of a right response.

The area is the probability that a random right response has a higher stated confidence than a random response that is
not right. A tie adds half of its probability.
"""

import numpy as np

from demur.scoring.bootstrap import BoolArray, FloatArray, IntArray, Resampled
from demur.scoring.calibration import UNGRADED
from demur.scoring.counts import ratio
from demur.scoring.estimates import Estimate, EstimateBasis, estimates
from demur.scoring.intervals import ERROR, Limits, summarise
from demur.scoring.responses import ResponseArrays

NAMES = ("auroc", "auroc_answers", "auroc_refusals")


def aurocs(
    responses: ResponseArrays,
    rows: IntArray,
    cluster: IntArray,
    weights: FloatArray,
    limits: Limits | None = None,
) -> dict[str, Estimate]:
    """Return three areas for one model, by the names of NAMES: over all `rows`, over answers, and over refusals.

    `rows` has indices of the model's responses. `cluster` has the index of each row's source question. `weights` has
    the number of times that each replicate draws each source question, shape (replicates, source questions).
    """
    stated = ~np.isnan(responses.claimed[rows])
    parts = (stated, stated & responses.attempted[rows], stated & responses.refused[rows])
    return {
        name: _estimate(responses, rows[part], cluster[part], weights, limits)
        for name, part in zip(NAMES, parts, strict=True)
    }


def _estimate(
    responses: ResponseArrays,
    rows: IntArray,
    cluster: IntArray,
    weights: FloatArray,
    limits: Limits | None,
) -> Estimate:
    right = responses.accurate[rows]
    sources = min(len(np.unique(cluster[right])), len(np.unique(cluster[~right])))
    reason = None
    if responses.ungraded[rows].any():
        reason = UNGRADED
    elif not sources:
        reason = "no right responses, or no others, with a stated confidence in this slice"
    if reason is not None:
        return Estimate(np.nan, n=len(rows), reason=reason)
    left_out = 1.0 - np.eye(weights.shape[1])
    claimed = responses.claimed[rows]

    def area(times: FloatArray) -> FloatArray:
        return area_under_curve(claimed, right, times[:, cluster])[None, None]

    resampled = Resampled(area(np.ones((1, weights.shape[1])))[..., 0], area(weights), area(left_out))
    support = EstimateBasis.of_one(len(rows), sources, ERROR)
    return estimates(summarise(resampled, support.sources, support.spans, limits), support)[0][0]


def area_under_curve(claimed: FloatArray, right: BoolArray, times: FloatArray) -> FloatArray:
    """Return the area for each row of `times`. A row has a weight for each response, shape (rows, responses)."""
    _, group = np.unique(claimed, return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    ordered = times[:, order]
    hit = right[order]
    hits = np.add.reduceat(ordered * hit, starts, axis=1)
    others = np.add.reduceat(ordered * ~hit, starts, axis=1)
    below = np.cumsum(others, axis=1) - others / 2.0
    return ratio((hits * below).sum(axis=1), hits.sum(axis=1) * others.sum(axis=1))
