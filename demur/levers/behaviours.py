"""The parts of one behaviour of a policy: statuses, classes, comparison labels, faults.

Source: "Rule Based Rewards for Language Model Safety" (Mu et al., NeurIPS 2024), propositions, classes, comparisons.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Annotated, Protocol, Self, TypeVar

from pydantic import Field, model_validator

from demur.levers.errors import LeverError
from demur.levers.explain import did_you_mean
from demur.levers.models import Strict, Text
from demur.levers.rules import ClassRule, Name, holds


class Status(StrEnum):
    """A behaviour's demand on a proposition; `none` and unnamed propositions are no features of it."""

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
        """The sign that the proposition's weight should earn: 1, -1, or 0 where either is fine."""
        if self in (Status.REQUIRED, Status.DESIRED):
            return 1
        return 0 if self in (Status.ACCEPTABLE, Status.NONE) else -1


class Label(Strict):
    """A kind of written completion, and where it stands in comparisons on one prompt."""

    name: Name
    description: Text
    better_than: tuple[Name, ...]
    meant_true: tuple[Name, ...] = Field(description="all other features are meant to be false")
    meant_true_where: dict[Name, tuple[Name, ...]] = Field(default_factory=dict, description="more of them, by fact")
    class_name: Name | None = Field(
        default=None, alias="class", description="the class meant, where faults do not vary it"
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
    """One way to spoil a completion, and the propositions whose intended truth it changes."""

    name: Name
    instruction: Text
    sets: Annotated[dict[Name, bool], Field(min_length=1)]
    excludes: tuple[Name, ...] = Field(
        default=(), description="faults that no completion can have beside this one", exclude_if=lambda names: not names
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
        description="instead of rules, where classes do not partition: states whose product is taken",
    )
    labels: Annotated[tuple[Label, ...], Field(min_length=2)]
    faults: tuple[Fault, ...] = ()

    @property
    def features(self) -> tuple[str, ...]:
        """The propositions that are features of this behaviour, in the order of columns."""
        return tuple(name for name, status in self.statuses.items() if status is not Status.NONE)

    @property
    def is_partition(self) -> bool:
        """True where the classes exclude each other and cover every case."""
        return bool(self.classes)

    def label(self, name: str) -> Label:
        """Return the comparison label with this name."""
        return named(self.labels, name, f"behaviour '{self.name}' has no label")

    @property
    def order(self) -> frozenset[tuple[str, str]]:
        """All pairs (better label, worse label), with those that follow from others."""
        pairs = {(label.name, worse) for label in self.labels for worse in label.better_than}
        while more := {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs:
            pairs |= more
        return frozenset(pairs)

    def compatible(self, fault: Fault, other: Fault) -> bool:
        """Return whether a completion can have both faults; an exclusion by one of them is enough."""
        return other.name not in fault.excludes and fault.name not in other.excludes

    def truth(
        self, label: Label, faults: Iterable[Fault] = (), facts: Mapping[str, bool] | None = None
    ) -> dict[str, bool]:
        """Return the truth of every feature that a completion with this label and these faults is meant to have."""
        true = {
            *label.meant_true,
            *(name for fact, names in label.meant_true_where.items() if (facts or {}).get(fact) for name in names),
        }
        truth = {name: name in true for name in self.features}
        for fault in faults:
            truth |= fault.sets
        return truth

    def class_of(self, truth: Mapping[str, bool], facts: Mapping[str, bool] | None = None) -> str:
        """Return the class of a completion whose propositions are known; only for classes that partition.

        Raises:
            LeverError: the classes do not partition, or a proposition or fact that they need is not given.
        """
        known = {**(facts or {}), **truth}
        for rule in self.classes:
            needed = {name for term in rule.terms for name, _ in term}
            if absent := needed - known.keys():
                raise LeverError(f"behaviour '{self.name}': no truth is given for {', '.join(sorted(absent))}. Add it")
            if holds(rule, known):
                return rule.class_name
        raise LeverError(f"behaviour '{self.name}' has products, which name no single class. Give it class rules")


class _HasName(Protocol):
    @property
    def name(self) -> str: ...


Named = TypeVar("Named", bound=_HasName)


def named(things: Iterable[Named], name: str, complaint: str) -> Named:
    """Return the thing with this name.

    Raises:
        LeverError: there is none; the message names those there are.
    """
    known = {thing.name: thing for thing in things}
    if name not in known:
        raise LeverError(f"{complaint} '{name}'; it has {', '.join(known)}{did_you_mean(name, list(known))}")
    return known[name]
