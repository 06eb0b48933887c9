"""Recipes that leave open what is asked, or what a fact is about; at LOW only for a moment."""

from demur.programs.rules.recipes.ambiguity import (
    asides,
    asides_named,
    candidates,
    deictic,
    framing,
    mapping,
    pointing,
    second_bearer,
    sluice,
    tangles,
    time_basis,
    two_people,
)

__all__ = [
    "asides",
    "asides_named",
    "candidates",
    "deictic",
    "framing",
    "mapping",
    "pointing",
    "second_bearer",
    "sluice",
    "tangles",
    "time_basis",
    "two_people",
]
