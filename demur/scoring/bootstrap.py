"""Replicates from one weighted pass: resample clusters once, then compute every statistic from weighted sums.

A replicate that draws cluster c w times contributes w times c's sums. So all replicates, statistics and slices come
from one matrix product (replicates x clusters) @ (clusters x sums), without a recomputation each.

Not here: the sums (counts), statistics of sums (refusal, agreement, paired), and limits from replicates (intervals).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from demur.scoring.errors import ScoringError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
Statistic = Callable[[FloatArray], FloatArray]
"""Sums (sums, ...) to statistics (statistics, ...), elementwise over the trailing axes; undefined is NaN."""


@dataclass(frozen=True, slots=True, eq=False)
class Resampled:
    """Statistics and their resampled values; the last axis of two is replicates, or the cluster left out.

    Shapes (statistics, slices), (statistics, slices, replicates) and (statistics, slices, clusters).
    """

    value: FloatArray
    replicates: FloatArray
    leave_one_out: FloatArray

    def __sub__(self, other: "Resampled") -> "Resampled":
        """Return the difference, paired by replicate: both must have been evaluated with the same weights."""
        return Resampled(
            self.value - other.value,
            self.replicates - other.replicates,
            self.leave_one_out - other.leave_one_out,
        )


def draws(clusters: int, replicates: int, seed: int) -> IntArray:
    """Return which clusters each replicate draws, shape (replicates, clusters), with replacement.

    Raises:
        ScoringError: if there is no cluster, or fewer than two replicates.
    """
    if clusters < 1:
        raise ScoringError("bootstrap: 0 clusters; give at least one response")
    if replicates < 2:
        raise ScoringError(f"bootstrap: {replicates} replicates; give at least 2 (1,000 for published intervals)")
    return np.random.default_rng(seed).integers(clusters, size=(replicates, clusters))


def resample(clusters: int, replicates: int, seed: int) -> FloatArray:
    """Return how often each replicate draws each cluster, shape (replicates, clusters), rows summing to clusters."""
    drawn = draws(clusters, replicates, seed)
    drawn += np.arange(replicates)[:, None] * clusters
    counts = np.bincount(drawn.ravel(), minlength=replicates * clusters)
    return counts.reshape(replicates, clusters).astype(np.float64)


def evaluate(cluster_sums: FloatArray, statistic: Statistic, weights: FloatArray) -> Resampled:
    """Return every statistic on all clusters, in every replicate and without each cluster.

    `cluster_sums` has shape (sums, slices, clusters), `weights` (replicates, clusters).
    """
    totals = cluster_sums.sum(axis=-1)
    sums, slices, clusters = cluster_sums.shape
    flat = cluster_sums.reshape(sums * slices, clusters)  # one product: stacked ones were measured 8 times slower
    return Resampled(
        value=statistic(totals),
        replicates=statistic((flat @ weights.T).reshape(sums, slices, len(weights))),
        leave_one_out=statistic(totals[..., None] - cluster_sums),
    )
