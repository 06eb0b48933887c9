"""Recipes of P-EpistemicMismatch: ask for another kind of knowledge than facts."""

from demur.programs.rules.recipes.epistemic import high, low, low_wrapped, medium

__all__ = ["high", "low", "low_wrapped", "medium"]
