"""Exact intervals of a share, from successes and trials."""

from typing import Final

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.int64]
Shares = npt.NDArray[np.float64]
_TAIL: Final = 0.025


def clopper_pearson(successes: Counts, trials: Counts) -> tuple[Shares, Shares]:
    """Return the lower and upper limits of exact 95 % intervals, each with the shape of `trials`.

    Without trials, the limits are 0 and 1. The coverage is at least 95 % for any number of independent trials.

    Source: Clopper and Pearson (1934); the limits are quantiles of the beta distribution.
    """
    from scipy.special import betaincinv  # a fifth of a second, and only gates that run need it

    failures = trials - successes
    low = betaincinv(np.maximum(successes, 1), failures + 1, _TAIL)
    high = betaincinv(successes + 1, np.maximum(failures, 1), 1 - _TAIL)
    return np.where(successes == 0, 0.0, low), np.where(failures == 0, 1.0, high)
