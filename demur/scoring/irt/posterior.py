"""Difficulty, discrimination, information and suspicion of items and of groups of items, given a fit.

What is reported is the posterior mean, and its interval has the variance of the posterior within and between draws
of abilities and spreads: an item that four respondents answered keeps nearly the interval of the population.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.sparse import csr_array
from scipy.special import expit, ndtri

from demur.scoring.bootstrap import FloatArray, IntArray
from demur.scoring.intervals import LEVEL
from demur.scoring.irt.fit import ItemResponseFit
from demur.scoring.irt.likelihood import HARDER, SHAPE, STEEPER, Parameters, likelihoods, marginal, normal_weights

DRAWS: Final = 32
ABILITIES: Final = np.arange(-16, 17) / 4.0
"""Where information is told: from -4 to 4."""

_SHARES: Final = (0.1, 0.25, 0.45, 0.7)
"""Shares of the variance over items that may lie between groups, all equally likely beforehand."""
_HARDER = np.linspace(-3.0, 3.0, 17)
_STEEPER = np.linspace(-2.5, 2.5, 9)


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """A quantity of items or groups with the ends of its interval, each of shape (items,) or (groups,)."""

    value: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class EstimatedParameters:
    """Items or groups of them: what is told of each; `information` is per item, at the ability that was asked for.

    `suspicion` is the probability that abler respondents get the item wrong more often, at even odds beforehand.
    """

    difficulty: Located
    discrimination: Located
    information: Located
    suspicion: FloatArray | None = None


def item_parameters(fit: ItemResponseFit, ability: float, *, seed: int) -> EstimatedParameters:
    """Return the parameters of every item, in the order of the fit's items."""
    moments = _Moments()
    for vector in fit.draws(DRAWS, seed):
        at = Parameters.of(vector)
        _, weights = marginal(fit.patterns, at)
        information = information_at(at, np.array([ability]))[0]
        moments.add(weights, at.difficulty_spread * HARDER, at.discrimination_spread * STEEPER, information)
    difficulty, slope, information = moments.located()
    forward, _ = marginal(fit.patterns, fit.at)
    backward, _ = marginal(fit.patterns, fit.at, reversed_items=True)
    each = fit.patterns.pattern
    return EstimatedParameters(
        _taken(difficulty, each),
        _taken(_exponential(slope), each),
        _taken(_positive(information), each),
        np.asarray(expit(backward - forward)[each]),
    )


def information_at(at: Parameters, abilities: FloatArray) -> FloatArray:
    """Return what an item tells of an ability, by ability and node: its discrimination squared times p (1 - p)."""
    right = expit(at.logits(abilities))
    return np.asarray(at.slopes**2 * right * (1.0 - right))


def information_curves(fit: ItemResponseFit, members: Sequence[IntArray]) -> FloatArray:
    """Return the information of each set of items over ABILITIES, shape (sets, abilities)."""
    _, weights = marginal(fit.patterns, fit.at)
    informed = weights @ information_at(fit.at, ABILITIES).T
    return np.array([informed[fit.patterns.pattern[items]].sum(axis=0) for items in members])


def group_parameters(
    fit: ItemResponseFit, group: IntArray, groups: int, ability: float, *, seed: int
) -> EstimatedParameters:
    """Return the parameters of groups of items, such as levers: of the population of items that each stands for.

    `group` numbers each item's group, -1 for none. A group's items vary about its own mean; how much of the variance
    lies between groups is integrated out, so that groups of few items lean on the others as far as those are alike.
    `information` is that of a further item of the group.
    """
    known = group >= 0
    places = group[known], fit.patterns.pattern[known]
    counts = csr_array((np.ones(len(places[0])), places), shape=(groups, len(fit.patterns.right)))
    moments = _Moments()
    for vector in fit.draws(DRAWS // 2, seed):
        at = Parameters.of(vector)
        found = likelihoods(fit.patterns, at)
        highest = found.max(axis=1, keepdims=True)
        likely = np.exp(found - highest).reshape(-1, *SHAPE)
        informed = information_at(at, np.array([ability])).reshape(1, *SHAPE)
        parts = [_given_shares(counts, likely, informed, at, first, second) for first in _SHARES for second in _SHARES]
        evidence = np.array([part[0] for part in parts])
        chances = np.exp(evidence - evidence.max())
        chances /= chances.sum()
        for chance, (_, weights, *values) in zip(chances, parts, strict=True):
            if chance > 1e-4:
                moments.add(weights, *values, chance=float(chance))
    difficulty, slope, information = moments.located()
    return EstimatedParameters(difficulty, _exponential(slope), _positive(information))


def _given_shares(
    counts: csr_array, likely: FloatArray, informed: FloatArray, at: Parameters, harder: float, steeper: float
) -> tuple[float, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return evidence for these shares between groups, the weights of groups' nodes, and three quantities there."""
    kernels = _kernel(SHAPE[0], 4.0, _HARDER, harder), _kernel(SHAPE[1], 3.0, _STEEPER, steeper)

    def spread(over: FloatArray) -> FloatArray:
        return np.asarray(kernels[0].T @ (over @ kernels[1])).reshape(len(over), -1)

    prior = np.outer(normal_weights(_HARDER), normal_weights(_STEEPER)).ravel()
    joint = counts @ np.log(np.maximum(spread(likely), 1e-300))
    highest = joint.max(axis=1, keepdims=True)
    weights = np.exp(joint - highest) * prior
    total = weights.sum(axis=1, keepdims=True)
    nodes = np.repeat(_HARDER, len(_STEEPER)), np.tile(_STEEPER, len(_HARDER))
    return (
        float((highest + np.log(total)).sum()),
        weights / total,
        at.difficulty_spread * np.sqrt(harder) * nodes[0],
        at.discrimination_spread * np.sqrt(steeper) * nodes[1],
        spread(informed)[0],
    )


def _kernel(nodes: int, widest: float, groups: FloatArray, share: float) -> FloatArray:
    """Return how items' nodes are weighted given the group's, shape (nodes, groups); columns add up to 1."""
    off = np.linspace(-widest, widest, nodes)[:, None] - np.sqrt(share) * groups
    density = np.exp(-(off**2) / (2.0 * (1.0 - share)))
    return np.asarray(density / density.sum(axis=0))


class _Moments:
    """Sums over draws of the means and the mean squares of three quantities."""

    def __init__(self) -> None:
        self.first = [np.zeros(()) for _ in range(3)]
        self.second = [np.zeros(()) for _ in range(3)]
        self.total = 0.0

    def add(self, weights: FloatArray, *values: FloatArray, chance: float = 1.0) -> None:
        """Count one draw: posterior weights of nodes, and each quantity at the nodes."""
        self.total += chance
        for at, value in enumerate(values):
            self.first[at] = self.first[at] + chance * (weights @ value)
            self.second[at] = self.second[at] + chance * (weights @ value**2)

    def located(self) -> list[Located]:
        """Return means with normal intervals."""
        times = float(ndtri((1.0 + LEVEL) / 2.0))
        found = []
        for first, second in zip(self.first, self.second, strict=True):
            mean = first / self.total
            half = times * np.sqrt(np.maximum(second / self.total - mean**2, 0.0))
            found.append(Located(mean, mean - half, mean + half))
        return found


def _exponential(of: Located) -> Located:
    return Located(np.exp(of.value), np.exp(of.low), np.exp(of.high))


def _positive(of: Located) -> Located:
    return Located(of.value, np.maximum(of.low, 0.0), of.high)


def _taken(of: Located, each: IntArray) -> Located:
    return Located(of.value[each], of.low[each], of.high[each])
