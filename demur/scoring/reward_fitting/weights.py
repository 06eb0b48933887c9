"""Weights of a rule-based reward, R_total = R_base + sum_i w_i x_i, and the solver of the hinge problem."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from demur.levers.policy_models import Policy
from demur.scoring import ScoringError
from demur.scoring.bootstrap import resample
from demur.scoring.intervals import LEVEL
from demur.scoring.reward_fitting.ordered_pairs import ComparisonData, Evaluation, Order, Pairs, evaluate, pairs_of

# Solver of the pairwise hinge problem, with a bound on the distance from the optimum.
#
# minimise over w sum_k share_k * max(0, required_k - (x_better(k) - x_worse(k)) w) + l2 / 2 * |w|^2
#
# The solver minimises a sequence of smooth problems by SciPy (trust-region Newton, exact factorisation). In these
# problems a parabola replaces the corner of the hinge. The width of the parabola shrinks from problem to problem. The
# slopes of the smoothed hinge are a feasible point of the dual, so each step also gives a lower bound of the optimum.
# The gap is the difference between the objective and this bound. The solver is deterministic.
#
# Refits to resampled data start near their optimum, where plain damped Newton steps are several times faster than
# SciPy. If such steps do not converge, SciPy is used.


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

GAP = 1e-6
"""Largest relative duality gap of a fit."""

_SHRINK = 0.1
_COLD, _WARM = (
    0.1,
    0.04,
)  # first width, relative to the scale of residuals: a wider one rounds more pairs, a narrower one adds steps
_NARROWEST = 1e-10
_STEPS = 60
_HALVINGS = 25


@dataclass(frozen=True, slots=True)
class HingeProblem:
    """The data of a hinge problem.

    `better` and `worse` are row numbers of `features` for each pair. `required` is the lead that the better row needs.
    `share` is the weight of the pair in the mean of the hinges. `signs` has one number per feature: 1 if the weight of
    the feature must not be negative, -1 if it must not be positive, else 0.
    """

    features: Floats
    better: Ints
    worse: Ints
    required: Floats
    share: Floats
    l2: float
    signs: Floats

    def residuals(self, weights: Floats) -> Floats:
        """Return each pair's shortfall from its required lead, shape (pairs,)."""
        scores = self.features @ weights
        short: Floats = self.required - scores[self.better] + scores[self.worse]
        return short

    def objective(self, weights: Floats) -> float:
        """Return the mean hinge plus l2 / 2 times the squared norm."""
        return self.hinge(weights) + self.l2 / 2 * float(weights @ weights)

    def hinge(self, weights: Floats) -> float:
        """Return the mean hinge."""
        return float(self.share @ np.maximum(self.residuals(weights), 0.0))

    def pull(self, slopes: Floats) -> Floats:
        """Return sum_k slopes_k * (x_better(k) - x_worse(k)), shape (features,)."""
        rows = len(self.features)
        net = np.bincount(self.better, slopes, rows) - np.bincount(self.worse, slopes, rows)
        pulled: Floats = net @ self.features
        return pulled


@dataclass(frozen=True, slots=True)
class Solution:
    """Weights at the optimum, their objective, and the duality gap relative to the objective."""

    weights: Floats
    objective: float
    gap: float


@cache
def _threads() -> Any:
    """Return the controller of BLAS threads; None if the package threadpoolctl is not installed.

    The result is cached, because the search for BLAS libraries is slow.
    """
    import scipy.optimize  # noqa: F401

    try:
        from threadpoolctl import ThreadpoolController
    except ModuleNotFoundError:  # optional: fits are slower without it
        return None
    return ThreadpoolController()


def one_thread() -> AbstractContextManager[object]:
    """Return a context in which BLAS uses one thread; several threads are up to 20 times slower on small arrays."""
    threads = _threads()
    limit: AbstractContextManager[object] = threads.limit(limits=1, user_api="blas") if threads else nullcontext()
    return limit


def solve(
    problem: HingeProblem, tolerance: float = GAP, start: Floats | None = None, plain_steps: bool = False
) -> Solution:
    """Return weights whose relative duality gap is at most `tolerance`.

    Args:
        problem: pairs, shares, penalty.
        tolerance: largest gap between the objective and its lower bound, relative to the objective.
        start: weights to start from, such as those of a similar problem; zeros for None.
        plain_steps: try plain Newton steps before SciPy; these are faster if `start` is near the optimum.

    Raises:
        ScoringError: l2 is not positive, or double precision does not reach `tolerance` with so small an l2.
    """
    if not 0 < problem.l2 < np.inf:
        raise ScoringError(f"l2 {problem.l2} must be a positive number: without a penalty, weights are not unique")
    smooth = _Smooth(problem)
    weights = np.zeros(problem.features.shape[1]) if start is None else start
    width = smooth.scale * (_COLD if start is None else _WARM)
    best, least, bound, gap = weights, np.inf, 0.0, 0.0  # the objective is never negative
    while width >= _NARROWEST * smooth.scale:
        weights, below = smooth.minimum(weights, width, tolerance, plain_steps)
        bound = max(bound, below)
        allowed = np.where(weights * problem.signs < 0, 0.0, weights)
        objective = problem.objective(allowed)
        if objective < least:
            best = allowed
            least = objective
        gap = max(0.0, (least - bound) / least) if least > 0 else 0.0
        if gap <= tolerance:
            return Solution(best, least, gap)
        width *= _SHRINK
    raise ScoringError(f"l2 {problem.l2:g} is too small: the gap stays at {gap:.1e} of {least:.3g}. Use a larger l2")


class _Smooth:
    """A smooth form of the hinge problem for Newton's method: a parabola replaces the corner of each hinge.

    A constraint on the sign of a weight is a further hinge. The slope of this hinge is the feature's range (largest
    minus smallest value). A violation of the constraint by v costs v times this range. The violation cannot lower the
    mean hinge of the pairs by more than its cost. The optimum therefore satisfies the constraint.
    """

    def __init__(self, problem: HingeProblem) -> None:
        self.problem = problem
        x = problem.features
        self.steepness = np.abs(problem.signs) * (np.ptp(x, axis=0) if len(x) else np.zeros(x.shape[1]))
        self.scale = float(problem.share @ np.abs(problem.required)) or 1.0

    def minimum(self, weights: Floats, width: float, tolerance: float, plain_steps: bool) -> tuple[Floats, float]:
        """Return the minimiser of the smoothed problem, and a lower bound of the optimum of the original problem."""
        l2 = self.problem.l2
        reachable = self.problem.objective(weights)
        precise = max(1e-13, min(1e-9, 0.1 * (2 * l2 * tolerance * reachable) ** 0.5))
        found = self._by_plain_steps(weights, width, precise) if plain_steps else None
        if found is None:
            from scipy.optimize import minimize  # half a second

            found = minimize(
                lambda w: self._value_and_slope(w, width),
                weights,
                method="trust-exact",
                jac=True,
                hess=lambda w: self._curvature(w, width),
                options={"gtol": precise},
            ).x
        slopes, sign_slopes = self._slopes(found, width)
        pulled = self.problem.pull(slopes) + sign_slopes * self.problem.signs
        return found, float(slopes @ self.problem.required - pulled @ pulled / (2 * l2))

    def _by_plain_steps(self, weights: Floats, width: float, precise: float) -> Floats | None:
        """Return the minimiser by damped Newton steps; None if they do not converge."""
        value, slope = self._value_and_slope(weights, width)
        for _ in range(_STEPS):
            if np.linalg.norm(slope) <= precise:
                return weights
            step = np.linalg.solve(self._curvature(weights, width), slope)
            expected = float(slope @ step)
            for halvings in range(_HALVINGS):
                length = 0.5**halvings
                tried = weights - length * step
                next_value, next_slope = self._value_and_slope(tried, width)
                if next_value <= value - 1e-4 * length * expected:
                    break
            else:
                return None
            weights = tried
            value = next_value
            slope = next_slope
        return None

    def _slopes(self, weights: Floats, width: float) -> tuple[Floats, Floats]:
        short = self.problem.residuals(weights)
        broken = -self.problem.signs * weights
        return (
            self.problem.share * np.clip(short / width, 0.0, 1.0),
            self.steepness * np.clip(broken / width, 0.0, 1.0),
        )

    def _value_and_slope(self, weights: Floats, width: float) -> tuple[float, Floats]:
        problem = self.problem
        short = problem.residuals(weights)
        rise = np.clip(short / width, 0.0, 1.0)
        broken = -problem.signs * weights
        broken_rise = np.clip(broken / width, 0.0, 1.0)
        value = (
            problem.share @ (rise * (short - width / 2 * rise))
            + self.steepness @ (broken_rise * (broken - width / 2 * broken_rise))
            + problem.l2 / 2 * (weights @ weights)
        )
        slope = problem.l2 * weights - problem.pull(problem.share * rise) - self.steepness * broken_rise * problem.signs
        return float(value), slope

    def _curvature(self, weights: Floats, width: float) -> Floats:
        """Return the Hessian; only pairs on the parabola of their hinge contribute."""
        problem = self.problem
        short = problem.residuals(weights)
        bent = np.flatnonzero((short > 0) & (short < width))
        apart = problem.features[problem.better[bent]] - problem.features[problem.worse[bent]]
        broken = -problem.signs * weights
        diagonal = problem.l2 + np.where((broken > 0) & (broken < width), self.steepness / width, 0.0)
        bending: Floats = (apart.T * (problem.share[bent] / width)) @ apart + np.diag(diagonal)
        return bending


# Weights of a rule-based reward, R_total = R_base + sum_i w_i x_i, fitted to ordered completions of one behaviour.
#
# Source: "Rule Based Rewards for Language Model Safety" (Mu et al., NeurIPS 2024), weight fitting. Two things differ
# from the published fitter: the penalised problem is solved to its optimum, and prompts (not pairs) are resampled and
# held out.


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
