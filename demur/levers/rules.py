"""Rules for the class of a completion, written as English terms over propositions."""

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated

from pydantic import Field, StringConstraints, field_validator

from demur.levers.models import Strict

Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
Literal = tuple[str, bool]
"""A proposition (or fact) and the truth that a term asks of it."""


class ClassRule(Strict):
    """A class and its terms, any of which puts a completion into it; a class without terms takes the rest.

    A term joins propositions with "and", each optionally after "not": `attempts_answer and not claims_supported`. Rules
    stand in order and the first that holds wins, so classes exclude each other.
    """

    class_name: Name = Field(alias="class")
    any: tuple[str, ...] = ()

    @field_validator("any")
    @classmethod
    def _readable(cls, terms: tuple[str, ...]) -> tuple[str, ...]:
        for term in terms:
            literals(term)
        return terms

    @cached_property
    def terms(self) -> tuple[tuple[Literal, ...], ...]:
        """The parsed terms; empty for the rule that takes the rest."""
        return tuple(literals(term) for term in self.any)


def literals(term: str) -> tuple[Literal, ...]:
    """Return the propositions of a term with the truth asked of each.

    Raises:
        ValueError: the term is not names joined by "and", each optionally after "not".
    """
    wanted: dict[str, bool] = {}
    for part in term.split(" and "):
        words = part.split()
        negated = words[:1] == ["not"]
        name = words[negated:]
        if len(name) != 1 or not name[0].replace("_", "a").isalnum() or name[0] in {"and", "not", "or"}:
            raise ValueError(f"term '{term}' must be names joined by 'and', each optionally after 'not'")
        if wanted.setdefault(name[0], not negated) == negated:
            raise ValueError(f"term '{term}' asks that {name[0]} be true and false. Remove one")
    return tuple(wanted.items())


def holds(rule: ClassRule, known: Mapping[str, bool]) -> bool:
    """Return whether a rule puts a completion into its class, given the truth of all its propositions."""
    return not rule.terms or any(all(known[name] == wanted for name, wanted in term) for term in rule.terms)
