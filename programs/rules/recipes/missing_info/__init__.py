"""Recipes that take away something a text used to say: a detail, the answer, or all that bears on it."""

from programs.rules.recipes.missing_info import erase, hide, low, replace_context, withhold

__all__ = ["erase", "hide", "low", "replace_context", "withhold"]
