"""Which code was expected and which was given, in counts."""

import numpy as np
import pandas as pd

from demur.levers.vocabulary import PREDICTED, Intensity
from demur.scoring.bootstrap import IntArray
from demur.scoring.responses import EXPECTED, ResponseArrays, read_responses


def confusion_counts(responses: ResponseArrays, rows: IntArray) -> IntArray:
    """Count responses to perturbed items among these rows, shape (EXPECTED, PREDICTED)."""
    kept = rows[~responses.apart[rows]]
    cells = responses.expected[kept].astype(np.int64) * len(PREDICTED) + responses.predicted[kept]
    return np.bincount(cells, minlength=len(EXPECTED) * len(PREDICTED)).reshape(len(EXPECTED), len(PREDICTED))


def confusion_mapping(counts: IntArray) -> dict[str, dict[str, int]]:
    """Name the cells of a confusion matrix, expected code first."""
    return {
        expected: dict(zip(PREDICTED, row, strict=True))
        for expected, row in zip(EXPECTED, counts.tolist(), strict=True)
    }


def confusion_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Return one row per model, intensity (null for all), expected and predicted code, empty cells included.

    Columns: model, intensity, expected, predicted, n, share (of the responses with that expected code; NaN for none).
    """
    responses = read_responses(frame)
    intensities = frame["intensity"].astype(object).to_numpy()
    tables = []
    for model, rows in responses.by_model():
        for intensity in (None, *(value for value in Intensity if (intensities[rows] == value).any())):
            kept = rows if intensity is None else rows[intensities[rows] == intensity]
            counts = confusion_counts(responses, kept)
            totals = np.repeat(counts.sum(axis=1), len(PREDICTED))
            table = pd.DataFrame(
                {
                    "model": model,
                    "intensity": None if intensity is None else intensity.value,
                    "expected": np.repeat(EXPECTED, len(PREDICTED)),
                    "predicted": PREDICTED * len(EXPECTED),
                    "n": counts.ravel(),
                }
            )
            tables.append(table.assign(share=np.where(totals > 0, counts.ravel() / np.maximum(totals, 1), np.nan)))
    return pd.concat(tables, ignore_index=True)
