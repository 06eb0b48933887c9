"""Recipes of before that take (analysis, style, rng), registered as operators; none takes frames."""

import random
from collections.abc import Callable
from typing import Protocol

from demur.programs.rules.edits.style import Style
from demur.programs.rules.operators.registry import Declined, DeclineReason, Draft, Pull, operator
from demur.programs.text.analysis import Analysis

__all__ = ["Declined", "DeclineReason", "Draft", "Recipe", "recipe"]


class Recipe(Protocol):
    """Pulls one lever on one analysed base instance, or says why it can't; deterministic in the state of `rng`."""

    def __call__(self, analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
        """Return the perturbed question and passages."""
        ...


def recipe(name: str, *, last: bool = False) -> Callable[[Recipe], Recipe]:
    """Register a function as the operator `name`."""

    def register(function: Recipe) -> Recipe:
        def pulled(pull: Pull) -> Draft | Declined:
            return function(pull.analysis, pull.style, pull.rng)

        operator(name, last=last)(pulled)
        return function

    return register
