"""Class features of completions from the probabilities that their propositions are true.

Everything is vectorised over completions: arrays have one row for each. Asking a grader for the probabilities, and
fitting weights to the features, belong elsewhere.

Source: "Rule Based Rewards for Language Model Safety" (Mu et al., NeurIPS 2024), class features.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from demur.levers.policy_models import Behaviour, Policy
from demur.scoring.class_tree import class_tree
from demur.scoring.demur_reward import branch_probabilities
from demur.scoring.errors import ScoringError

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ClassFeatures:
    """Class probabilities, shape (completions, classes), rows summing to 1.

    `undetermined` flags rows in which no class was possible, so all classes got the same probability. This happens only
    if a behaviour's classes do not partition.
    """

    values: Floats
    names: tuple[str, ...]
    undetermined: Flags


def proposition_matrix(behaviour: Behaviour, grades: Sequence[Mapping[str, float]]) -> Floats:
    """Return graded probabilities as an array, shape (completions, features of the behaviour).

    Raises:
        ScoringError: a completion lacks a feature, or a probability is not within [0, 1].
    """
    for row, grade in enumerate(grades):
        if absent := [name for name in behaviour.features if name not in grade]:
            raise ScoringError(
                f"grades[{row}] lacks {', '.join(absent)}, features of behaviour '{behaviour.name}'. Grade them first"
            )
    values = np.array([[grade[name] for name in behaviour.features] for grade in grades], dtype=np.float64)
    return _checked(behaviour, values.reshape(len(grades), len(behaviour.features)))


def class_features(
    policy: Policy, behaviour: str, phi: ArrayLike, facts: Mapping[str, ArrayLike] | None = None
) -> ClassFeatures:
    """Return each completion's class probabilities, propositions taken as independent.

    Where the behaviour's rules partition, the probabilities are exact: they are multiplied along the branches of the
    tree of classes. Otherwise the products over each class's required states are normalised.

    Args:
        policy: the policy whose classes name the columns.
        behaviour: the behaviour that the completions are meant to show.
        phi: probabilities that propositions are true, shape (completions, features of the behaviour).
        facts: for each fact about prompts, one truth (or one per completion); the policy's default where absent.

    Raises:
        ScoringError: a shape, probability or fact does not fit the policy.
    """
    chosen = policy.behaviour(behaviour)
    values = _checked(chosen, np.asarray(phi, dtype=np.float64))
    columns = dict(zip(chosen.features, values.T, strict=True)) | _fact_columns(policy, len(values), facts or {})
    if chosen.is_partition:
        reached = branch_probabilities(list(policy.classes), class_tree(chosen.classes), columns)
        exact = np.column_stack([np.broadcast_to(reached[name], len(values)) for name in policy.classes])
        return ClassFeatures(exact, policy.classes, np.zeros(len(values), dtype=np.bool_))
    return _normalised(policy.classes, chosen.products, columns, len(values))


def feature_matrix(
    policy: Policy, behaviour: str, phi: ArrayLike, facts: Mapping[str, ArrayLike] | None = None
) -> tuple[Floats, tuple[str, ...]]:
    """Return the features for fitting weights, shape (completions, features), and the columns' names.

    Propositions come first, as probabilities that the named property is present (a fault's weight is expected to be
    negative); the class probabilities follow. Arguments and errors are those of `class_features`.
    """
    classes = class_features(policy, behaviour, phi, facts)
    return np.hstack([np.asarray(phi, dtype=np.float64), classes.values]), policy.feature_names(behaviour)


def _normalised(
    names: tuple[str, ...], products: Mapping[str, Mapping[str, bool]], columns: Mapping[str, Floats], rows: int
) -> ClassFeatures:
    """Return products over required states, scaled to sum to 1; uniform and flagged where all of them vanish."""
    raw = np.ones((rows, len(names)))
    for number, name in enumerate(names):
        for feature, wanted in products[name].items():
            raw[:, number] *= columns[feature] if wanted else 1.0 - columns[feature]
    total = raw.sum(axis=1)
    undetermined = total <= 0.0
    values = np.where(undetermined[:, None], 1.0 / len(names), raw / np.where(undetermined, 1.0, total)[:, None])
    return ClassFeatures(values, names, undetermined)


def _fact_columns(policy: Policy, rows: int, facts: Mapping[str, ArrayLike]) -> dict[str, Floats]:
    known = policy.default_facts
    if unknown := [name for name in facts if name not in known]:
        raise ScoringError(
            f"facts {', '.join(unknown)} are none of policy '{policy.name}': {', '.join(known) or 'none'}"
        )
    columns = {}
    for name, default in known.items():
        given = np.asarray(facts.get(name, default), dtype=np.float64)
        if given.shape not in {(), (rows,)} or not np.isin(given, (0.0, 1.0)).all():
            raise ScoringError(f"fact '{name}' has shape {given.shape}; give one truth, or one for each of {rows} rows")
        columns[name] = np.broadcast_to(given, (rows,))
    return columns


def _checked(behaviour: Behaviour, values: Floats) -> Floats:
    """Refuse a frame that is no table of probabilities; nothing is clipped or filled in."""
    expected = len(behaviour.features)
    if values.ndim != 2 or values.shape[1] != expected:
        raise ScoringError(
            f"phi has shape {values.shape}; behaviour '{behaviour.name}' needs {expected} columns: "
            f"{', '.join(behaviour.features)}"
        )
    wrong = ~((values >= 0.0) & (values <= 1.0))
    if wrong.any():
        row, column = (int(number) for number in np.argwhere(wrong)[0])
        raise ScoringError(
            f"phi[{row}] of '{behaviour.features[column]}' is {values[row, column]}, not a probability within [0, 1]; "
            f"{int(wrong.sum())} such values. Grade them again"
        )
    return values
