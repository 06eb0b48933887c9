"""Logistic models that tell propositions from signals of completions; cross-validation keeps each prompt in one fold.

Arrays have one row per completion. Inputs are standardised signals and one column for each behaviour. Outputs are
probabilities, since the fit has no class weights. The decision threshold of a proposition is the share of training rows
in which the proposition is true. With this threshold, calibrated probabilities have the best balanced accuracy.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from demur.scoring.errors import ScoringError
from demur.scoring.ranking import split_prompts

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

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
