"""Weights of a rule-based reward, R_total = R_base + sum_i w_i x_i, fitted to ordered completions of one behaviour.

Source: "Rule Based Rewards for Language Model Safety" (Mu et al., NeurIPS 2024), weight fitting. Two things differ from
the published fitter: the penalised problem is solved to its optimum, and prompts (not pairs) are resampled and held
out.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from demur.levers.policy_models import Policy
from demur.scoring.bootstrap import resample
from demur.scoring.comparisons import ComparisonData, Order, Pairs, pairs_of
from demur.scoring.errors import ScoringError
from demur.scoring.hinge import HingeProblem, one_thread, solve
from demur.scoring.intervals import LEVEL
from demur.scoring.ranking import Evaluation, evaluate

Floats = NDArray[np.float64]

REFIT_GAP = 1e-4
"""Largest relative duality gap of a bootstrap refit; the spread between refits is much larger."""

SUM_TOLERANCE = 1e-6
"""Largest deviation of a sum of class features from 1, for features that were rounded."""


@dataclass(frozen=True, slots=True)
class FitOptions:
    """Options of a fit.

    `margins` overrides `margin` for pairs (better label, worse label). `replicates` of 0 turns intervals off.
    """

    l2: float
    margin: float
    replicates: int
    seed: int
    margins: Mapping[tuple[str, str], float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Weight:
    """The weight of a feature. Without a bootstrap, the standard error and the 95 % limits are None."""

    feature: str
    value: float
    se: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Fit:
    """Fitted weights and their performance on training and held-out prompts.

    `objective` is the mean hinge plus l2 / 2 times the squared norm. `gap` is an upper bound of the objective's
    distance from the optimum, relative to the objective. Class weights are centred, because class features sum to 1.
    """

    weights: tuple[Weight, ...]
    l2: float
    objective: float
    gap: float
    train: Evaluation
    held_out: Evaluation | None

    @property
    def values(self) -> Floats:
        """The weights in the order of features, shape (features,)."""
        return np.array([weight.value for weight in self.weights])


@dataclass(frozen=True, slots=True)
class RewardConstraints:
    """Constraints on the features of a fit: the order of labels, the features that are classes, and fixed signs.

    `signs` maps a feature to 1 if its weight must not be negative, and to -1 if its weight must not be positive.
    """

    order: Order
    classes: tuple[str, ...] = ()
    signs: Mapping[str, int] = field(default_factory=dict)


def reward_of(policy: Policy, behaviour: str, signed: bool) -> RewardConstraints:
    """Return the constraints of a behaviour: order of labels, class features and, if `signed`, signs.

    With signs, faults have no positive weights, and required or desired propositions have no negative weights.
    """
    chosen = policy.behaviour(behaviour)
    signs = {name: sign for name in chosen.features if signed and (sign := chosen.statuses[name].sign)}
    return RewardConstraints(chosen.order, policy.classes, signs)


def fit(
    completions: ComparisonData, reward: RewardConstraints, options: FitOptions, held_out: ComparisonData | None = None
) -> Fit:
    """Return the weights that minimise the penalised mean hinge, with intervals and evaluation.

    Args:
        completions: the training completions of one behaviour.
        reward: constraints on the weights.
        options: options of the fit.
        held_out: completions of held-out prompts for the evaluation, if any.

    Raises:
        ScoringError: no two completions of a prompt are ordered, an option is out of range, or class features do not
            sum to 1.
    """
    with one_thread():
        return _fit(completions, reward, options, held_out)


def _fit(
    completions: ComparisonData, reward: RewardConstraints, options: FitOptions, held_out: ComparisonData | None
) -> Fit:
    pairs = pairs_of(completions, reward.order, options.margin, options.margins)
    problem = hinge_problem(completions, pairs, reward, options.l2)
    solution = solve(problem)
    values = _centred(completions, reward, solution.weights[None])[0]
    unseen = None
    if held_out is not None:
        unseen_pairs = pairs_of(held_out, reward.order, options.margin, options.margins)
        unseen = evaluate(held_out, unseen_pairs, reward.order, values)
    return Fit(
        weights=_with_intervals(completions, pairs, problem, reward, values, options),
        l2=options.l2,
        objective=problem.objective(values),
        gap=solution.gap,
        train=evaluate(completions, pairs, reward.order, values),
        held_out=unseen,
    )


def hinge_problem(completions: ComparisonData, pairs: Pairs, reward: RewardConstraints, l2: float) -> HingeProblem:
    """Return the hinge problem of a fit, in which all pairs have the same weight.

    Raises:
        ScoringError: there is no pair, or a sign is given for a class or an unknown feature.
    """
    names = completions.feature_names
    if not len(pairs):
        raise ScoringError("no two completions of one prompt have ordered labels. Write completions of several labels")
    if wrong := [name for name in reward.signs if name not in names or name in reward.classes]:
        raise ScoringError(
            f"signs are given for {', '.join(wrong)}, which are not proposition features. Remove these signs"
        )
    return HingeProblem(
        features=completions.features,
        better=pairs.better,
        worse=pairs.worse,
        required=pairs.margin - completions.base[pairs.better] + completions.base[pairs.worse],
        share=np.full(len(pairs), 1.0 / len(pairs)),
        l2=l2,
        signs=np.array([reward.signs.get(name, 0) for name in names], dtype=np.float64),
    )


def refits(pairs: Pairs, problem: HingeProblem, optimum: Floats, replicates: int, seed: int) -> Floats:
    """Return the weights refitted to prompts drawn with replacement, shape (replicates, features)."""
    _, prompt = np.unique(pairs.prompt, return_inverse=True)
    found = np.empty((replicates, len(optimum)))
    for number, times in enumerate(resample(int(prompt.max()) + 1, replicates, seed)):
        drawn = times[prompt]
        kept = np.flatnonzero(drawn)
        again = replace(
            problem,
            better=problem.better[kept],
            worse=problem.worse[kept],
            required=problem.required[kept],
            share=drawn[kept] / drawn.sum(),
        )
        found[number] = solve(again, REFIT_GAP, optimum, plain_steps=True).weights
    return found


def _centred(completions: ComparisonData, reward: RewardConstraints, weights: Floats) -> Floats:
    """Return `weights`, shape (fits, features), with class weights that sum to 0 for each fit.

    Differences between rewards stay as they are, because the class features of a completion sum to 1.
    """
    at = [number for number, name in enumerate(completions.feature_names) if name in reward.classes]
    if not at:
        return weights
    sums = completions.features[:, at].sum(axis=1)
    if np.abs(sums - 1.0).max() > SUM_TOLERANCE:
        row = int(np.abs(sums - 1.0).argmax())
        raise ScoringError(
            f"class features of completion {row} sum to {sums[row]:g}, not 1. Normalise them, or name no classes"
        )
    centred = weights.copy()
    centred[:, at] -= centred[:, at].mean(axis=1, keepdims=True)
    return centred


def _with_intervals(
    completions: ComparisonData,
    pairs: Pairs,
    problem: HingeProblem,
    reward: RewardConstraints,
    values: Floats,
    options: FitOptions,
) -> tuple[Weight, ...]:
    """Return the weights with limits from refits to resampled prompts. With one prompt, the limits are None."""
    names = completions.feature_names
    prompts = len(np.unique(pairs.prompt))
    if not options.replicates or prompts < 2:
        return tuple(Weight(name, float(value), None, None, None) for name, value in zip(names, values, strict=True))
    refitted = _centred(completions, reward, refits(pairs, problem, values, options.replicates, options.seed))
    tail = _tail(prompts)
    low, high = np.quantile(refitted, [tail, 1.0 - tail], axis=0)
    se = refitted.std(axis=0, ddof=1)
    return tuple(
        Weight(name, *(float(number) for number in numbers))
        for name, *numbers in zip(names, values, se, low, high, strict=True)
    )


def _tail(prompts: int) -> float:
    """Return the share of refits beyond each limit. The share is smaller for few prompts.

    Source: Hesterberg 2015, "What Teachers Should Know about the Bootstrap", section 4 (expanded percentiles).
    """
    return float(ndtr(-np.sqrt(prompts / (prompts - 1)) * stdtrit(prompts - 1, (1.0 + LEVEL) / 2.0)))
