"""Performance of a fit on unseen prompts: cross-validation over prompts, every prompt left out once."""

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
    """The evaluation of unseen prompts, and the objective there: mean hinge plus the folds' mean penalty.

    All comparisons are within a prompt, whose completions are rewarded by the same weights. `gap` is the largest of the
    folds' fits, `rules` the reward by rules of each completion under the weights that have not seen its prompt.
    """

    folds: int
    objective: float
    gap: float
    evaluation: Evaluation
    rules: NDArray[np.float64]


def cross_validate(completions: ComparisonData, reward: RewardConstraints, options: FitOptions, folds: int) -> HeldOut:
    """Return the performance on each fold of fits to all other folds; replicates of `options` play no part.

    Raises:
        ScoringError: there are fewer prompts than folds or fewer than two folds, or the prompts of all other folds have
            no ordered completions.
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
