"""Classes of completions: ordered class rules as a tree of questions, and class features from propositions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from demur.levers.policy_models import Behaviour, ClassRule, Literal, Policy
from demur.scoring import ScoringError
from demur.scoring.standalone.demur_reward import branch_probabilities

# Ordered class rules of a behaviour as a tree of yes/no questions.
#
# A proposition that stands in several rules is asked once on each branch. Probabilities multiplied along the branches
# (`demur_reward.branch_probabilities`) are thus exact, and sum to 1 over the classes.


MAX_QUESTIONS = 20_000

Rest = tuple[tuple[str, tuple[tuple[Literal, ...], ...]], ...]
"""Undecided rules on a branch: class and terms, each term with the literals that are not decided yet."""


Node = int | str
"""The number of a question, or the name of a class at an end of the tree."""


class ClassTree(TypedDict):
    """A tree of questions; each question is [variable, next node if true, next node if false].

    A question stands after every question that leads to it.
    """

    root: Node
    questions: list[list[Node]]


@lru_cache(maxsize=64)
def class_tree(rules: tuple[ClassRule, ...]) -> ClassTree:
    """Return the tree of ordered rules; the last rule applies to all remaining cases.

    Raises:
        ScoringError: the rules need more than MAX_QUESTIONS questions, or there is a case in which no rule holds.
    """
    found: dict[Rest, Node] = {}
    questions: list[list[Node]] = []

    def grow(rest: Rest) -> Node:
        name, terms = rest[0]
        if terms == ((),):
            return name
        if rest not in found:
            variable = terms[0][0][0]
            yes, no = (grow(_settle(rest, variable, value)) for value in (True, False))
            if len(questions) >= MAX_QUESTIONS:
                raise ScoringError(
                    f"class rules need more than {MAX_QUESTIONS} questions. Use fewer propositions in several rules"
                )
            found[rest] = len(questions)
            questions.append([variable, yes, no])
        return found[rest]

    root = grow(tuple((rule.class_name, rule.terms or ((),)) for rule in rules))
    last = len(questions) - 1

    def turned(node: Node) -> Node:
        return last - node if isinstance(node, int) else node

    # Children were numbered before their parents. In the reverse order one pass forwards suffices.
    return {"root": turned(root), "questions": [[q[0], turned(q[1]), turned(q[2])] for q in reversed(questions)]}


def _settle(rest: Rest, variable: str, value: bool) -> Rest:
    """Return the rules that `variable` = `value` leaves undecided, up to the first rule that holds."""
    open_rules: list[tuple[str, tuple[tuple[Literal, ...], ...]]] = []
    for name, terms in rest:
        kept = tuple(
            tuple(literal for literal in term if literal[0] != variable)
            for term in terms
            if (variable, not value) not in term
        )
        if () in kept:
            return (*open_rules, (name, ((),)))
        if kept:
            open_rules.append((name, kept))
    raise ScoringError(f"class rules do not cover all cases of '{variable}'. End the rules with one without terms")


# Class features of completions from the probabilities that their propositions are true.
#
# Arrays have one row per completion.
#
# Source: "Rule Based Rewards for Language Model Safety" (Mu et al., NeurIPS 2024), class features.


Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ClassFeatures:
    """Class probabilities, shape (completions, classes); rows sum to 1.

    `undetermined` marks rows in which no class was possible, so that all classes have the same probability. There are
    such rows only if the behaviour's classes do not partition the possible cases.
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
    """Return each completion's class probabilities, under independence of propositions.

    If the behaviour's classes partition the possible cases, the probabilities are exact products along the branches of
    the class tree. Otherwise a class has the product of the probabilities of its required states. These products are
    divided by their sum over the classes.

    Args:
        policy: the policy of the behaviour. The result has one column per class of the policy.
        behaviour: the behaviour that the completions are meant to show.
        phi: probabilities of propositions, shape (completions, features of the behaviour).
        facts: whether each fact about prompts is true: one value, or one per completion. Missing facts have the
            policy's defaults.

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
    """Return the features for a fit, shape (completions, features), and their names.

    The probabilities of propositions come first, then the class probabilities. Arguments and errors are those of
    `class_features`.
    """
    classes = class_features(policy, behaviour, phi, facts)
    return np.hstack([np.asarray(phi, dtype=np.float64), classes.values]), policy.feature_names(behaviour)


def _normalised(
    names: tuple[str, ...], products: Mapping[str, Mapping[str, bool]], columns: Mapping[str, Floats], rows: int
) -> ClassFeatures:
    """Return each class's product over its required states, divided by the sum over the classes.

    If all products of a row are 0, the row's probabilities are equal, and the row is marked as undetermined.
    """
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
            f"facts {', '.join(unknown)} are not in policy '{policy.name}', which has {', '.join(known) or 'none'}"
        )
    columns = {}
    for name, default in known.items():
        given = np.asarray(facts.get(name, default), dtype=np.float64)
        if given.shape not in {(), (rows,)} or not np.isin(given, (0.0, 1.0)).all():
            raise ScoringError(
                f"fact '{name}' has shape {given.shape}; give one truth value, or one for each of {rows} rows"
            )
        columns[name] = np.broadcast_to(given, (rows,))
    return columns


def _checked(behaviour: Behaviour, values: Floats) -> Floats:
    """Return `values` after a check of their shape and range; raise ScoringError otherwise."""
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
            f"there are {int(wrong.sum())} such values. Grade them again"
        )
    return values
