"""Ordered class rules of a behaviour as a tree of yes/no questions.

A proposition that stands in several rules is asked once on each branch. Probabilities multiplied along the branches
(`demur_reward.branch_probabilities`) are thus exact, and sum to 1 over the classes.
"""

from functools import lru_cache
from typing import TypedDict

from demur.levers.policy_models import ClassRule, Literal
from demur.scoring.errors import ScoringError

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
