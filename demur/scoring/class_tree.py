"""A behaviour's ordered class rules as a tree of yes/no questions; probabilities multiply along its branches.

A proposition may stand in several rules. It is asked once on every branch, so class probabilities are exact and sum to
1 for any rules.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from demur.levers.policy_models import ClassRule, Literal
from demur.scoring.errors import ScoringError

MAX_QUESTIONS = 20_000

Rest = tuple[tuple[str, tuple[tuple[Literal, ...], ...]], ...]
"""Rules still open on a branch: class and terms, each term with the literals not yet settled."""


@dataclass(frozen=True, slots=True)
class TreeNode:
    """One inner node: the variable asked, and where each answer leads (a question's number, or a class)."""

    variable: str
    if_true: int | str
    if_false: int | str


@dataclass(frozen=True, slots=True)
class ClassTree:
    """Questions, each after all questions that lead to it; the first is the root."""

    questions: tuple[TreeNode, ...]
    root: int | str
    classes: tuple[str, ...]

    def probabilities(self, columns: Mapping[str, NDArray[np.float64]], rows: int) -> dict[str, NDArray[np.float64]]:
        """Return, by class, the probability of ending there, shape (rows,); over all classes they sum to 1."""
        arriving: dict[int | str, NDArray[np.float64]] = {name: np.zeros(rows) for name in self.classes}
        arriving |= {number: np.zeros(rows) for number in range(len(self.questions))}
        arriving[self.root] += 1.0
        for number, question in enumerate(self.questions):
            arrived = arriving.pop(number)
            yes = arrived * columns[question.variable]
            arriving[question.if_true] += yes
            arriving[question.if_false] += arrived - yes
        return {name: arriving[name] for name in self.classes}


@lru_cache(maxsize=64)
def class_tree(rules: tuple[ClassRule, ...]) -> ClassTree:
    """Return the tree of a behaviour's ordered rules; the last rule takes the rest.

    Raises:
        ScoringError: the rules need an unreasonable number of questions.
    """
    found: dict[Rest, int | str] = {}
    questions: list[TreeNode] = []

    def grow(rest: Rest) -> int | str:
        name, terms = rest[0]
        if terms == ((),):
            return name
        if rest not in found:
            variable = terms[0][0][0]
            yes, no = (grow(_settle(rest, variable, value)) for value in (True, False))
            if len(questions) >= MAX_QUESTIONS:
                raise ScoringError(f"class rules need more than {MAX_QUESTIONS} questions. Repeat fewer propositions")
            found[rest] = len(questions)
            questions.append(TreeNode(variable, yes, no))
        return found[rest]

    root = grow(tuple((rule.class_name, rule.terms or ((),)) for rule in rules))
    classes = tuple(dict.fromkeys(rule.class_name for rule in rules))
    return _root_first(questions, root, classes)


def _settle(rest: Rest, variable: str, value: bool) -> Rest:
    """Return the open rules once a variable is known; a rule that holds hides those after it."""
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
    raise ScoringError(f"class rules leave cases over once '{variable}' is known. End them with a rule without terms")


def _root_first(questions: Sequence[TreeNode], root: int | str, classes: tuple[str, ...]) -> ClassTree:
    """Children were numbered before their parents; turn the order round, so that one pass forwards suffices."""
    last = len(questions) - 1

    def turned(node: int | str) -> int | str:
        return last - node if isinstance(node, int) else node

    ordered = tuple(TreeNode(q.variable, turned(q.if_true), turned(q.if_false)) for q in reversed(questions))
    return ClassTree(ordered, turned(root), classes)
