"""Solver of the pairwise hinge problem, with a bound on the distance from the optimum.

    minimise over w   sum_k share_k * max(0, required_k - (x_better(k) - x_worse(k)) w)  +  l2 / 2 * |w|^2

The solver minimises a sequence of smooth problems by SciPy (trust-region Newton, exact factorisation). In these
problems a parabola replaces the corner of the hinge. The width of the parabola shrinks from problem to problem. The
slopes of the smoothed hinge are a feasible point of the dual, so each step also gives a lower bound of the optimum. The
gap is the difference between the objective and this bound. The solver is deterministic.

Refits to resampled data start near their optimum, where plain damped Newton steps are several times faster than SciPy.
If such steps do not converge, SciPy is used.
"""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demur.scoring.errors import ScoringError

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
