"""Texts and numbers for pages: safe text from outside, formatted numbers, values with intervals."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeGuard

from markupsafe import Markup, escape

MINUS: Final = "\N{MINUS SIGN}"
EN_DASH: Final = "\N{EN DASH}"
THIN_SPACE: Final = "\N{NARROW NO-BREAK SPACE}"
UNDEFINED: Final = "n/a"
_RAISED: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

# C0 and C1 controls; marks that reorder what follows; invisible fillers; lone surrogates; characters that are none.
_HARMFUL: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\ufffe\uffff\U000e0000-\U000e007f]"
)
_LINE_ENDS: Final = re.compile("\r\n?|\u2028|\u2029")
_CONTROL_PICTURES: Final = 0x2400
_ADDRESS_MARKS: Final = re.compile(r"(?<=/)/|(?<=http):|(?<=https):|(?<=url)\(", re.IGNORECASE)


def neutralise(text: str) -> str:
    """Return text with a visible sign in place of every control, reordering or invisible character.

    Line ends become line feeds, and tabs stay. C0 controls become control pictures. All other such characters become a
    text such as `[U+202E]`.
    """
    return _HARMFUL.sub(_sign, _LINE_ENDS.sub("\n", text))


def _sign(match: re.Match[str]) -> str:
    point = ord(match.group())
    return chr(_CONTROL_PICTURES + point) if point < 0x20 else f"[U+{point:04X}]"


def as_data(value: object) -> Markup:
    """Return a value as escaped HTML for element content and quoted attributes. None gives an empty text.

    A value of the type Markup is returned unchanged. Some characters of web addresses are written as character
    references, so that no tool finds addresses in the source of a page.
    """
    if isinstance(value, Markup):
        return value
    html = "" if value is None else str(escape(neutralise(str(value))))
    return Markup(_ADDRESS_MARKS.sub(lambda match: f"&#{ord(match.group())};", html))


def is_known(value: object) -> TypeGuard[float]:
    """Return whether a value is a finite number."""
    try:
        return value is not None and math.isfinite(float(value))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False


def percent(value: object) -> str:
    """Return a share in [0, 1] in per cent without the sign `%`, such as `52.3`, or `n/a` if undefined."""
    return f"{100 * float(value):.1f}".replace("-", MINUS) if is_known(value) else UNDEFINED


def signed(value: object, digits: int = 2) -> str:
    """Return a number with its sign, such as `+0.52`, or `n/a` if undefined. Zero has no sign."""
    if not is_known(value):
        return UNDEFINED
    shown = f"{float(value):+.{digits}f}"
    return shown[1:] if float(shown) == 0 else shown.replace("-", MINUS)


def count(value: object) -> str:
    """Return a whole number with thin spaces between thousands; `n/a` if undefined."""
    return f"{round(float(value)):,}".replace(",", THIN_SPACE).replace("-", MINUS) if is_known(value) else UNDEFINED


def counted(number: object, one: str, many: str | None = None) -> str:
    """Return a whole number with its noun, such as `1 stratum` or `18 strata`. Without `many` the plural ends in s."""
    return f"{count(number)} {one if number == 1 else many or f'{one}s'}"


def small(value: object) -> str:
    """Return a number with three significant digits, such as `0.131` or `3.1 × 10⁻⁹`; `n/a` if undefined."""
    if not is_known(value):
        return UNDEFINED
    digits, _, power = f"{float(value):.3g}".partition("e")
    times = f" × 10{str(int(power)).translate(_RAISED)}" if power else ""
    return digits.replace("-", MINUS) + times


# A value with its interval, for pages.


Row = dict[str, Any]
"""A row by column name."""


@dataclass(frozen=True, slots=True)
class Score:
    """A value with its 95 % interval. If `value` is None, `reason` says why the value is undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str | None = None

    @property
    def has_interval(self) -> bool:
        """True if both ends are known."""
        return self.low is not None and self.high is not None


def score(row: Mapping[str, Any], value: str = "value", low: str = "low", high: str = "high") -> Score:
    """Return the score in the columns `value`, `low`, `high` and `reason` of a row."""
    return Score(row[value], row.get(low), row.get(high), row.get("reason"))
