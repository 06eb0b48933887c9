"""The two manners in which the rules lane writes, so that two rules generators do not write alike."""

import random

from demur.levers.frames import Style


def phrase(style: Style, terse: str, elaborate: str) -> str:
    """Return the wording for a style."""
    return terse if style is Style.TERSE else elaborate


def pick(style: Style, rng: random.Random, terse: tuple[str, ...], elaborate: tuple[str, ...]) -> str:
    """Return one of the wordings for a style, so that many items of one recipe do not read alike."""
    return rng.choice(terse if style is Style.TERSE else elaborate)
