"""Recipes of P-GranularityMismatch: ask on another scale than the passages speak on."""

from demur.programs.rules.recipes.granularity import generalise, high, low_levels, low_values, parts, tables, trends

__all__ = ["generalise", "high", "low_levels", "low_values", "parts", "tables", "trends"]
