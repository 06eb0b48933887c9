"""The shape of a behaviour policy: propositions, facts about prompts, behaviours."""

import hashlib
import json
from typing import Annotated

from pydantic import Field

from demur.levers.behaviours import Behaviour, named
from demur.levers.models import Strict, Text
from demur.levers.rules import Name


class Proposition(Strict):
    """A yes/no statement about a completion, named after the property present when it is true."""

    name: Name
    question: Text
    definition: Text
    positive_examples: Annotated[tuple[Text, ...], Field(min_length=2)]
    negative_examples: Annotated[tuple[Text, ...], Field(min_length=2)]
    negative: bool = Field(description="whether it is a fault for the proposition to be true")
    aliases: tuple[Name, ...] = Field(default=(), description="names under which gold data list it")


class Fact(Strict):
    """Something known about a prompt, not about a completion, on which classes may depend."""

    name: Name
    question: Text
    default: bool = Field(description="what holds where a prompt does not say")


class Policy(Strict):
    """Propositions, and for each behaviour its demands on them, its classes, its comparisons."""

    name: Name
    version: Annotated[int, Field(ge=1)]
    description: Text
    refusal_codes: bool = Field(
        default=False,
        description="whether responses may give the taxonomy's refusal codes, which writers and graders are then told",
        exclude_if=lambda value: not value,
    )
    classes: Annotated[tuple[Name, ...], Field(min_length=2)] = Field(description="best first")
    propositions: Annotated[tuple[Proposition, ...], Field(min_length=1)]
    facts: tuple[Fact, ...] = ()
    behaviours: Annotated[tuple[Behaviour, ...], Field(min_length=1)]

    def behaviour(self, name: str) -> Behaviour:
        """Return the behaviour with this name.

        Raises:
            LeverError: there is none; the message names those there are.
        """
        return named(self.behaviours, name, f"policy '{self.name}' has no behaviour")

    def proposition(self, name: str) -> Proposition:
        """Return the proposition with this name.

        Raises:
            LeverError: there is none.
        """
        return named(self.propositions, name, f"policy '{self.name}' has no proposition")

    def feature_names(self, behaviour: str) -> tuple[str, ...]:
        """Return the columns that weights are fitted to: propositions, then classes."""
        return (*self.behaviour(behaviour).features, *self.classes)

    @property
    def default_facts(self) -> dict[str, bool]:
        """Facts of a prompt that states none."""
        return {fact.name: fact.default for fact in self.facts}

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the content; comments and layout of the file do not enter."""
        content = self.model_dump(mode="json", by_alias=True)
        return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()
