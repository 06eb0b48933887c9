"""Deviation of stated confidence from accuracy: expected calibration error and the reliability table.

A response is accurate if it is a correct answer or a refusal with the expected code. Responses without a stated
confidence are in no bin. The table has the parts `all`, `answers` and `refusals`. INVALID responses with a stated
confidence are in `all` only, and are not accurate. If a respondent states its confidence as a verbal level, the stated
probability is the midpoint of the level.

Source: RefusalBench, appendix on confidence measurement.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from demur.scoring.bootstrap import FloatArray, resample
from demur.scoring.confidence import BOUNDS, MIDPOINTS
from demur.scoring.counts import OutcomeCounts, indicators, ratio
from demur.scoring.estimates import EstimateBasis, Row, bootstrap, limits
from demur.scoring.intervals import SHARE
from demur.scoring.responses import read_responses
from demur.scoring.slices import cluster_codes, slice_rows, sum_by_slice_and_cluster

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
