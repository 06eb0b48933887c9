"""Recipes that leave open what is asked, or what a fact is about; at LOW only for a moment."""

from programs.rules.recipes.ambiguity import (
    asides,
    candidates,
    framing,
    mapping,
    pointing,
    second_bearer,
    tangles,
    time_basis,
)

__all__ = ["asides", "candidates", "framing", "mapping", "pointing", "second_bearer", "tangles", "time_basis"]
