"""Likeness of texts by the content words that they share."""

import math
from collections.abc import Set


def likeness(words: Set[str], said: Set[str]) -> float:
    """Return how many words of a text are among others, divided by the root of how many it has."""
    return len(words & said) / math.sqrt(len(words) or 1)
