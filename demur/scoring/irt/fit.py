"""Abilities and spreads that fit, with a certificate and with errors that are clustered by source question."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import logit, stdtrit

from demur.scoring.bootstrap import FloatArray
from demur.scoring.errors import ScoringError
from demur.scoring.intervals import LEVEL
from demur.scoring.irt.likelihood import Parameters, penalised, prior, scored
from demur.scoring.irt.patterns import Patterns

GRADIENT: Final = 1e-4
"""The largest slope of the objective, in log likelihood per unit of any parameter, at which a fit is certified."""
_STEP: Final = 1e-4
_POLISHES: Final = 20


@dataclass(frozen=True, slots=True, eq=False)
class ItemResponseFit:
    """What fits best, with its covariance; abilities come first, then logarithms of the spreads.

    `gradient` is the largest slope left, `curvature` the smallest eigenvalue of the objective's Hessian: a fit is
    certified as a local maximum where the first is below GRADIENT and the second above 0.
    """

    patterns: Patterns
    vector: FloatArray
    covariance: FloatArray
    log_likelihood: float
    gradient: float
    curvature: float

    @property
    def at(self) -> Parameters:
        """Abilities and spreads."""
        return Parameters.of(self.vector)

    @property
    def is_certified(self) -> bool:
        """Whether this is a maximum."""
        return self.gradient < GRADIENT and self.curvature > 0.0

    def draws(self, number: int, seed: int) -> FloatArray:
        """Return vectors of parameters as uncertain as the fit is, shape (number, parameters), in pairs about it."""
        half = np.random.default_rng(seed).standard_normal((number // 2, len(self.vector)))
        off = np.concatenate([half, -half]) @ np.linalg.cholesky(self.covariance).T
        return np.asarray(self.vector + off)

    def ability_intervals(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return standard errors and ends of the abilities' intervals: t with source questions - 1 degrees."""
        se = np.sqrt(np.diag(self.covariance)[:-2])
        times = float(stdtrit(max(self.patterns.clusters - 1, 1), (1.0 + LEVEL) / 2.0))
        return se, self.at.abilities - times * se, self.at.abilities + times * se


def fit(patterns: Patterns) -> ItemResponseFit:
    """Return the fit to all patterns.

    Raises:
        ScoringError: there are fewer than two respondents or source questions, so that nothing tells items apart.
    """
    if len(patterns.respondents) < 2 or patterns.clusters < 2:
        raise ScoringError(
            f"item response theory: {len(patterns.respondents)} respondents, {patterns.clusters} source questions; "
            "give at least 2 of each"
        )
    from scipy.optimize import minimize  # half a second

    start = _start(patterns)
    found = minimize(lambda vector: penalised(patterns, vector), start, jac=True, method="BFGS", options={"gtol": 1e-3})
    vector, hessian = _polished(patterns, np.asarray(found.x))
    value, slope = penalised(patterns, vector)
    eigenvalues = np.linalg.eigvalsh(hessian)
    covariance = _covariance(patterns, vector, hessian)
    return ItemResponseFit(patterns, vector, covariance, -value, float(np.abs(slope).max()), float(eigenvalues.min()))


def _start(patterns: Patterns) -> FloatArray:
    copies = patterns.copies
    right = copies @ patterns.right
    trials = copies @ patterns.trials
    centre, _ = prior(len(right) + 2)
    return np.concatenate([1.3 * logit((right + 0.5) / (trials + 1.0)), centre[-2:]])


def _polished(patterns: Patterns, vector: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Take Newton's steps until the slope is gone; return where they end and the Hessian there."""
    hessian = _hessian(patterns, vector)
    for _ in range(_POLISHES):
        value, slope = penalised(patterns, vector)
        if np.abs(slope).max() < GRADIENT / 10.0:
            break
        eigenvalues, axes = np.linalg.eigh(hessian)
        step = axes @ ((axes.T @ slope) / np.maximum(np.abs(eigenvalues), 1e-3))
        scale = 1.0
        while penalised(patterns, vector - scale * step)[0] > value and scale > 1e-6:
            scale /= 2.0
        vector = vector - scale * step
        hessian = _hessian(patterns, vector)
    return vector, hessian


def _hessian(patterns: Patterns, vector: FloatArray) -> FloatArray:
    """Return the objective's second derivatives, as central differences of its slope."""
    steps = np.eye(len(vector)) * _STEP
    rows = [penalised(patterns, vector + step)[1] - penalised(patterns, vector - step)[1] for step in steps]
    found = np.array(rows) / (2.0 * _STEP)
    return np.asarray((found + found.T) / 2.0)


def _covariance(patterns: Patterns, vector: FloatArray, hessian: FloatArray) -> FloatArray:
    """Return the sandwich over source questions, with the prior's share as it stands.

    Where items of a source question are no more alike than others it is the inverse of the Hessian.
    """
    _, scores = scored(patterns, vector)
    by_cluster = np.zeros((patterns.clusters, len(vector)))
    np.add.at(by_cluster, patterns.cluster, scores[patterns.pattern])
    centred = by_cluster - by_cluster.mean(axis=0)
    _, precision = prior(len(vector))
    spread = centred.T @ centred * patterns.clusters / (patterns.clusters - 1) + np.diag(precision)
    eigenvalues, axes = np.linalg.eigh(hessian)
    inverse = axes @ np.diag(1.0 / np.maximum(eigenvalues, 1e-6)) @ axes.T
    return np.asarray(inverse @ spread @ inverse)
