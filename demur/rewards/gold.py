"""Gold files with human labels of propositions, the accuracy of grades on them, and training of graders."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from demur.errors import FlowError
from demur.levers.policy_models import Policy
from demur.rewards.completions import Completion, CompletionLine, completion_of
from demur.rewards.graded_files import read_lines
from demur.rewards.graders import Grades
from demur.rules.roles import grade
from demur.rules.roles.grade import signals_fingerprint, signals_of
from demur.rules.trained_grader import TrainedGrader, TrainedProposition, TrainingData
from demur.scoring.reward_fitting.completion_classes import class_features
from demur.scoring.reward_fitting.propositions import (
    MEASURES,
    Measured,
    PropositionAccuracy,
    PropositionModels,
    cross_validate,
    macro_balanced_accuracy,
    proposition_accuracies,
    share_right,
    train,
)

# Gold files: completions with human labels of propositions, one JSON object per line.
#
# A gold file is a file of completions in which each line has `propositions`. Other fields are ignored. Texts may be
# offensive. Therefore texts are never written, and messages contain only line numbers.


@dataclass(frozen=True, slots=True)
class GoldFile:
    """The rows of a gold file, its SHA-256, and the propositions that are labelled in all rows."""

    policy: Policy
    sha256: str
    rows: tuple[Completion, ...]
    propositions: tuple[str, ...]

    @property
    def truth(self) -> NDArray[np.bool_]:
        """The labels of propositions, in an array of shape (rows, propositions)."""
        found = [[row.truth[name] for name in self.propositions] for row in self.rows]
        return np.array(found, dtype=np.bool_).reshape(len(self.rows), len(self.propositions))

    @property
    def classes(self) -> list[str]:
        """The class of each row according to its labels."""
        return [self.policy.behaviour(row.behaviour).class_of(row.truth, row.facts) for row in self.rows]

    @property
    def prompt_ids(self) -> list[str]:
        """The id of the prompt of each row."""
        return [row.prompt_id for row in self.rows]


def read_gold(path: Path, policy: Policy) -> GoldFile:
    """Return a gold file.

    The policy's aliases of propositions are replaced by their names. Unknown propositions are ignored.

    Raises:
        FlowError: the file cannot be read, has no rows, or has an invalid line.
    """
    sha256, lines = read_lines(CompletionLine, path, "Give one judged completion per line, as a JSON object")
    rows = [completion_of(path, number, line, policy) for number, line in lines]
    for row in rows:
        if absent := [name for name in policy.behaviour(row.behaviour).features if name not in row.truth]:
            raise FlowError(
                f"{path}:{row.line}: propositions lack {', '.join(absent)}, features of behaviour '{row.behaviour}'. "
                "Add them"
            )
    judged = tuple(p.name for p in policy.propositions if all(p.name in row.truth for row in rows))
    return GoldFile(policy, sha256, tuple(replace(row, propositions=judged) for row in rows), judged)


def likely_classes(gold: GoldFile, probabilities: NDArray[np.float64]) -> list[str]:
    """Return the most probable class of each row. `probabilities` has the shape (rows, propositions)."""
    found = [""] * len(gold.rows)
    column = {name: at for at, name in enumerate(gold.propositions)}
    for behaviour, at in _by_behaviour(gold.rows):
        columns = [column[name] for name in gold.policy.behaviour(behaviour).features]
        facts = {fact: np.array([gold.rows[row].facts[fact] for row in at]) for fact in gold.policy.default_facts}
        features = class_features(gold.policy, behaviour, probabilities[np.ix_(at, columns)], facts)
        for row, best in zip(at, features.values.argmax(axis=1), strict=True):
            found[row] = features.names[best]
    return found


def _by_behaviour(rows: Sequence[Completion]) -> Iterator[tuple[str, list[int]]]:
    for name in dict.fromkeys(row.behaviour for row in rows):
        yield name, [at for at, row in enumerate(rows) if row.behaviour == name]


# Grading of gold files, the accuracy of the grades, and training of graders.
#
# Gold files are graded by patterns, trained graders or models.


Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

REPLICATES: Final = 1_000
SEED: Final = 20_261_121
FOLDS: Final = 5
FEWEST_ROWS: Final = 50


@dataclass(frozen=True, slots=True)
class Graded:
    """The grades of a gold file.

    `probabilities` has the probability of each proposition, and `taken` is true where the probability exceeds the
    threshold. Both have the shape (rows, propositions).
    """

    probabilities: Floats
    taken: Flags


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The accuracy of grades on some rows, for each proposition and for the most probable class.

    `class_recall` has the number of rows of each class, and the share of these rows whose most probable class is right.
    """

    rows: int
    propositions: Mapping[str, PropositionAccuracy]
    class_accuracy: Measured
    class_recall: Mapping[str, tuple[int, float]]

    @property
    def macro(self) -> float | None:
        """The mean balanced accuracy of propositions with at least 20 true and 20 false rows."""
        return macro_balanced_accuracy(self.propositions)


@dataclass(frozen=True, slots=True)
class GoldAccuracy:
    """The accuracy over all rows, and the accuracy of each behaviour."""

    overall: Accuracy
    by_behaviour: Mapping[str, Accuracy]


def by_patterns(gold: GoldFile) -> Graded:
    """Return the grades of the built-in patterns. A proposition counts as true above a probability of one half.

    Raises:
        FlowError: a proposition of the policy has no patterns.
    """
    found = np.empty((len(gold.rows), len(gold.propositions)))
    for at, row in enumerate(gold.rows):
        for column, name in enumerate(gold.propositions):
            probability = grade.safety_probability(name, row.prompt, row.completion)
            if probability is None:
                raise FlowError(
                    f"proposition '{name}' of policy '{gold.policy.name}' has no patterns: rules grade gold files only "
                    "for the policy 'safety'"
                )
            found[at, column] = probability
    return Graded(found, found > 0.5)


def by_model(gold: GoldFile, grader: TrainedGrader) -> Graded:
    """Return the grades of a trained grader. Truth is decided by the grader's thresholds.

    Raises:
        FlowError: the grader was trained for another policy, or lacks a proposition of the file.
        ProgramError: the grader was not trained for a behaviour of the file.
    """
    if grader.policy != gold.policy.name:
        raise FlowError(
            f"the grader was trained for policy '{grader.policy}', but the file is for '{gold.policy.name}'"
        )
    thresholds = grader.thresholds
    if absent := [name for name in gold.propositions if name not in thresholds]:
        raise FlowError(f"the grader was not trained for {', '.join(absent)}. Train it again: demur rbr train-grader")
    graded = [grader.probabilities(row.prompt, row.completion, row.behaviour) for row in gold.rows]
    found = np.array([[grades[name] for name in gold.propositions] for grades in graded])
    return Graded(found, found > np.array([thresholds[name] for name in gold.propositions]))


def by_lines(gold: GoldFile, graded: Mapping[int, Grades | str]) -> Graded:
    """Return a model's grades. A proposition counts as true above a probability of one half.

    Raises:
        FlowError: a row could not be graded.
    """
    found = np.empty((len(gold.rows), len(gold.propositions)))
    for at, row in enumerate(gold.rows):
        grades = graded[row.line]
        if isinstance(grades, str):
            raise FlowError(f"line {row.line}: could not be graded: {grades}. Run the command again")
        found[at] = [grades[name] for name in gold.propositions]
    return Graded(found, found > 0.5)


def accuracy_of(gold: GoldFile, graded: Graded) -> GoldAccuracy:
    """Return the accuracy of a gold file's grades, with intervals from a bootstrap over prompts."""
    classes = np.array(gold.classes)
    right = np.array(likely_classes(gold, graded.probabilities)) == classes
    behaviours = np.array([row.behaviour for row in gold.rows])
    every = np.ones(len(gold.rows), dtype=np.bool_)
    return GoldAccuracy(
        _accuracy(gold, graded, right, classes, every),
        {
            b.name: _accuracy(gold, graded, right, classes, behaviours == b.name)
            for b in gold.policy.behaviours
            if (behaviours == b.name).any()
        },
    )


def _accuracy(gold: GoldFile, graded: Graded, right: Flags, classes: NDArray[np.str_], chosen: Flags) -> Accuracy:
    prompts = np.array(gold.prompt_ids)[chosen]
    found = proposition_accuracies(
        gold.propositions, gold.truth[chosen], graded.taken[chosen], prompts, REPLICATES, SEED
    )
    of_class = {name: chosen & (classes == name) for name in gold.policy.classes}
    recall = {name: (int(rows.sum()), float(right[rows].mean())) for name, rows in of_class.items() if rows.any()}
    return Accuracy(int(chosen.sum()), found, share_right(right[chosen], prompts, REPLICATES, SEED), recall)


def train_on(gold: GoldFile) -> TrainedGrader:
    """Return a grader trained on a gold file. The training is deterministic.

    Raises:
        FlowError: the file has too few rows, or its policy has no patterns.
    """
    from sklearn import __version__ as version

    _enough(gold)
    models = train(_signals(gold), _behaviours(gold), gold.truth)
    return TrainedGrader(
        policy=gold.policy.name,
        policy_fingerprint=gold.policy.fingerprint,
        data=TrainingData(sha256=gold.sha256, rows=len(gold.rows), prompts=len(set(gold.prompt_ids))),
        trained_with=f"scikit-learn {version}",
        signals=signals_fingerprint(),
        behaviours={b.name: b.features for b in gold.policy.behaviours},
        means=_plain(models.means),
        scales=_plain(models.scales),
        propositions=tuple(_propositions(gold, models)),
    )


def cross_validated(gold: GoldFile, folds: int = FOLDS, seed: int = SEED) -> Graded:
    """Return grades from cross-validation. All rows of a prompt are in the same fold."""
    return _cross_validated(gold, gold.prompt_ids, folds, seed)


def cross_validated_by_category(gold: GoldFile) -> Graded | None:
    """Return grades from cross-validation with one category per fold.

    Return None if the file has fewer than two categories.
    """
    categories = [row.category or "" for row in gold.rows]
    count = len(set(categories))
    return None if count < 2 else _cross_validated(gold, categories, count, SEED)


def _cross_validated(gold: GoldFile, groups: Sequence[str], folds: int, seed: int) -> Graded:
    _enough(gold)
    patterns = by_patterns(gold).probabilities
    found = cross_validate(_signals(gold), _behaviours(gold), gold.truth, groups, patterns, folds, seed)
    return Graded(found.probabilities, found.taken)


def save_path(home: Path, gold: GoldFile) -> Path:
    """Return the default path of a trained grader."""
    return home / "graders" / f"{gold.policy.name}.json"


def _enough(gold: GoldFile) -> None:
    if len(gold.rows) < FEWEST_ROWS:
        raise FlowError(f"{len(gold.rows)} gold rows are too few to train on; at least {FEWEST_ROWS} are needed")


def _signals(gold: GoldFile) -> Floats:
    return np.array([signals_of(row.prompt, row.completion) for row in gold.rows])


def _behaviours(gold: GoldFile) -> Floats:
    names = [behaviour.name for behaviour in gold.policy.behaviours]
    return np.array([[float(row.behaviour == name) for name in names] for row in gold.rows])


def _propositions(gold: GoldFile, models: PropositionModels) -> Iterable[TrainedProposition]:
    for name, model in zip(gold.propositions, models.models, strict=True):
        coefficients = () if model.coefficients is None else _plain(model.coefficients)
        yield TrainedProposition(
            name=name,
            positives=model.positives,
            threshold=model.threshold,
            intercept=round(model.intercept, _DIGITS),
            coefficients=coefficients,
        )


_DIGITS: Final = 10
"""Decimals of stored numbers, so that rounding errors of machines do not change the file's checksum."""


def _plain(values: Floats) -> tuple[float, ...]:
    return tuple(round(float(value), _DIGITS) for value in values)


def as_json(found: GoldAccuracy) -> dict[str, object]:
    """Return the accuracies as JSON values. An undefined accuracy is None and has a reason."""
    return {
        "rows": found.overall.rows,
        "propositions": _propositions_json(found.overall),
        "class_accuracy": found.overall.class_accuracy.value,
        "class_recall": {name: {"rows": n, "recall": share} for name, (n, share) in found.overall.class_recall.items()},
        "by_behaviour": {
            name: {
                "rows": part.rows,
                "propositions": _propositions_json(part),
                "class_accuracy": part.class_accuracy.value,
                "class_accuracy_interval": _interval(part.class_accuracy),
            }
            for name, part in found.by_behaviour.items()
        },
    }


def _propositions_json(part: Accuracy) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, each in part.propositions.items():
        values: dict[str, object] = {measure: getattr(each, measure).value for measure in MEASURES}
        values |= {"n": each.n, "intervals": {measure: _interval(getattr(each, measure)) for measure in MEASURES}}
        found[name] = values | ({"reason": each.reason} if each.reason else {})
    return found


def _interval(measured: Measured) -> list[float] | None:
    return None if measured.low is None or measured.high is None else [measured.low, measured.high]
