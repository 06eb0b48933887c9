"""Deviation of stated confidence from accuracy: expected calibration error and the reliability table.

A response is accurate if it is a correct answer or a matching code. A response without a stated confidence is in no
bin; an INVALID one that states a confidence counts in the overall error, never accurate, and in neither part.

Source: RefusalBench, appendix on confidence measurement; five verbal levels, each standing for its bin's midpoint.
"""

import numpy as np
import pandas as pd

from demur.scoring.bootstrap import FloatArray, resample
from demur.scoring.confidence import BOUNDS, MIDPOINTS
from demur.scoring.counts import OutcomeCounts, indicators, ratio
from demur.scoring.estimates import EstimateBasis, bootstrap
from demur.scoring.intervals import SHARE
from demur.scoring.responses import read_responses
from demur.scoring.slices import cluster_codes, slice_rows, sum_by_slice_and_cluster

PARTS = ("all", "answers", "refusals")
UNGRADED = "answer attempts without a grade: nothing says which are correct"


def expected_calibration_error(stated: FloatArray, accurate: FloatArray, claimed: FloatArray) -> FloatArray:
    """Return the mean over responses of abs(accuracy - claim) of their bin; NaN where nothing was stated.

    `stated` and `accurate` count responses per bin, in the order of Confidence, along the first axis; `claimed` adds up
    the probabilities that they claim: numbers as stated, verbal levels by their midpoints.
    """
    return ratio(np.abs(accurate - claimed).sum(axis=0), stated.sum(axis=0))


def reliability_table(frame: pd.DataFrame, *, replicates: int, seed: int) -> pd.DataFrame:
    """Return one row per model, part (all, answers, refusals) and confidence level: stated midpoint against accuracy.

    Columns: model, part, confidence, midpoint, n, accuracy, se, low, high, gap (accuracy - midpoint), reason.
    Controls are left out. Accuracy and its limits are NaN in an empty bin, and where attempts have no grade.
    """
    responses = read_responses(frame)
    columns = indicators(responses)
    tables = []
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
        cells = bootstrap(sums, _accuracies, resample(clusters, replicates, seed), support)
        tables.append(
            pd.DataFrame(
                {
                    "model": model,
                    "part": np.repeat(PARTS, len(BOUNDS)),
                    "confidence": [str(confidence) for confidence in BOUNDS] * len(PARTS),
                    "midpoint": MIDPOINTS * len(PARTS),
                    "n": [cell.n for (cell,) in cells],
                    "accuracy": [cell.value for (cell,) in cells],
                    "se": [cell.se for (cell,) in cells],
                    "low": [cell.low for (cell,) in cells],
                    "high": [cell.high for (cell,) in cells],
                    "reason": [cell.reason for (cell,) in cells],
                }
            )
        )
    table = pd.concat(tables, ignore_index=True)
    table.insert(9, "gap", table["accuracy"] - table["midpoint"])
    return table


def _parts(counts: OutcomeCounts) -> tuple[tuple[FloatArray, FloatArray], ...]:
    """Return (stated, accurate) per bin for each of PARTS."""
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
