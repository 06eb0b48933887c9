"""Which code was expected and which was given, in counts."""

import numpy as np

from demur.levers.vocabulary import PREDICTED
from demur.scoring.bootstrap import IntArray
from demur.scoring.responses import EXPECTED, ResponseArrays


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
