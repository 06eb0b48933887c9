"""Cross-validation over prompts: performance of a fit on held-out prompts, and choice of its penalty."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from demur.scoring import ScoringError
from demur.scoring.reward_fitting.ordered_pairs import (
    ComparisonData,
    Evaluation,
    evaluate_rewards,
    hinges,
    ordering_errors,
    pairs_of,
    split_prompts,
)
from demur.scoring.reward_fitting.weights import FitOptions, RewardConstraints, hinge_problem, one_thread, solve

# Choice of the penalty of a fit by cross-validation over prompts.


GRID = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003, 0.0001)
"""Default penalties, largest first."""

LARGER = (3.0, 10.0, 30.0, 100.0)
SMALLER = (0.00003, 0.00001, 0.000003, 0.000001)
"""Further penalties, tried in turn while the best penalty is at this edge of GRID."""


@dataclass(frozen=True, slots=True)
class L2Score:
    """Performance of a penalty on held-out prompts, over all pairs of completions of these prompts."""

    l2: float
    hinge_loss: float
    pairwise_error: float


@dataclass(frozen=True, slots=True)
class L2Choice:
    """The penalty with the lowest mean hinge on held-out prompts, and the scores of all tried penalties."""

    l2: float
    tried: tuple[L2Score, ...]

    @property
    def remark(self) -> str | None:
        """Warning if the best penalty is the largest or the smallest of the tried penalties; None otherwise."""
        if len(self.tried) > 1 and self.l2 == self.tried[0].l2:
            return f"l2 {self.l2:g} is the largest that was tried: weights near 0 predict unseen prompts best"
        if len(self.tried) > 1 and self.l2 == self.tried[-1].l2:
            return f"l2 {self.l2:g} is the smallest that was tried: a smaller one may predict unseen prompts better"
        return None


def choose_l2(
    completions: ComparisonData,
    reward: RewardConstraints,
    options: FitOptions,
    folds: int,
    grid: Sequence[float] | None = None,
) -> L2Choice:
    """Return the penalty with the lowest mean hinge on held-out prompts; the largest of several equally good penalties.

    `options.l2` and `options.replicates` are ignored. Without a `grid`, the penalties of GRID are tried. While the best
    penalty is the largest or the smallest of the tried ones, further penalties beyond it are tried.

    Raises:
        ScoringError: there are fewer prompts than folds or fewer than two folds, the grid is empty, or a fold's
            training prompts have no ordered completions.
    """
    penalties = sorted(GRID if grid is None else grid, reverse=True)
    if folds < 2 or not penalties:
        raise ScoringError(f"{folds} folds over {len(penalties)} penalties: give at least 2 folds and 1 penalty")
    with one_thread():
        tried = _scores(completions, reward, options, folds, penalties)
        for beyond, edge in ((LARGER, 0), (SMALLER, -1)) if grid is None else ():
            for l2 in beyond:
                if _best(tried) != tried[edge]:
                    break
                found = _scores(completions, reward, options, folds, [l2])
                tried = [*found, *tried] if edge == 0 else [*tried, *found]
    return L2Choice(_best(tried).l2, tuple(tried))


def _best(tried: Sequence[L2Score]) -> L2Score:
    return min(tried, key=lambda score: (score.hinge_loss, -score.l2))


def _scores(
    completions: ComparisonData, reward: RewardConstraints, options: FitOptions, folds: int, penalties: Sequence[float]
) -> list[L2Score]:
    """Return the performance of each penalty by cross-validation, in the order of `penalties`."""
    part = split_prompts(len(completions.prompt_ids), [1 / folds] * folds, options.seed)
    hinge = np.zeros(len(penalties))
    errors = np.zeros(len(penalties))
    count = 0
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
    return [L2Score(l2, float(h / count), float(e / count)) for l2, h, e in zip(penalties, hinge, errors, strict=True)]


# Performance of a fit on held-out prompts by cross-validation over prompts.


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Result of a cross-validation.

    `objective` is the mean hinge on held-out prompts plus the mean penalty of the folds. `gap` is the largest
    relative duality gap among the folds' fits. `rules` has each completion's reward by rules, under weights fitted
    without the completion's prompt.
    """

    folds: int
    objective: float
    gap: float
    evaluation: Evaluation
    rules: NDArray[np.float64]


def cross_validate(completions: ComparisonData, reward: RewardConstraints, options: FitOptions, folds: int) -> HeldOut:
    """Return the performance on held-out prompts.

    The completions of each fold are scored with weights that were fitted to all other folds. `options.replicates` is
    ignored.

    Raises:
        ScoringError: there are fewer prompts than folds, fewer than two folds, or no ordered completions in the other
            folds.
    """
    if folds < 2:
        raise ScoringError(f"{folds} folds: give at least 2")
    part = split_prompts(len(completions.prompt_ids), [1 / folds] * folds, options.seed)
    pairs = pairs_of(completions, reward.order, options.margin, options.margins)
    rules = np.zeros(len(completions))
    penalty = 0.0
    gap = 0.0
    with one_thread():
        whole = solve(hinge_problem(completions, pairs, reward, options.l2)).weights
        for fold in range(folds):
            unseen = part[pairs.prompt] == fold
            problem = hinge_problem(completions, pairs.where(~unseen), reward, options.l2)
            solution = solve(problem, start=whole)
            weights = solution.weights
            gap = max(gap, solution.gap)
            rows = part[completions.prompts] == fold
            rules[rows] = completions.features[rows] @ weights
            penalty += float(unseen.mean()) * options.l2 / 2 * float(weights @ weights)
    loss = float(hinges(pairs, completions.base + rules).mean())
    evaluation = evaluate_rewards(completions, pairs, reward.order, rules)
    return HeldOut(folds, loss + penalty, gap, evaluation, rules)
