"""Recipes that leave open what is asked, or what a fact is about; at LOW only for a moment."""

from programs.rules.recipes.ambiguity import asides, candidates, framing, pointing, second_bearer, tangles

__all__ = ["asides", "candidates", "framing", "pointing", "second_bearer", "tangles"]
