"""Signs that stand for the layout of a text: raised figures, fractions and roots in one line."""

import re
from typing import Final

_RAISED: Final = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_BRACKETED: Final = re.compile(r"\((?:[^()]|\([^()]*\))*\)")
_SIMPLE: Final = " _^.,"
_RAISABLE: Final = frozenset("0123456789+-−")


def raised(text: str) -> str:
    """Return a superscript: figures are raised, so that 10 to the sixth is no 106; ordinals such as 1st stay."""
    return text.translate(_RAISED) if text and _RAISABLE.issuperset(text) else text


def power(base: str, sub: str = "", sup: str = "") -> str:
    """Return a base with what stands below and above it, such as "x_i^2"."""
    return _grouped(base, _SIMPLE) + (f"_{_grouped(sub)}" if sub else "") + (f"^{_grouped(sup)}" if sup else "")


def fraction(above: str, below: str) -> str:
    """Return a fraction, such as "a/(b+c)"."""
    return f"{_grouped(above)}/{_grouped(below)}"


def root(base: str, degree: str = "") -> str:
    """Return a root, such as "√x"."""
    return f"{degree}√{_grouped(base)}"


def _grouped(part: str, single: str = "") -> str:
    """Return a part in parentheses, unless it is one sign, one word, or in parentheses already."""
    if len(part) == 1 or all(letter.isalnum() or letter in single for letter in part) or _BRACKETED.fullmatch(part):
        return part
    return f"({part})"
