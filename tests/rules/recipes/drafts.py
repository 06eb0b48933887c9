"""Drafts of the recipes of a class on a base instance, with what the code checks say of them."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from demur.levers.catalogue import load_catalogue
from demur.levers.instances import BaseInstance, ChangedPassage, Perturbation, Stratum
from demur.levers.lever_models import Lever, Style
from demur.levers.vocabulary import Intensity, LeverClass
from demur.programs.checks.changes import CheckResult, Outcome
from demur.programs.checks.run import check
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, find_operator
from demur.rules.rivals import Corpus
from demur.text.analysis import analyse
from tests.text.bases import MADE

CORPUS = Corpus.of(MADE)
"""The made base instances, from which recipes take other values and passages."""


@cache
def levers_of(lever_class: LeverClass) -> dict[str, Lever]:
    """Return the levers of a class in our catalogue by name; the catalogue is read once."""
    return {lever.name: lever for lever in _catalogue() if lever.lever_class is lever_class}


@cache
def _catalogue() -> tuple[Lever, ...]:
    return tuple(load_catalogue())


@dataclass(frozen=True, slots=True)
class Pulled:
    """A lever, what its recipe made of the base instance, and the results of the checks on a draft."""

    lever: Lever
    made: Draft | Declined
    results: tuple[CheckResult, ...]

    @property
    def failures(self) -> tuple[str, ...]:
        return tuple(f"{self.lever.name}: {r.evidence}" for r in self.results if r.outcome is Outcome.FAIL)


@dataclass(frozen=True, slots=True)
class Recipes:
    """The levers of a class that have a recipe, to be pulled one at a time by name, or all in turn."""

    of: LeverClass

    @property
    def levers(self) -> tuple[Lever, ...]:
        return tuple(lever for lever in levers_of(self.of).values() if lever.recipe)

    def pull(self, base: BaseInstance, name: str, seed: int = 1, style: Style = Style.TERSE) -> Pulled:
        """Return what the lever's recipe makes of the base, checked."""
        lever = levers_of(self.of)[name]
        assert lever.recipe is not None
        made = find_operator(lever.recipe)(Pull(analyse(base), lever, style, random.Random(seed), CORPUS))
        if isinstance(made, Declined):
            return Pulled(lever, made, ())
        changed = tuple(ChangedPassage(index=i, text=t) for i, t in made.changed.items())
        perturbation = Perturbation(question=made.question, changed=changed, lever=lever.name)
        stratum = Stratum(lever_class=lever.lever_class, intensity=lever.intensity)
        return Pulled(lever, made, check(base, perturbation, lever, stratum))

    def pull_all(self, base: BaseInstance, seed: int = 1) -> Iterator[Pulled]:
        """Pull every lever, with seeds that count up and the two styles in turn."""
        for number, lever in enumerate(self.levers, seed):
            yield self.pull(base, lever.name, number, list(Style)[number % 2])

    def drafts(self, base: BaseInstance, seed: int = 1) -> Iterator[tuple[Lever, Draft]]:
        """Pull every lever, and leave out those that decline."""
        for pulled in self.pull_all(base, seed):
            if isinstance(pulled.made, Draft):
                yield pulled.lever, pulled.made

    def draft(self, base: BaseInstance, name: str, seed: int = 1, style: Style = Style.TERSE) -> Draft:
        """Return the lever's draft; the test fails where its recipe declines."""
        made = self.pull(base, name, seed, style).made
        assert isinstance(made, Draft), made
        return made

    def declined(self, base: BaseInstance, name: str) -> DeclineReason:
        """Return why the lever's recipe declines; the test fails where it does not."""
        made = self.pull(base, name).made
        assert isinstance(made, Declined), made
        return made.reason

    def reached(self, base: BaseInstance, seed: int) -> set[Intensity]:
        """Return the intensities at which some lever makes a draft that fails no check."""
        return {p.lever.intensity for p in self.pull_all(base, seed) if isinstance(p.made, Draft) and not p.failures}
