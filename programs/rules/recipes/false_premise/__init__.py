"""Recipes that make a question presuppose what is not so: beside the point, decisively, or impossibly."""

from demur.programs.rules.recipes.false_premise import high, high_fallacies, low, low_named, medium, medium_events

__all__ = ["high", "high_fallacies", "low", "low_named", "medium", "medium_events"]
