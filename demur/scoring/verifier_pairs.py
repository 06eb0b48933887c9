"""Agreement of every pair of verifiers: Cohen's kappa with its clustered interval."""

from itertools import combinations

import numpy as np

from demur.scoring.agreement import CONSTANT, kappa_of_table
from demur.scoring.bootstrap import FloatArray, IntArray
from demur.scoring.estimates import Estimate, EstimateBasis, bootstrap
from demur.scoring.intervals import AGREEMENT
from demur.scoring.verdicts import MatchedVerdicts


def pairwise_kappa(matched: MatchedVerdicts, cluster: IntArray, weights: FloatArray) -> dict[tuple[str, str], Estimate]:
    """Return kappa of every pair of verifiers over all matched instances."""
    pairs = list(combinations(range(len(matched.verifiers)), 2))
    if not pairs:
        return {}
    clusters = weights.shape[1]
    tables = np.zeros((4, len(pairs), clusters))
    for at, (first, second) in enumerate(pairs):
        cell = 2 * matched.passed[:, first].astype(np.int64) + matched.passed[:, second].astype(np.int64)
        tables[:, at] = np.bincount(cell * clusters + cluster, minlength=4 * clusters).reshape(4, clusters)
    support = EstimateBasis(
        n=np.full((1, len(pairs)), len(matched.passed)),
        sources=np.full((1, len(pairs)), clusters),
        reasons=[[_constant(matched, pair) for pair in pairs]],
        spans=[AGREEMENT],
    )
    names = [(matched.verifiers[first], matched.verifiers[second]) for first, second in pairs]
    found = bootstrap(tables, lambda sums: kappa_of_table(sums.reshape(2, 2, *sums.shape[1:]))[None], weights, support)
    return dict(zip(names, found[0], strict=True))


def _constant(matched: MatchedVerdicts, pair: tuple[int, int]) -> str:
    for at in pair:
        if len(np.unique(matched.passed[:, at])) < 2:
            return f"{matched.verifiers[at]} gives one verdict only"
    return CONSTANT
