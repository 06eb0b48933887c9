"""Accuracy of rewards in ordering the completions of a prompt, and random splits of prompts.

A pair with equal rewards adds half an error, since a random order of the two is wrong half of the time.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from demur.scoring.comparisons import ComparisonData, Order, Pairs
from demur.scoring.errors import ScoringError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_DECIMALS = 9  # rewards that agree to this many decimals count as equal (rounding errors)


@dataclass(frozen=True, slots=True)
class Ranking:
    """Accuracy of an ordering of completions by a reward.

    `pairwise_error` is the share of pairs whose worse completion has the higher reward; None without pairs.
    `ideal_first` is about the prompts that have completions with the best label and completions with other labels. It
    is the share of these prompts on which a completion with the best label has the highest reward; None without such
    prompts.
    """

    pairwise_error: float | None
    ideal_first: float | None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Performance of a fit: mean hinge, and rankings by total reward, by base reward alone, and by rules alone."""

    prompts: int
    completions: int
    pairs: int
    ideal_prompts: int
    hinge_loss: float | None
    total: Ranking
    base_only: Ranking
    rules_only: Ranking


def evaluate(completions: ComparisonData, pairs: Pairs, order: Order, weights: Floats) -> Evaluation:
    """Return the performance of weights, shape (features,), on completions and their pairs."""
    return evaluate_rewards(completions, pairs, order, completions.features @ weights)


def evaluate_rewards(completions: ComparisonData, pairs: Pairs, order: Order, rules: Floats) -> Evaluation:
    """Return the performance of rewards by rules, shape (completions,), on completions and their pairs."""
    total = completions.base + rules
    eligible = _ideal_prompts(completions, order)
    by_reward = [_ranking(completions, pairs, order, eligible, reward) for reward in (total, completions.base, rules)]
    return Evaluation(
        prompts=len(completions.prompt_ids),
        completions=len(completions),
        pairs=len(pairs),
        ideal_prompts=int(eligible.sum()),
        hinge_loss=float(hinges(pairs, total).mean()) if len(pairs) else None,
        total=by_reward[0],
        base_only=by_reward[1],
        rules_only=by_reward[2],
    )


def hinges(pairs: Pairs, reward: Floats) -> Floats:
    """Return the hinge of each pair, shape (pairs,): the margin minus the lead of the better completion, at least 0."""
    return np.asarray(np.maximum(pairs.margin - reward[pairs.better] + reward[pairs.worse], 0.0))


def ordering_errors(pairs: Pairs, reward: Floats) -> Floats:
    """Return 1 for each pair in the wrong order, 0.5 for a tie, else 0, shape (pairs,)."""
    rounded = np.round(reward, _DECIMALS)
    return np.asarray((1.0 - np.sign(rounded[pairs.better] - rounded[pairs.worse])) / 2.0)


def split_prompts(prompts: int, shares: Sequence[float], seed: int) -> Ints:
    """Split prompts at random into parts with these shares; return each prompt's part (from 0), shape (prompts,).

    Raises:
        ScoringError: the shares do not sum to 1, or there are fewer prompts than parts.
    """
    if min(shares, default=0.0) <= 0 or abs(sum(shares) - 1.0) > 1e-9:
        raise ScoringError(f"shares {list(shares)} must be positive and sum to 1, as in [0.8, 0.2]")
    if prompts < len(shares):
        raise ScoringError(f"{prompts} prompts cannot be split into {len(shares)} parts. Add prompts")
    ends = np.floor(np.cumsum(shares) * prompts + 0.5).astype(np.int64)
    ends = np.maximum(ends, np.arange(1, len(shares) + 1))  # no part stays empty
    ends = np.minimum(ends, prompts - np.arange(len(shares))[::-1])
    parts = np.searchsorted(ends, np.arange(prompts), side="right")
    return np.random.default_rng(seed).permutation(parts)


def _ideal_prompts(completions: ComparisonData, order: Order) -> NDArray[np.bool_]:
    """Return the prompts that have completions with a best label and also with other labels, shape (prompts,)."""
    ideal = _is_ideal(completions, order)
    count = len(completions.prompt_ids)
    return np.asarray(
        (np.bincount(completions.prompts[ideal], minlength=count) > 0)
        & (np.bincount(completions.prompts[~ideal], minlength=count) > 0)
    )


def _is_ideal(completions: ComparisonData, order: Order) -> NDArray[np.bool_]:
    """Return for each completion whether no label is better than its label, shape (completions,)."""
    best = {better for better, _ in order} - {worse for _, worse in order}
    return np.isin(completions.labels, sorted(best))


def _ranking(
    completions: ComparisonData, pairs: Pairs, order: Order, eligible: NDArray[np.bool_], reward: Floats
) -> Ranking:
    rounded = np.round(reward, _DECIMALS)
    error = float(ordering_errors(pairs, reward).mean()) if len(pairs) else None
    highest = np.full(len(completions.prompt_ids), -np.inf)
    np.maximum.at(highest, completions.prompts, rounded)
    first = rounded == highest[completions.prompts]
    count = len(completions.prompt_ids)
    firsts = np.bincount(completions.prompts[first], minlength=count)
    ideal_firsts = np.bincount(completions.prompts[first & _is_ideal(completions, order)], minlength=count)
    return Ranking(error, float((ideal_firsts[eligible] / firsts[eligible]).mean()) if eligible.any() else None)
