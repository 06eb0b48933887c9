"""Choice of the penalty of a fit by cross-validation over prompts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from demur.scoring.comparisons import ComparisonData, pairs_of
from demur.scoring.errors import ScoringError
from demur.scoring.hinge import one_thread, solve
from demur.scoring.ranking import hinges, ordering_errors, split_prompts
from demur.scoring.weights import FitOptions, RewardConstraints, hinge_problem

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
