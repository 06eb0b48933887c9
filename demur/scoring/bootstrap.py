"""Cluster bootstrap of statistics that are functions of sums.

The weight of a cluster in a replicate is the number of times that the replicate draws the cluster. The sums of all
replicates and slices are therefore one matrix product (replicates x clusters) @ (clusters x sums).
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
"""Function from sums (sums, ...) to statistics (statistics, ...), elementwise over further axes; undefined is NaN."""


@dataclass(frozen=True, slots=True, eq=False)
class Resampled:
    """Statistics with their replicates and jackknife values.

    `value` has shape (statistics, slices), `replicates` has shape (statistics, slices, replicates). `leave_one_out` has
    the statistics with one cluster left out at a time, shape (statistics, slices, clusters).
    """

    value: FloatArray
    replicates: FloatArray
    leave_one_out: FloatArray

    def __sub__(self, other: "Resampled") -> "Resampled":
        """Return the differences between two statistics, replicate by replicate.

        Both statistics must come from the same resampling weights.
        """
        return Resampled(
            self.value - other.value,
            self.replicates - other.replicates,
            self.leave_one_out - other.leave_one_out,
        )

    def beside(self, other: "Resampled") -> "Resampled":
        """Return these statistics, then those of `other`."""
        return Resampled(
            np.concatenate([self.value, other.value]),
            np.concatenate([self.replicates, other.replicates]),
            np.concatenate([self.leave_one_out, other.leave_one_out]),
        )


def draws(clusters: int, replicates: int, seed: int) -> IntArray:
    """Return the indices of the clusters that each replicate draws with replacement, shape (replicates, clusters).

    Raises:
        ScoringError: there is no cluster, or fewer than two replicates.
    """
    if clusters < 1:
        raise ScoringError("bootstrap: 0 clusters; give at least one response")
    if replicates < 2:
        raise ScoringError(f"bootstrap: {replicates} replicates; give at least 2 (1,000 for published intervals)")
    return np.random.default_rng(seed).integers(clusters, size=(replicates, clusters))


def resample(clusters: int, replicates: int, seed: int) -> FloatArray:
    """Return how often each replicate draws each cluster, shape (replicates, clusters); rows sum to `clusters`."""
    drawn = draws(clusters, replicates, seed)
    drawn += np.arange(replicates)[:, None] * clusters
    counts = np.bincount(drawn.ravel(), minlength=replicates * clusters)
    return counts.reshape(replicates, clusters).astype(np.float64)


def evaluate(cluster_sums: FloatArray, statistic: Statistic, weights: FloatArray) -> Resampled:
    """Return statistics on all clusters, in each replicate, and with one cluster left out at a time.

    `cluster_sums` has shape (sums, slices, clusters). `weights` has shape (replicates, clusters).
    """
    totals = cluster_sums.sum(axis=-1)
    sums, slices, clusters = cluster_sums.shape
    flat = cluster_sums.reshape(sums * slices, clusters)  # one product: stacked ones were measured 8 times slower
    return Resampled(
        value=statistic(totals),
        replicates=statistic((flat @ weights.T).reshape(sums, slices, len(weights))),
        leave_one_out=statistic(totals[..., None] - cluster_sums),
    )
