"""The shape of a behaviour policy: propositions, facts about prompts, behaviours with classes, labels and faults.

Source: "Rule Based Rewards for Language Model Safety" (Mu et al., NeurIPS 2024). Propositions, classes and comparisons
are as in this paper.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Protocol, Self, TypeVar

from pydantic import Field, StringConstraints, field_validator, model_validator

from demur.levers.explain import LeverError, did_you_mean
from demur.levers.lever_models import Strict, Text

Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
Literal = tuple[str, bool]
"""A proposition (or fact), and the truth that a term demands."""


class ClassRule(Strict):
    """A class and its terms, joined by "or"; a class without terms takes the remaining completions.

    A term joins propositions with "and", each optionally after "not": `attempts_answer and not claims_supported`. A
    completion gets the class of the first rule that holds, so classes exclude each other.
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
        """The parsed terms; empty for the rule of the remaining completions."""
        return tuple(literals(term) for term in self.any)


def literals(term: str) -> tuple[Literal, ...]:
    """Return the propositions of a term with their demanded truth.

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
            raise ValueError(f"term '{term}' requires {name[0]} to be both true and false. Remove one")
    return tuple(wanted.items())


def holds(rule: ClassRule, known: Mapping[str, bool]) -> bool:
    """Return whether a rule puts a completion into the rule's class.

    `known` has the truth of propositions and facts.
    """
    return not rule.terms or any(all(known[name] == wanted for name, wanted in term) for term in rule.terms)


class Status(StrEnum):
    """A behaviour's demand on a proposition.

    A proposition without a status, or with the status `none`, is not a feature.
    """

    REQUIRED = "required"
    DESIRED = "desired"
    ACCEPTABLE = "acceptable"
    UNACCEPTABLE = "unacceptable"
    UNDESIRED = "undesired"
    ILLOGICAL = "illogical"
    DISALLOWED = "disallowed"
    REQUIRED_FALSE = "required_false"
    DESIRED_FALSE = "desired_false"
    NONE = "none"

    @property
    def sign(self) -> int:
        """The expected sign of the proposition's weight: 1, -1, or 0 if both signs are possible."""
        if self in (Status.REQUIRED, Status.DESIRED):
            return 1
        return 0 if self in (Status.ACCEPTABLE, Status.NONE) else -1


class Label(Strict):
    """A kind of completion that writers write. `better_than` names the labels of worse completions."""

    name: Name
    description: Text
    better_than: tuple[Name, ...]
    meant_true: tuple[Name, ...] = Field(
        description="features that are meant to be true; all others are meant to be false"
    )
    meant_true_where: dict[Name, tuple[Name, ...]] = Field(
        default_factory=dict, description="further features that are meant to be true, by fact"
    )
    class_name: Name | None = Field(
        default=None, alias="class", description="intended class; left out if faults vary it"
    )
    variants: Annotated[int, Field(ge=1)] = Field(description="completions written per prompt")
    faults: tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]] | None = Field(
        default=None, description="least and most faults that are sampled for each completion"
    )

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.faults is not None and self.faults[0] > self.faults[1]:
            raise ValueError(f"faults {list(self.faults)} must be [least, most]")
        if (self.faults is None) == (self.class_name is None):
            raise ValueError("give either class (the class meant) or faults ([least, most])")
        return self


class Fault(Strict):
    """A fault of a completion, and the propositions whose intended truth it changes."""

    name: Name
    instruction: Text
    sets: Annotated[dict[Name, bool], Field(min_length=1)]
    excludes: tuple[Name, ...] = Field(
        default=(), description="faults that cannot occur together with this one", exclude_if=lambda names: not names
    )


class Behaviour(Strict):
    """Good completions for one kind of prompt."""

    name: Name
    description: Text
    response_types: dict[Text, dict[Name, bool]] = Field(
        default_factory=dict, description="names under which gold data list this behaviour, with the facts they imply"
    )
    statuses: Annotated[dict[Name, Status], Field(min_length=1)]
    classes: tuple[ClassRule, ...] = Field(
        default=(), description="ordered rules; the first that holds names the class"
    )
    products: dict[Name, dict[Name, bool]] = Field(
        default_factory=dict,
        description="in place of rules, for classes that are no partition: states whose probabilities are multiplied",
    )
    labels: Annotated[tuple[Label, ...], Field(min_length=2)]
    faults: tuple[Fault, ...] = ()

    @property
    def features(self) -> tuple[str, ...]:
        """The propositions that are features of this behaviour, in the order of `statuses`."""
        return tuple(name for name, status in self.statuses.items() if status is not Status.NONE)

    @property
    def is_partition(self) -> bool:
        """True if the classes exclude each other and cover every case."""
        return bool(self.classes)

    def label(self, name: str) -> Label:
        """Return the comparison label with a name."""
        return named(self.labels, name, f"behaviour '{self.name}' has no label")

    @property
    def order(self) -> frozenset[tuple[str, str]]:
        """All pairs (better label, worse label); pairs that follow from other pairs are included."""
        pairs = {(label.name, worse) for label in self.labels for worse in label.better_than}
        while more := {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs:
            pairs |= more
        return frozenset(pairs)

    def compatible(self, fault: Fault, other: Fault) -> bool:
        """Return whether a completion can have both faults."""
        return other.name not in fault.excludes and fault.name not in other.excludes

    def truth(
        self, label: Label, faults: Iterable[Fault] = (), facts: Mapping[str, bool] | None = None
    ) -> dict[str, bool]:
        """Return the intended truth of each feature for a completion with a label and faults."""
        true = {
            *label.meant_true,
            *(name for fact, names in label.meant_true_where.items() if (facts or {}).get(fact) for name in names),
        }
        truth = {name: name in true for name in self.features}
        for fault in faults:
            truth |= fault.sets
        return truth

    def class_of(self, truth: Mapping[str, bool], facts: Mapping[str, bool] | None = None) -> str:
        """Return the class of a completion with known propositions.

        Raises:
            LeverError: the classes are no partition, or a needed proposition or fact is missing.
        """
        known = {**(facts or {}), **truth}
        for rule in self.classes:
            needed = {name for term in rule.terms for name, _ in term}
            if absent := needed - known.keys():
                raise LeverError(f"behaviour '{self.name}': no truth is given for {', '.join(sorted(absent))}. Add it")
            if holds(rule, known):
                return rule.class_name
        raise LeverError(
            f"behaviour '{self.name}' has products, which do not give one class. Give the behaviour class rules"
        )


class _HasName(Protocol):
    @property
    def name(self) -> str: ...


Named = TypeVar("Named", bound=_HasName)


def named(things: Iterable[Named], name: str, complaint: str) -> Named:
    """Return the element with a name.

    Raises:
        LeverError: there is none; the message gives the known names.
    """
    known = {thing.name: thing for thing in things}
    if name not in known:
        raise LeverError(f"{complaint} '{name}'; it has {', '.join(known)}{did_you_mean(name, list(known))}")
    return known[name]


class Proposition(Strict):
    """A yes/no statement about a completion, named after the property that makes it true."""

    name: Name
    question: Text
    definition: Text
    positive_examples: Annotated[tuple[Text, ...], Field(min_length=2)]
    negative_examples: Annotated[tuple[Text, ...], Field(min_length=2)]
    negative: bool = Field(description="whether the proposition is a fault")
    aliases: tuple[Name, ...] = Field(default=(), description="names under which gold data list it")


class Fact(Strict):
    """A fact about a prompt, on which classes may depend."""

    name: Name
    question: Text
    default: bool = Field(description="value for prompts that do not state the fact")


class Policy(Strict):
    """A policy: propositions, facts, classes and behaviours. Each behaviour makes demands on the propositions."""

    name: Name
    version: Annotated[int, Field(ge=1)]
    description: Text
    refusal_codes: bool = Field(
        default=False,
        description="whether responses may give the taxonomy's refusal codes, which writers and graders are then told",
        exclude_if=lambda value: not value,
    )
    classes: Annotated[tuple[Name, ...], Field(min_length=2)] = Field(description="classes, best first")
    propositions: Annotated[tuple[Proposition, ...], Field(min_length=1)]
    facts: tuple[Fact, ...] = ()
    behaviours: Annotated[tuple[Behaviour, ...], Field(min_length=1)]

    def behaviour(self, name: str) -> Behaviour:
        """Return the behaviour with a name.

        Raises:
            LeverError: there is none; the message gives the known names.
        """
        return named(self.behaviours, name, f"policy '{self.name}' has no behaviour")

    def proposition(self, name: str) -> Proposition:
        """Return the proposition with a name.

        Raises:
            LeverError: there is none; the message gives the known names.
        """
        return named(self.propositions, name, f"policy '{self.name}' has no proposition")

    def feature_names(self, behaviour: str) -> tuple[str, ...]:
        """Return the columns to which weights are fitted: propositions, then classes."""
        return (*self.behaviour(behaviour).features, *self.classes)

    @property
    def default_facts(self) -> dict[str, bool]:
        """The values of all facts for a prompt that states no facts."""
        return {fact.name: fact.default for fact in self.facts}

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the policy; comments and layout of the file do not change it."""
        content = self.model_dump(mode="json", by_alias=True)
        return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()
