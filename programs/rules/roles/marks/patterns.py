"""Alternatives as one pattern, and how many of them a text shows."""

import re


def spaced(pattern: str) -> str:
    """Return a pattern in which each space stands for white space, and ' ?' for any or none of it."""
    return re.sub(r" (?![?*+{])", r"\\s+", pattern.replace(" ?", r"\s*"))


def any_of(*alternatives: str) -> re.Pattern[str]:
    """Return a pattern of whole-word alternatives in which case does not matter and a space stands for white space."""
    return re.compile(rf"(?<!\w)(?:{spaced('|'.join(alternatives))})(?!\w)", re.IGNORECASE)


def shown(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    """Return what a pattern finds in a text, in lower case, each wording once."""
    return frozenset(" ".join(match.group().casefold().split()) for match in pattern.finditer(text))
