"""The two-parameter logistic model with items drawn from a population, and its likelihood by quadrature.

A respondent of ability t gets an item of difficulty b and discrimination a right with probability
1 / (1 + exp(-a (t - b))). Difficulties are normal about 0, discriminations lognormal about 1: this sets the scale, so
that ability 0 gets half of the round's items of median difficulty. Abilities and both spreads are estimated with
items integrated out, so that four respondents do, and the abilities' errors include which items were drawn.

Source: Birnbaum 1968 (the model); De Boeck 2008 (items as random effects); Bock and Aitkin 1981 (marginal likelihood).
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import expit

from demur.scoring.bootstrap import FloatArray
from demur.scoring.irt.patterns import Patterns

ABILITY_SPREAD: Final = 3.0
DIFFICULTY_SPREAD: Final = (1.2, 0.6)
DISCRIMINATION_SPREAD: Final = (0.4, 0.4)
"""Priors: standard deviation of abilities; median of a spread over items, and standard deviation of its logarithm."""

_WIDEST: Final = 4.0
_DIFFICULTIES = np.linspace(-_WIDEST, _WIDEST, 41)
_DISCRIMINATIONS = np.linspace(-3.0, 3.0, 11)


def normal_weights(nodes: FloatArray) -> FloatArray:
    """Return weights of evenly spaced nodes that stand for the standard normal distribution."""
    density = np.exp(-(nodes**2) / 2.0)
    return np.asarray(density / density.sum())


HARDER: Final = np.repeat(_DIFFICULTIES, len(_DISCRIMINATIONS))
"""Standardised difficulty at each node of the quadrature."""
STEEPER: Final = np.tile(_DISCRIMINATIONS, len(_DIFFICULTIES))
"""Standardised logarithm of the discrimination at each node."""
WEIGHTS: Final = np.outer(normal_weights(_DIFFICULTIES), normal_weights(_DISCRIMINATIONS)).ravel()
SHAPE: Final = (len(_DIFFICULTIES), len(_DISCRIMINATIONS))


@dataclass(frozen=True, slots=True, eq=False)
class Parameters:
    """Abilities, and the spreads of difficulties and of logarithms of discriminations over items."""

    abilities: FloatArray
    difficulty_spread: float
    discrimination_spread: float

    @classmethod
    def of(cls, vector: FloatArray) -> "Parameters":
        """Read the vector that is optimised: abilities, then the logarithms of both spreads."""
        return cls(vector[:-2], float(np.exp(vector[-2])), float(np.exp(vector[-1])))

    @property
    def slopes(self) -> FloatArray:
        """Discrimination at each node."""
        return np.asarray(np.exp(self.discrimination_spread * STEEPER))

    def logits(self, abilities: FloatArray) -> FloatArray:
        """Return log odds of a right response, shape (abilities, nodes)."""
        return np.asarray(self.slopes * (abilities[:, None] - self.difficulty_spread * HARDER))


def likelihoods(patterns: Patterns, at: Parameters, *, reversed_items: bool = False) -> FloatArray:
    """Return the log likelihood of each pattern at each node, shape (patterns, nodes).

    `reversed_items` has abler respondents get items wrong more often.
    """
    logits = at.logits(at.abilities)
    if reversed_items:
        logits = -logits
    return np.asarray(patterns.right @ logits - patterns.trials @ np.logaddexp(0.0, logits))


def marginal(patterns: Patterns, at: Parameters, *, reversed_items: bool = False) -> tuple[FloatArray, FloatArray]:
    """Return each pattern's log likelihood with the item integrated out, and the posterior weights of the nodes."""
    found = likelihoods(patterns, at, reversed_items=reversed_items)
    highest = found.max(axis=1, keepdims=True)
    weights = np.exp(found - highest) * WEIGHTS
    total = weights.sum(axis=1, keepdims=True)
    return (highest + np.log(total))[:, 0], weights / total


def penalised(patterns: Patterns, vector: FloatArray) -> tuple[float, FloatArray]:
    """Return the negative penalised log likelihood and its gradient."""
    value, scores = scored(patterns, vector)
    centre, precision = prior(len(vector))
    off = vector - centre
    copies = patterns.copies
    return float(-(copies @ value) + (precision * off**2).sum() / 2.0), precision * off - copies @ scores


def prior(parameters: int) -> tuple[FloatArray, FloatArray]:
    """Return centre and precision of the prior of the vector that is optimised."""
    spreads = (DIFFICULTY_SPREAD, DISCRIMINATION_SPREAD)
    centre = np.concatenate([np.zeros(parameters - 2), np.log([median for median, _ in spreads])])
    deviation = np.concatenate([np.full(parameters - 2, ABILITY_SPREAD), [wide for _, wide in spreads]])
    return centre, 1.0 / deviation**2


def scored(patterns: Patterns, vector: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return each pattern's log likelihood and its derivatives by the parameters, shape (patterns, parameters)."""
    at = Parameters.of(vector)
    value, weights = marginal(patterns, at)
    logits = at.logits(at.abilities)
    expected = expit(logits)
    moves = (
        (np.ones_like(logits) * at.slopes),
        (np.ones_like(logits) * at.slopes * (-at.difficulty_spread * HARDER)),
        logits * at.discrimination_spread * STEEPER,
    )
    by_ability, by_difficulty, by_discrimination = (
        patterns.right * (weights @ move.T) - patterns.trials * (weights @ (move * expected).T) for move in moves
    )
    return value, np.column_stack([by_ability, by_difficulty.sum(axis=1), by_discrimination.sum(axis=1)])
