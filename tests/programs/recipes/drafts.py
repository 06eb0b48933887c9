"""Drafts of every recipe of a class on a base instance, with what the code checks say of them."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from levers.load import load_catalogue
from levers.models import Lever
from levers.vocabulary import LeverClass
from programs.checks.results import CheckResult, Outcome
from programs.checks.run import check
from programs.instances import BaseInstance, ChangedPassage, Perturbation, Stratum
from programs.rules.analysis.analysis import analyse
from programs.rules.edits.style import Style
from programs.rules.recipes.registry import Declined, Draft, find_recipe


@dataclass(frozen=True, slots=True)
class Pulled:
    """A lever, what its recipe made of the base instance, and the results of the checks on a draft."""

    lever: Lever
    made: Draft | Declined
    results: tuple[CheckResult, ...]

    @property
    def failures(self) -> tuple[str, ...]:
        return tuple(f"{self.lever.name}: {r.evidence}" for r in self.results if r.outcome is Outcome.FAIL)


def executable(lever_class: LeverClass) -> tuple[Lever, ...]:
    return tuple(lever for lever in load_catalogue() if lever.lever_class is lever_class and lever.recipe)


def pull(base: BaseInstance, lever: Lever, seed: int = 1, style: Style = Style.TERSE) -> Pulled:
    assert lever.recipe is not None
    made = find_recipe(lever.recipe)(analyse(base), style, random.Random(seed))
    if isinstance(made, Declined):
        return Pulled(lever, made, ())
    changed = tuple(ChangedPassage(index=i, text=t) for i, t in made.changed.items())
    perturbation = Perturbation(question=made.question, changed=changed, lever=lever.name)
    stratum = Stratum(lever_class=lever.lever_class, intensity=lever.intensity)
    return Pulled(lever, made, check(base, perturbation, lever, stratum))


def pull_all(base: BaseInstance, lever_class: LeverClass, seed: int = 1) -> Iterator[Pulled]:
    for number, lever in enumerate(executable(lever_class)):
        yield pull(base, lever, seed + number, list(Style)[(seed + number) % 2])
