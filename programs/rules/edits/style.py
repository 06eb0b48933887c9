"""The two manners in which the rules lane writes, so that two rules generators do not write alike."""

from enum import StrEnum


class Style(StrEnum):
    """TERSE is minimal and telegraphic; ELABORATE is fuller, as in a newspaper."""

    TERSE = "terse"
    ELABORATE = "elaborate"


def phrase(style: Style, terse: str, elaborate: str) -> str:
    """Return the wording for a style."""
    return terse if style is Style.TERSE else elaborate
