"""Stated confidence as a probability of being right: a number, or one of five verbal levels."""

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
    """Return the level whose bounds contain a probability; the upper level if two levels share the bound."""
    return next(level for level, (low, _) in BOUNDS.items() if probability >= low)


def claimed_by(level: NDArray[np.int8]) -> NDArray[np.float64]:
    """Return the midpoint of each level. `level` has positions in BOUNDS; a negative position gives NaN."""
    return np.array([*MIDPOINTS, np.nan])[level]
