"""Recipes that make passages disagree: about something beside the point, about what is asked, or beyond mending."""

from demur.programs.rules.recipes.contradiction import (
    high,
    high_logic,
    low,
    low_asked,
    low_people,
    medium,
    medium_typed,
)

__all__ = ["high", "high_logic", "low", "low_asked", "low_people", "medium", "medium_typed"]
