"""Performance of a fit on held-out prompts by cross-validation over prompts."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from demur.scoring.comparisons import ComparisonData, pairs_of
from demur.scoring.errors import ScoringError
from demur.scoring.hinge import one_thread, solve
from demur.scoring.ranking import Evaluation, evaluate_rewards, hinges, split_prompts
from demur.scoring.weights import FitOptions, RewardConstraints, hinge_problem


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
