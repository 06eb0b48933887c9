"""Stated confidence as a probability of being right, given as a number or one of five verbal levels."""

import numpy as np
from numpy.typing import NDArray

from demur.levers.vocabulary import Confidence

BOUNDS: dict[Confidence, tuple[float, float]] = {
    Confidence.VERY_CONFIDENT: (0.9, 1.0),
    Confidence.CONFIDENT: (0.7, 0.9),
    Confidence.SOMEWHAT_CONFIDENT: (0.5, 0.7),
    Confidence.UNCERTAIN: (0.3, 0.5),
    Confidence.VERY_UNCERTAIN: (0.0, 0.3),
}
MIDPOINTS: tuple[float, ...] = tuple((low + high) / 2.0 for low, high in BOUNDS.values())


def level_of(probability: float) -> Confidence:
    """Return the level in whose bounds a probability lies, the upper one where two meet."""
    return next(level for level, (low, _) in BOUNDS.items() if probability >= low)


def claimed_by(level: NDArray[np.int8]) -> NDArray[np.float64]:
    """Return the midpoint of each level, given by its position; NaN for a negative one."""
    return np.array([*MIDPOINTS, np.nan])[level]
