"""The penalty of a fit, chosen by cross-validation over prompts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from demur.scoring.comparisons import Completions, pairs_of
from demur.scoring.errors import ScoringError
from demur.scoring.hinge import one_thread, solve
from demur.scoring.ranking import hinges, ordering_errors, split_prompts
from demur.scoring.weights import FitOptions, Reward, hinge_problem

GRID = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003, 0.0001)
"""Penalties to try where the user names none, largest first."""


@dataclass(frozen=True, slots=True)
class L2Score:
    """What a penalty achieves on prompts that its fits have not seen, over all their pairs."""

    l2: float
    hinge_loss: float
    pairwise_error: float


@dataclass(frozen=True, slots=True)
class L2Choice:
    """The penalty with the lowest mean hinge on unseen prompts, the larger of equals, and all that were tried."""

    l2: float
    tried: tuple[L2Score, ...]


def choose_l2(
    completions: Completions, reward: Reward, options: FitOptions, folds: int, grid: Sequence[float] = GRID
) -> L2Choice:
    """Return the penalty that predicts best on unseen prompts; `options.l2` and its replicates play no part.

    Raises:
        ScoringError: there are fewer prompts than folds or fewer than two folds, the grid is empty, or a fold's
            training prompts have no ordered completions.
    """
    if folds < 2 or not grid:
        raise ScoringError(f"{folds} folds over {len(grid)} penalties: give at least 2 folds and 1 penalty")
    with one_thread():
        return _choose(completions, reward, options, folds, grid)


def _choose(
    completions: Completions, reward: Reward, options: FitOptions, folds: int, grid: Sequence[float]
) -> L2Choice:
    penalties = sorted(grid, reverse=True)
    part = split_prompts(len(completions.prompt_ids), [1 / folds] * folds, options.seed)
    hinge, errors, count = np.zeros(len(penalties)), np.zeros(len(penalties)), 0
    pairs = pairs_of(completions, reward.order, options.margin, options.margins)
    for fold in range(folds):
        unseen = part[pairs.prompt] == fold
        training = hinge_problem(completions, pairs.where(~unseen), reward, penalties[0])
        testing = pairs.where(unseen)
        weights = None
        for number, l2 in enumerate(penalties):
            weights = solve(replace(training, l2=l2), start=weights).weights
            total = completions.base + completions.features @ weights
            hinge[number] += hinges(testing, total).sum()
            errors[number] += ordering_errors(testing, total).sum()
        count += len(testing)
    tried = tuple(
        L2Score(l2, float(h / count), float(e / count)) for l2, h, e in zip(penalties, hinge, errors, strict=True)
    )
    return L2Choice(min(tried, key=lambda score: (score.hinge_loss, -score.l2)).l2, tried)
