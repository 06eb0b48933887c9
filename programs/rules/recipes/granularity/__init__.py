"""Recipes of P-GranularityMismatch: ask on another scale than the passages speak on."""

from programs.rules.recipes.granularity import high, low, medium

__all__ = ["high", "low", "medium"]
