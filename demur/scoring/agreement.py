"""Agreement beyond chance: Cohen's kappa, Fleiss' kappa, Krippendorff's alpha.

Cohen's kappa is for two raters. Fleiss' kappa needs the same number of ratings for every unit. Each coefficient is
computed from sums over units. A bootstrap replicate thus needs only the sums of the units that it draws. A coefficient
is NaN if the ratings do not vary.

Each coefficient is (observed - expected) / (1 - expected), with the observed agreement and the agreement by chance.
Functions of sums return coefficient, observed and expected agreement, shape (3, ...). The interval of the coefficient
is at least as wide as that of the observed agreement with the expected agreement as a known number (Cohen 1960), so
agreement without exception does not count as certain.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd

from demur.scoring.bootstrap import BoolArray, FloatArray, IntArray, Statistic, resample
from demur.scoring.composites import Composite
from demur.scoring.counts import ratio
from demur.scoring.errors import ScoringError
from demur.scoring.estimates import Estimate, EstimateBasis, bootstrap
from demur.scoring.intervals import AGREEMENT, ERROR, SHARE
from demur.scoring.slices import cluster_codes

Labels = Sequence[object] | FloatArray
CONSTANT = "no variation: chance agreement is 1"


def rating_counts(ratings: pd.DataFrame) -> FloatArray:
    """Return the number of ratings per unit and category, shape (units, categories).

    `ratings` has one row per unit and one column per rater. Nulls are missing ratings. Categories are sorted by their
    text.
    """
    values = ratings.astype(object).to_numpy()
    known = ratings.notna().to_numpy()
    categories = sorted({str(value) for value in values[known]})
    text = np.where(known, values.astype(str), "")
    return np.stack([((text == category) & known).sum(axis=1) for category in categories], axis=1).astype(np.float64)


def kappa_of_table(table: FloatArray) -> FloatArray:
    """Return Cohen's kappa of each contingency table; undefined if one of the raters used only one category.

    `table` has shape (categories, categories, ...). The further axes number the tables. Source: Cohen 1960.
    """
    rows = table.sum(axis=1)
    columns = table.sum(axis=0)
    total = table.sum(axis=(0, 1))
    observed = ratio(np.einsum("cc...->...", table), total)
    expected = ratio((rows * columns).sum(axis=0), total**2)
    constant = ((rows > 0).sum(axis=0) < 2) | ((columns > 0).sum(axis=0) < 2)
    return _beyond_chance(observed, expected, constant)


def _beyond_chance(observed: FloatArray, expected: FloatArray, constant: BoolArray) -> FloatArray:
    coefficient = np.where(constant, np.nan, _corrected(np.stack([observed, expected])))
    return np.stack([coefficient, observed, expected])


def _corrected(parts: FloatArray) -> FloatArray:
    observed, expected = parts
    return ratio(observed - expected, 1.0 - expected)


_SPANS: Final = (replace(AGREEMENT, composite=Composite((1, 2), _corrected, fixed=1)), SHARE, ERROR)
"""Bounds of coefficient, observed and expected agreement."""


def coefficient_estimates(
    sums: FloatArray, of_sums: Statistic, units: int, weights: FloatArray, undefined: Sequence[str] = (CONSTANT,)
) -> list[Estimate]:
    """Return a coefficient of each table with its interval.

    `sums` has shape (sums, tables, clusters). `undefined` has the reason for each table without a coefficient.
    """
    _, tables, clusters = sums.shape
    support = EstimateBasis(
        n=np.full((3, tables), units),
        sources=np.full((3, tables), clusters),
        reasons=[list(undefined)] * 3,
        spans=_SPANS,
    )
    return bootstrap(sums, of_sums, weights, support)[0]


def fleiss_terms(counts: FloatArray) -> FloatArray:
    """Return each unit's terms for Fleiss' kappa, shape (terms, units).

    The terms are the constant 1, the unit's agreement, and the unit's number of ratings in each category.

    Raises:
        ScoringError: units have different numbers of ratings, or fewer than two.
    """
    raters = counts.sum(axis=1)
    if len(counts) and (raters.min() != raters.max() or raters.min() < 2):
        raise ScoringError(
            f"fleiss: units have {raters.min():.0f} to {raters.max():.0f} ratings; every unit needs the same number, "
            "at least 2 (Krippendorff's alpha allows gaps)"
        )
    agreement = (counts * (counts - 1.0)).sum(axis=1) / np.maximum(raters * (raters - 1.0), 1.0)
    return np.concatenate([np.ones((1, len(counts))), agreement[None], counts.T])


def fleiss_of_sums(sums: FloatArray) -> FloatArray:
    """Return Fleiss' kappa from terms summed over units; `sums` has shape (terms, ...). Source: Fleiss 1971."""
    units = sums[0]
    agreement = sums[1]
    ratings = sums[2:]
    expected = (ratio(ratings, ratings.sum(axis=0)) ** 2).sum(axis=0)
    return _beyond_chance(ratio(agreement, units), expected, (ratings > 0).sum(axis=0) < 2)


def alpha_terms(counts: FloatArray) -> FloatArray:
    """Return each unit's terms for nominal alpha, shape (terms, units).

    The first term is the number of disagreeing pairs, in both orders, divided by (number of ratings - 1). The other
    terms are the unit's numbers of ratings in each category. All terms of a unit with fewer than two ratings are 0.
    """
    raters = counts.sum(axis=1)
    pairable = np.where(raters >= 2, 1.0, 0.0)[:, None] * counts
    pairs = raters**2 - (counts**2).sum(axis=1)
    disagreement = np.where(raters >= 2, pairs / np.maximum(raters - 1.0, 1.0), 0.0)
    return np.concatenate([disagreement[None], pairable.T])


def alpha_of_sums(sums: FloatArray) -> FloatArray:
    """Return Krippendorff's nominal alpha from terms summed over units. Source: Krippendorff 2011."""
    disagreement = sums[0]
    ratings = sums[1:]
    total = ratings.sum(axis=0)
    by_chance = ratio(total**2 - (ratings**2).sum(axis=0), total * (total - 1.0))
    return _beyond_chance(1.0 - ratio(disagreement, total), 1.0 - by_chance, (ratings > 0).sum(axis=0) < 2)


def krippendorff_alpha(counts: FloatArray) -> float:
    """Return nominal alpha; units with one rating are left out. `counts` has shape (units, categories)."""
    return float(alpha_of_sums(alpha_terms(counts).sum(axis=1))[0])


def agreement_estimate(
    counts: FloatArray, cluster: pd.Series, *, coefficient: str, replicates: int, seed: int
) -> Estimate:
    """Return an agreement coefficient with its clustered interval.

    `coefficient` is "fleiss" (Fleiss' kappa) or "alpha" (Krippendorff's alpha). `counts` has shape (units, categories).
    `cluster` has one element per unit.
    """
    functions: dict[str, tuple[Callable[[FloatArray], FloatArray], Callable[[FloatArray], FloatArray]]] = {
        "fleiss": (fleiss_terms, fleiss_of_sums),
        "alpha": (alpha_terms, alpha_of_sums),
    }
    if coefficient not in functions:
        raise ScoringError(f"agreement: coefficient {coefficient!r} is not one of {', '.join(functions)}")
    terms, of_sums = functions[coefficient]
    codes, clusters = cluster_codes(cluster)
    if not clusters:
        return Estimate(float("nan"), reason="no units")
    by_cluster = [np.bincount(codes, weights=row, minlength=clusters) for row in terms(counts)]
    summed = np.asarray(by_cluster, dtype=np.float64)
    return coefficient_estimates(summed[:, None], of_sums, len(counts), resample(clusters, replicates, seed))[0]


def share_estimate(alike: Sequence[bool], cluster: pd.Series, *, replicates: int, seed: int) -> Estimate:
    """Return the share of units that are True, with its clustered interval."""
    codes, clusters = cluster_codes(cluster)
    rows = np.asarray(alike, dtype=np.float64), np.ones(len(alike))
    sums = np.stack([np.bincount(codes, weights=row, minlength=clusters) for row in rows]).astype(np.float64)
    basis = EstimateBasis.of_one(len(alike), clusters, SHARE, "no units")
    weights = resample(clusters, replicates, seed)
    return bootstrap(sums[:, None], lambda totals: ratio(totals[:1], totals[1:]), weights, basis)[0][0]


def cohen_estimate(
    first: Sequence[str], second: Sequence[str], cluster: pd.Series, *, replicates: int, seed: int
) -> Estimate:
    """Return Cohen's kappa of two raters with its clustered interval; arguments have one element per unit."""
    codes, clusters = cluster_codes(cluster)
    if not clusters:
        return Estimate(float("nan"), reason="no units")
    categories = sorted({*first, *second})
    size = len(categories)
    place = {category: at for at, category in enumerate(categories)}
    cells = np.array([size * place[one] + place[other] for one, other in zip(first, second, strict=True)])
    tables = np.bincount(cells * clusters + codes, minlength=size * size * clusters).reshape(size * size, 1, clusters)
    return cohen_estimates(tables, size, len(cells), resample(clusters, replicates, seed))[0]


def cohen_estimates(
    tables: FloatArray | IntArray,
    categories: int,
    units: int,
    weights: FloatArray,
    undefined: Sequence[str] = (CONSTANT,),
) -> list[Estimate]:
    """Return Cohen's kappa of several pairs of raters, each with its interval.

    `tables` has the cells of each pair's contingency table, shape (categories * categories, pairs, clusters).
    """
    return coefficient_estimates(
        tables.astype(np.float64),
        lambda sums: kappa_of_table(sums.reshape(categories, categories, *sums.shape[1:])),
        units,
        weights,
        undefined,
    )
