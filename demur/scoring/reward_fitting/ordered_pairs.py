"""Ordered pairs of completions of one prompt, and the accuracy of rewards in ordering them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from demur.scoring import ScoringError

# Ordered pairs of completions of one prompt.
#
# Each completion has a label. A partial order of labels says which label of two is better. Arrays of completions have
# one row per completion. Arrays of pairs contain row numbers of completions.


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Order = Collection[tuple[str, str]]
"""Pairs (better label, worse label), including pairs that follow by transitivity."""

MAX_PAIRS = 100_000_000


@dataclass(frozen=True, slots=True)
class ComparisonData:
    """Completions of one behaviour: features, base rewards, and the prompt and label of each.

    `prompts` has the index of each completion's prompt in `prompt_ids`.
    """

    feature_names: tuple[str, ...]
    features: Floats
    base: Floats
    prompts: Ints
    prompt_ids: NDArray[np.str_]
    labels: NDArray[np.str_]

    @classmethod
    def of(
        cls,
        feature_names: tuple[str, ...],
        features: ArrayLike,
        prompts: ArrayLike,
        labels: ArrayLike,
        base: ArrayLike | None = None,
    ) -> Self:
        """Return completions from features (completions, features), prompt ids, labels and base rewards (default 0).

        Raises:
            ScoringError: lengths differ, or a feature or base reward is not a finite number.
        """
        x = np.asarray(features, dtype=np.float64)
        ids, codes = np.unique(np.asarray(prompts).astype(np.str_), return_inverse=True)
        names = np.asarray(labels).astype(np.str_)
        rewards = np.zeros(len(x)) if base is None else np.asarray(base, dtype=np.float64)
        if x.ndim != 2 or x.shape != (len(codes), len(feature_names)) or not len(x) == len(names) == len(rewards):
            raise ScoringError(
                f"features {x.shape}, {len(feature_names)} feature names, {len(codes)} prompts, {len(names)} labels, "
                f"{len(rewards)} base rewards do not fit. Give one row of features, a prompt and a label per completion"
            )
        for what, values in (("features", x), ("base rewards", rewards)):
            if not np.isfinite(values).all():
                row = int(np.argwhere(~np.isfinite(values))[0][0])
                raise ScoringError(
                    f"{what} of completion {row} are not finite. Grade this completion again, or leave it out"
                )
        return cls(tuple(feature_names), x, rewards, codes.astype(np.int64), ids, names)

    def __len__(self) -> int:
        return len(self.base)

    def of_prompts(self, chosen: NDArray[np.bool_]) -> Self:
        """Return the completions of the prompts that are True in `chosen`, shape (prompts,)."""
        keep = chosen[self.prompts]
        return type(self).of(
            self.feature_names,
            self.features[keep],
            self.prompt_ids[self.prompts[keep]],
            self.labels[keep],
            self.base[keep],
        )


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of completions of one prompt, with one element per pair.

    `better` and `worse` have row numbers of completions. `margin` has the required leads of the better completions.
    `prompt` has indices of prompts.
    """

    better: Ints
    worse: Ints
    margin: Floats
    prompt: Ints

    def __len__(self) -> int:
        return len(self.better)

    def where(self, chosen: NDArray[np.bool_]) -> Self:
        """Return the pairs that are True in `chosen`."""
        return type(self)(self.better[chosen], self.worse[chosen], self.margin[chosen], self.prompt[chosen])


def pairs_of(
    completions: ComparisonData, order: Order, margin: float, margins: Mapping[tuple[str, str], float] | None = None
) -> Pairs:
    """Return all pairs of completions of one prompt with ordered labels.

    Args:
        completions: the completions of one behaviour.
        order: pairs (better label, worse label).
        margin: required lead of the better completion.
        margins: exceptions from `margin`: (better label, worse label) -> margin.

    Raises:
        ScoringError: a label is in no pair of `order`, a margin is for an unordered pair, or there are too many pairs.
    """
    known = {label for pair in order for label in pair}
    if unknown := sorted(set(completions.labels.tolist()) - known):
        raise ScoringError(
            f"labels {', '.join(unknown)} are in no comparison; known labels: {', '.join(sorted(known))}"
        )
    if strangers := [" > ".join(pair) for pair in margins or {} if pair not in order]:
        raise ScoringError(
            f"margins are given for {', '.join(strangers)}, but the order has no such pairs. Remove these margins"
        )
    crosses = {pair: _cross(completions, *pair) for pair in sorted(order)}
    total = sum(int(cross.per_prompt.sum()) for cross in crosses.values())
    if total > MAX_PAIRS:
        raise ScoringError(
            f"there are {total:,} pairs; at most {MAX_PAIRS:,} are allowed. Sample completions per prompt"
        )
    rows = [cross.rows() for cross in crosses.values()]
    better = np.concatenate([np.empty(0, np.int64), *(first for first, _ in rows)])
    worse = np.concatenate([np.empty(0, np.int64), *(second for _, second in rows)])
    asked = np.array([(margins or {}).get(pair, margin) for pair in crosses], dtype=np.float64)
    return Pairs(better, worse, np.repeat(asked, [len(first) for first, _ in rows]), completions.prompts[better])


@dataclass(frozen=True, slots=True)
class _Cross:
    """The completions with one of two labels.

    `better` has the row numbers of completions with the better label, sorted by prompt; `worse` has those with the
    worse label. `better_counts` and `worse_counts` have the number of such completions per prompt, shape (prompts,).
    """

    better: Ints
    worse: Ints
    better_counts: Ints
    worse_counts: Ints

    @property
    def per_prompt(self) -> Ints:
        return self.better_counts * self.worse_counts

    def rows(self) -> tuple[Ints, Ints]:
        """Return the rows of all pairs: within each prompt, each better row with each worse row."""
        sizes = self.per_prompt
        prompt = np.repeat(np.arange(len(sizes)), sizes)
        first_pair = np.cumsum(sizes) - sizes
        within = np.arange(len(prompt)) - first_pair[prompt]  # number of the pair within its prompt
        better_at, worse_at = np.divmod(within, self.worse_counts[prompt])
        first_better = np.cumsum(self.better_counts) - self.better_counts
        first_worse = np.cumsum(self.worse_counts) - self.worse_counts
        return self.better[first_better[prompt] + better_at], self.worse[first_worse[prompt] + worse_at]


def _cross(completions: ComparisonData, better: str, worse: str) -> _Cross:
    rows = [np.flatnonzero(completions.labels == label) for label in (better, worse)]
    ordered = [part[np.argsort(completions.prompts[part], kind="stable")] for part in rows]
    counts = [np.bincount(completions.prompts[part], minlength=len(completions.prompt_ids)) for part in rows]
    return _Cross(ordered[0], ordered[1], counts[0], counts[1])


# Accuracy of rewards in ordering the completions of a prompt, and random splits of prompts.
#
# A pair with equal rewards adds half an error, since a random order of the two is wrong half of the time.


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
    # No part stays empty: at least one prompt for each part up to this one, and one is left for each later part.
    later_parts = np.arange(len(shares))[::-1]
    ends = np.maximum(ends, np.arange(1, len(shares) + 1))
    ends = np.minimum(ends, prompts - later_parts)
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
    if not eligible.any():
        return Ranking(error, None)
    # Of completions that share the highest reward, each would be first equally often.
    share_ideal = ideal_firsts[eligible] / firsts[eligible]
    return Ranking(error, float(share_ideal.mean()))
