"""Marks in passages: a name with two meanings, statements that clash, gaps where a fact should stand."""

from pathlib import Path
from typing import Final

from demur.rules.roles.marks.patterns import any_of, read_patterns, shown

_MARKS: Final = read_patterns(Path(__file__).with_name("marks.yaml"))
_TWO_READINGS: Final = any_of(*_MARKS["two_readings"])
_CLASHING: Final = any_of(*_MARKS["clashing"])
_GAPS: Final = any_of(*_MARKS["gaps"])


def ambiguous_context(text: str) -> frozenset[str]:
    """Return the phrases by which a text offers two readings of one thing."""
    return shown(_TWO_READINGS, text)


def contradicting(text: str) -> frozenset[str]:
    """Return the phrases by which a text sets one statement against another."""
    return shown(_CLASHING, text)


def missing(text: str) -> frozenset[str]:
    """Return the gaps of a text: placeholders, pointers to elsewhere, remarks that something is not given."""
    return shown(_GAPS, text)
