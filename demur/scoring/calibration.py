"""Stated confidence against accuracy (calibration, discrimination), and the use of refusal codes by a model."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from demur.levers.vocabulary import PREDICTED, REFUSALS
from demur.scoring.bootstrap import BoolArray, FloatArray, IntArray, Resampled, resample
from demur.scoring.confidence import BOUNDS, MIDPOINTS
from demur.scoring.counts import OutcomeCounts, cluster_codes, indicators, ratio, slice_rows, sum_by_slice_and_cluster
from demur.scoring.intervals import (
    ERROR,
    SHARE,
    Bounds,
    Estimate,
    EstimateBasis,
    Limits,
    Row,
    bootstrap,
    estimates,
    known,
    limits,
    summarise,
)
from demur.scoring.responses import ANY_REASON, EXPECTED, ResponseArrays, read_responses

# Deviation of stated confidence from accuracy: expected calibration error and the reliability table.
#
# A response is accurate if it is a correct answer or a refusal with the expected code. Responses without a stated
# confidence are in no bin. The table has the parts `all`, `answers` and `refusals`. INVALID responses with a stated
# confidence are in `all` only, and are not accurate. If a respondent states its confidence as a verbal level, the
# stated probability is the midpoint of the level.
#
# Source: RefusalBench, appendix on confidence measurement.


PARTS = ("all", "answers", "refusals")
UNGRADED = "answer attempts without a grade: nothing says which are correct"


def expected_calibration_error(stated: FloatArray, accurate: FloatArray, claimed: FloatArray) -> FloatArray:
    """Return the expected calibration error: mean of abs(accuracy - stated probability) over bins, weighted by size.

    The error is NaN without responses. The first axis of every argument has the bins, in the order of `Confidence`.

    Args:
        stated: number of responses.
        accurate: number of accurate responses.
        claimed: sum of stated probabilities.
    """
    return ratio(np.abs(accurate - claimed).sum(axis=0), stated.sum(axis=0))


def reliability_table(frame: pd.DataFrame, *, replicates: int, seed: int) -> Iterator[Row]:
    """Yield a row of `calibration` for each model, part and confidence level: the level's midpoint and the accuracy.

    Controls are left out. Accuracy and its limits are None in an empty bin. In the parts `all` and `answers` they are
    also None if attempts lack a grade.
    """
    responses = read_responses(frame)
    columns = indicators(responses)
    cells = [(part, *bin_of) for part in PARTS for bin_of in zip(BOUNDS, MIDPOINTS, strict=True)]
    for model, rows in responses.by_model():
        codes, clusters = cluster_codes(frame["source_id"].iloc[rows])
        member = slice_rows(frame.iloc[rows], (), responses.apart[rows]).member[:, :1]
        sums = sum_by_slice_and_cluster(columns[:, rows], member, codes, 1, clusters)
        stated = np.concatenate([stated for stated, _ in _parts(OutcomeCounts.of(sums))])
        support = EstimateBasis(
            n=stated.sum(axis=-1).astype(np.int64),
            sources=(stated > 0).sum(axis=-1),
            reasons=[["no responses with this confidence" if not n else UNGRADED] for n in stated.sum(axis=(1, 2))],
            spans=[SHARE] * len(stated),
        )
        found = bootstrap(sums, _accuracies, resample(clusters, replicates, seed), support)
        for (part, confidence, midpoint), (estimate,) in zip(cells, found, strict=True):
            where = {"respondent": model, "part": part, "confidence": str(confidence), "midpoint": midpoint}
            yield {**where, "n": estimate.n, **limits(estimate, "accuracy")}


def _parts(counts: OutcomeCounts) -> tuple[tuple[FloatArray, FloatArray], ...]:
    """Return the numbers of responses and of accurate responses per bin, for each of PARTS."""
    return (
        (counts.stated, counts.stated_accurate),
        (counts.stated_answers, counts.stated_answers_accurate),
        (counts.stated_refusals, counts.stated_refusals_accurate),
    )


def _accuracies(sums: FloatArray) -> FloatArray:
    counts = OutcomeCounts.of(sums)
    everything, answers, refusals = (ratio(accurate, stated) for stated, accurate in _parts(counts))
    graded = counts.ungraded_with_confidence == 0
    return np.concatenate([np.where(graded, everything, np.nan), np.where(graded, answers, np.nan), refusals])


# Area under the ROC curve of stated confidence as a predictor of a right response.
#
# The area is the probability that a random right response has a higher stated confidence than a random response that
# is not right. A tie adds half of its probability.


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


# Use of the refusal codes by a model: entropy, share of the top code, codes never given, constant-code baseline.
#
# A model that gives one code for everything looks competent where that code is common. The constant-code baseline is
# the score of such a model. The answer accuracy of such a model is 0.


NO_REFUSALS = "no refusals"


def code_use(frame: pd.DataFrame, *, replicates: int, seed: int) -> Iterator[Row]:
    """Yield a row of `code_use` for each model, sorted by model, about the model's refusals of perturbed items."""
    responses = read_responses(frame)
    for model, at in responses.by_model():
        rows = at[~responses.apart[at]]
        expected = np.bincount(responses.expected[rows], minlength=len(EXPECTED))[1:ANY_REASON].astype(np.float64)
        given = responses.predicted[rows].astype(np.int64)
        codes, clusters = cluster_codes(frame["source_id"].iloc[rows])
        sums = np.zeros((len(REFUSALS), 1, max(clusters, 1)))
        for position, code in enumerate(REFUSALS):
            hits = codes[given == PREDICTED.index(code)]
            sums[position, 0] = np.bincount(hits, minlength=max(clusters, 1))
        given_counts = sums.sum(axis=(1, 2))
        entropy_bits, top_share = _estimates(sums, replicates=replicates, seed=seed)
        yield {
            "respondent": model,
            "refusals": int(given_counts.sum()),
            "entropy_bits": known(entropy_bits.value),
            "entropy_bits_low": known(entropy_bits.low),
            "entropy_bits_high": known(entropy_bits.high),
            "expected_entropy_bits": known(float(entropy(expected))),
            "top_code": REFUSALS[int(given_counts.argmax())] if given_counts.any() else None,
            "top_share": known(top_share.value),
            "top_share_low": known(top_share.low),
            "top_share_high": known(top_share.high),
            "never_given": [
                code
                for code, wanted in zip(EXPECTED[1:ANY_REASON], expected, strict=True)
                if wanted and not given_counts[REFUSALS.index(code)]
            ],
            **_best_constant(expected),
            "reason": top_share.reason,
        }


def entropy(counts: FloatArray) -> FloatArray:
    """Return the entropy of the counts along the first axis, in bits; NaN if these counts are all 0."""
    share = ratio(counts, counts.sum(axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(share == 0.0, 0.0, -share * np.log2(share))
    return np.asarray(terms.sum(axis=0) + 0.0)


def _best_constant(expected: FloatArray) -> Row:
    """Return the commonest expected code and the scores of a model that always gives it."""
    share = float(expected.max() / expected.sum()) if expected.any() else None
    return {
        "constant_code": None if share is None else EXPECTED[1 + int(expected.argmax())],
        "constant_refusal_accuracy": share,
        "constant_calibrated_refusal_score": None if share is None else share / 2.0,
    }


def _estimates(sums: FloatArray, *, replicates: int, seed: int) -> list[Estimate]:
    def compute(counts: FloatArray) -> FloatArray:
        return np.stack([entropy(counts), ratio(counts.max(axis=0), counts.sum(axis=0))])

    total = int(sums.sum())
    support = EstimateBasis(
        n=np.full((2, 1), total),
        sources=np.full((2, 1), int((sums.sum(axis=0) > 0).sum())),
        reasons=[[NO_REFUSALS if not total else None]] * 2,
        spans=[Bounds(0.0, math.log2(len(REFUSALS))), SHARE],
    )
    weights = resample(sums.shape[-1], replicates, seed)
    return [row[0] for row in bootstrap(sums, compute, weights, support)]
