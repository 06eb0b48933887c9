"""Accuracy of grades of propositions, and logistic models that tell propositions from signals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from demur.scoring import ScoringError
from demur.scoring.bootstrap import (
    Composite,
    FloatArray,
    IntArray,
    Statistic,
    evaluate,
    harmonic_mean,
    mean_of,
    resample,
)
from demur.scoring.intervals import MEAN_OF_SHARES, SHARE, Bounds, summarise
from demur.scoring.reward_fitting.ordered_pairs import split_prompts

# Accuracy of grades of propositions, and of classes derived from them; intervals resample prompts.
#
# Arrays have one row per completion. A grade counts as true if its probability is above the threshold.


Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

MEASURES = ("accuracy", "balanced_accuracy", "f1", "base_rate")
_SPANS = (
    SHARE,
    replace(MEAN_OF_SHARES, composite=Composite((5, 6), mean_of)),
    replace(SHARE, composite=Composite((4, 5), harmonic_mean)),
    SHARE,
    SHARE,
    SHARE,
    SHARE,
)
"""Bounds of MEASURES; behind them of precision, and of the shares of true and of false rows that are graded right."""
EACH_WAY = 20
"""Smallest number of true and of false rows of a proposition for the macro average."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A value with its 95 % interval; None where undefined."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class PropositionAccuracy:
    """Accuracy of the grades of one proposition, which is true in `positives` of `n` rows."""

    n: int
    positives: int
    accuracy: Measured
    balanced_accuracy: Measured
    f1: Measured
    base_rate: Measured

    @property
    def reason(self) -> str | None:
        """Reason for an undefined measure; None if all measures are defined."""
        if self.n == 0:
            return "no rows"
        if self.positives in (0, self.n):
            only = "false" if self.positives == 0 else "true"
            return f"{only} in all rows: no balanced accuracy"
        return "neither true nor graded as true: no F1" if self.f1.value is None else None


def proposition_accuracies(
    names: Sequence[str], truth: Flags, taken: Flags, prompts: ArrayLike, replicates: int, seed: int
) -> dict[str, PropositionAccuracy]:
    """Return the accuracy of each proposition.

    Args:
        names: the propositions, one per column.
        truth: whether each proposition is true, shape (rows, propositions).
        taken: whether each grade counts as true, shape (rows, propositions).
        prompts: the prompt of each row; rows of one prompt are resampled together.
        replicates: number of bootstrap replicates.
        seed: seed of the bootstrap.
    """
    if not len(truth):
        nothing = Measured(None, None, None)
        return {name: PropositionAccuracy(0, 0, nothing, nothing, nothing, nothing) for name in names}
    cells = np.stack([truth & taken, ~truth & taken, truth & ~taken, ~truth & ~taken]).astype(np.float64)
    sums = _by_prompt(cells, prompts)
    found = _measured(sums, _measures, _behind(sums), _SPANS, replicates, seed)
    positives = truth.sum(axis=0)
    return {
        name: PropositionAccuracy(len(truth), int(positives[at]), *(found[row][at] for row in range(len(MEASURES))))
        for at, name in enumerate(names)
    }


def share_right(right: Flags, prompts: ArrayLike, replicates: int, seed: int) -> Measured:
    """Return the share of rows that are True in `right`, with an interval over prompts."""
    if not len(right):
        return Measured(None, None, None)
    sums = _by_prompt(np.stack([right, np.ones_like(right)])[:, :, None].astype(np.float64), prompts)
    behind = np.full((1, 1), sums.shape[-1])
    return _measured(sums, lambda totals: totals[:1] / totals[1:], behind, [SHARE], replicates, seed)[0][0]


def macro_balanced_accuracy(found: Mapping[str, PropositionAccuracy]) -> float | None:
    """Return the mean balanced accuracy of propositions with at least EACH_WAY true and EACH_WAY false rows.

    None if there is no such proposition.
    """
    values = [
        each.balanced_accuracy.value
        for each in found.values()
        if each.balanced_accuracy.value is not None and min(each.positives, each.n - each.positives) >= EACH_WAY
    ]
    return float(np.mean(values)) if values else None


def _by_prompt(cells: FloatArray, prompts: ArrayLike) -> FloatArray:
    """Return the sums of `cells` over the rows of each prompt, shape (counts, columns, prompts).

    `cells` has shape (counts, rows, columns); its first axis has the counts of a statistic, such as hits and misses.
    """
    ids, codes = np.unique(np.asarray(prompts).astype(np.str_), return_inverse=True)
    if len(codes) != cells.shape[1]:
        raise ScoringError(f"there are {len(codes)} prompts for {cells.shape[1]} rows. Give one prompt for each row")
    sums = np.zeros((len(ids), cells.shape[0], cells.shape[2]))
    np.add.at(sums, codes, cells.transpose(1, 0, 2))
    return sums.transpose(1, 2, 0)


def _measures(totals: FloatArray) -> FloatArray:
    hit, false_alarm, missed, left = totals
    with np.errstate(invalid="ignore", divide="ignore"):
        rows = hit + false_alarm + missed + left
        precision, of_true, of_false = hit / (hit + false_alarm), hit / (hit + missed), left / (left + false_alarm)
        f1 = 2 * hit / (2 * hit + false_alarm + missed)
        balanced = (of_true + of_false) / 2
        return np.stack([(hit + left) / rows, balanced, f1, (hit + missed) / rows, precision, of_true, of_false])


def _behind(cells: FloatArray) -> IntArray:
    """Return the number of prompts behind each of the statistics of `_measures`, shape (statistics, columns).

    Only the prompts with the rarer truth value are behind balanced accuracy. Only the prompts with a row that is true
    or graded as true are behind F1.
    """
    hit, false_alarm, missed, left = cells > 0
    everything = (hit | false_alarm | missed | left).sum(axis=-1)
    graded, true, false = (
        (one | other).sum(axis=-1) for one, other in ((hit, false_alarm), (hit, missed), (left, false_alarm))
    )
    either = (hit | false_alarm | missed).sum(axis=-1)
    return np.stack([everything, np.minimum(true, false), either, everything, graded, true, false])


def _measured(
    sums: FloatArray, statistic: Statistic, behind: IntArray, spans: Sequence[Bounds], replicates: int, seed: int
) -> list[list[Measured]]:
    """Return value and interval for each statistic (outer list) and column (inner list)."""
    weights = resample(sums.shape[-1], replicates, seed)
    intervals = summarise(evaluate(sums, statistic, weights), behind, spans)

    def known(number: float) -> float | None:
        return None if np.isnan(number) else float(number)

    return [
        [Measured(*(known(number) for number in numbers)) for numbers in zip(*rows, strict=True)]
        for rows in zip(intervals.value, intervals.low, intervals.high, strict=True)
    ]


# Logistic models that tell propositions from signals of completions; cross-validation keeps each prompt in one fold.
#
# Arrays have one row per completion. Inputs are standardised signals and one column for each behaviour. Outputs are
# probabilities, since the fit has no class weights. The decision threshold of a proposition is the share of training
# rows in which the proposition is true. With this threshold, calibrated probabilities have the best balanced
# accuracy.


INVERSE_L2 = 0.5
"""Scikit-learn's C; from 0.2 to 2 the cross-validated figures move by less than .01."""
SCALE = 0.3
"""Standard deviation of scaled signals."""
CONSTANT = 1e-9
"""Largest standard deviation of a signal that counts as constant."""
FEWEST = 5
"""Smallest number of true and of false rows for training; propositions with fewer rows are graded by patterns."""
STEPS = 2_000


@dataclass(frozen=True, slots=True)
class PropositionModel:
    """A model of one proposition: threshold, intercept, and coefficients of scaled signals and behaviours.

    `coefficients` is None if there were too few rows for training.
    """

    positives: int
    threshold: float
    intercept: float
    coefficients: Floats | None


@dataclass(frozen=True, slots=True)
class PropositionModels:
    """A model for each proposition.

    `means` and `scales` standardise the signals, shape (signals,).
    """

    means: Floats
    scales: Floats
    models: tuple[PropositionModel, ...]

    def probabilities(self, signals: Floats, behaviours: Floats, otherwise: Floats) -> Floats:
        """Return probabilities, shape (rows, propositions).

        A proposition without a trained model gets its column of `otherwise`.
        """
        x = np.hstack([(signals - self.means) / self.scales, behaviours])
        found = otherwise.copy()
        for at, model in enumerate(self.models):
            if model.coefficients is not None:
                found[:, at] = 1.0 / (1.0 + np.exp(-(x @ model.coefficients + model.intercept)))
        return found

    @property
    def thresholds(self) -> Floats:
        """The thresholds, shape (propositions,)."""
        return np.array([model.threshold for model in self.models])


def train(signals: Floats, behaviours: Floats, truth: Flags) -> PropositionModels:
    """Return a model for each proposition; the training is deterministic.

    Args:
        signals: shape (rows, signals).
        behaviours: 1 for the behaviour of each row, else 0, shape (rows, behaviours).
        truth: truth of the propositions, shape (rows, propositions).

    Raises:
        ScoringError: there are no rows, or shapes do not fit.
    """
    if not len(truth) or not len(signals) == len(behaviours) == len(truth):
        raise ScoringError(
            f"{len(signals)} signals, {len(behaviours)} behaviours, {len(truth)} truths; allowed: equal numbers, at "
            "least 1"
        )
    means = signals.mean(axis=0)
    spread = signals.std(axis=0)
    scales = np.where(spread > CONSTANT, spread, 1.0) / SCALE
    x = np.hstack([(signals - means) / scales, behaviours])
    return PropositionModels(means, scales, tuple(_model(x, held) for held in truth.T))


def _model(x: Floats, held: Flags) -> PropositionModel:
    from sklearn.linear_model import LogisticRegression  # a second to import, and only training needs it

    positives = int(held.sum())
    if min(positives, len(held) - positives) < FEWEST:
        return PropositionModel(positives, 0.5, 0.0, None)
    fitted = LogisticRegression(C=INVERSE_L2, tol=1e-8, max_iter=STEPS).fit(x, held)
    return PropositionModel(positives, positives / len(held), float(fitted.intercept_[0]), fitted.coef_[0])


@dataclass(frozen=True, slots=True)
class CrossValidated:
    """Cross-validated probabilities, and whether each is above the threshold of its model."""

    probabilities: Floats
    taken: Flags


def cross_validate(
    signals: Floats,
    behaviours: Floats,
    truth: Flags,
    groups: Sequence[str],
    otherwise: Floats,
    folds: int,
    seed: int,
) -> CrossValidated:
    """Return each row's predictions by models that were trained on the other folds.

    Rows with the same element of `groups` (a prompt) are in the same fold. `otherwise` has the probabilities of
    propositions that cannot be trained, in the shape of `truth`.

    Raises:
        ScoringError: there are fewer groups than folds, or fewer than two folds.
    """
    if folds < 2:
        raise ScoringError(f"{folds} folds: give at least 2")
    ids, codes = np.unique(np.asarray(groups).astype(np.str_), return_inverse=True)
    part = split_prompts(len(ids), [1 / folds] * folds, seed)[codes]
    probabilities = np.empty(truth.shape)
    taken = np.empty(truth.shape, dtype=np.bool_)
    for fold in range(folds):
        unseen = part == fold
        models = train(signals[~unseen], behaviours[~unseen], truth[~unseen])
        probabilities[unseen] = models.probabilities(signals[unseen], behaviours[unseen], otherwise[unseen])
        taken[unseen] = probabilities[unseen] > models.thresholds
    return CrossValidated(probabilities, taken)
