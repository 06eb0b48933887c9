"""Recipes that take away something a text used to say: a detail, the answer, or all that bears on it."""

from demur.programs.rules.recipes.missing_info import (
    adjuncts,
    clauses,
    figures,
    hide,
    low,
    low_clauses,
    low_figures,
    replace_context,
    roles,
    withhold,
)

__all__ = [
    "adjuncts",
    "clauses",
    "figures",
    "hide",
    "low",
    "low_clauses",
    "low_figures",
    "replace_context",
    "roles",
    "withhold",
]
