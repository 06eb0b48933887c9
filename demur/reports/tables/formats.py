"""Formats of numbers on pages and in terminals. Data files and the Python API have unrounded numbers.

Each kind of value has its format:

    shares                  per cent with one decimal
    differences of shares   points with one decimal
    dollars                 two decimals; amounts below a cent have two significant digits
    counts                  thin spaces between thousands
    tokens                  like counts; rounded to three digits from 100 000 on
    times                   UTC, to the minute
    digests                 the first digits
"""

from collections.abc import Callable
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Final

from demur.reports.texts import MINUS, THIN_SPACE, count, is_known, percent, signed, small

UNKNOWN: Final = "not known"
"""The text of a null without a stated reason."""
SHORTENED_FROM: Final = 100_000
"""Least number of tokens that is rounded to three digits."""
SHOWN_OF_DIGEST: Final = 12
_UNITS: Final = (("G", 1e9), ("M", 1e6), ("k", 1e3))


class CellKind(StrEnum):
    """Kinds of values of a column, for formatting and alignment."""

    TEXT = "text"
    RATE = "rate"
    POINTS = "points"
    DIFFERENCE = "difference"
    COUNT = "count"
    TOKENS = "tokens"
    DECIMAL = "decimal"
    SMALL = "small"
    DOLLARS = "dollars"
    TIME = "time"
    DAY = "day"
    FLAG = "flag"
    LIST = "list"
    DIGEST = "digest"


TO_THE_RIGHT: Final = frozenset(
    (
        CellKind.RATE,
        CellKind.POINTS,
        CellKind.DIFFERENCE,
        CellKind.COUNT,
        CellKind.TOKENS,
        CellKind.DECIMAL,
        CellKind.SMALL,
        CellKind.DOLLARS,
    )
)
"""Kinds of right-aligned columns."""


def written(value: object, kind: CellKind, null: str = UNKNOWN) -> str:
    """Return a value as text. `null` is the text for None, NaN and infinity."""
    if value is None or (isinstance(value, float) and not is_known(value)):
        return null
    return _WRITERS[kind](value)


def with_interval(value: str, low: object, high: object, kind: CellKind) -> str:
    """Return a formatted value with its interval, such as `89.8 % (84.1 to 93.7)`.

    If an end is unknown, the text has no interval.
    """
    if not is_known(low) or not is_known(high):
        return value
    ends = (written(end, kind).removesuffix(" %") for end in (low, high))
    return f"{value} ({' to '.join(ends)})"


def rate(share: object) -> str:
    """Return a share in [0, 1] in per cent, such as `89.8 %`."""
    return f"{percent(share)} %"


def difference(of_shares: object) -> str:
    """Return a difference of shares in points with its sign, such as `+3.1`."""
    return signed(100 * float(of_shares), 1) if is_known(of_shares) else UNKNOWN


def decimal(value: object) -> str:
    """Return a number to two decimals, such as a coefficient of agreement."""
    return f"{float(value):.2f}".replace("-", MINUS) if is_known(value) else UNKNOWN


def dollars(usd: object) -> str:
    """Return dollars with two decimals, such as `$6 204.80`. Amounts below a cent have two significant digits."""
    if not is_known(usd):
        return UNKNOWN
    amount = float(usd)
    if amount == 0 or abs(amount) >= 0.01:
        return f"${amount:,.2f}".replace(",", THIN_SPACE).replace("$-", f"{MINUS}$")
    places = 2
    while places < 9 and round(abs(amount), places) < 10 ** (1 - places):
        places += 1
    return f"${amount:.{places}f}".replace("$-", f"{MINUS}$")


def tokens(number: object) -> str:
    """Return a number of tokens, rounded to three digits from SHORTENED_FROM on: `94 240`, `94.2 M`."""
    if not is_known(number):
        return UNKNOWN
    if abs(float(number)) < SHORTENED_FROM:
        return count(number)
    for unit, size in _UNITS:
        if abs(float(number)) >= size * 0.9995:
            return f"{float(f'{float(number) / size:.3g}'):g}{THIN_SPACE}{unit}".replace("-", MINUS)
    return count(number)


def moment(value: object) -> str:
    """Return a time in UTC to the minute."""
    if not isinstance(value, datetime):
        return str(value)
    aware = value if value.tzinfo is None else value.astimezone(UTC)
    return f"{aware:%Y-%m-%d %H:%M}"


def _day(value: object) -> str:
    return f"{value:%Y-%m-%d}" if isinstance(value, date) else str(value)


def _flag(value: object) -> str:
    return "yes" if value else "no"


def _listed(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


_WRITERS: Final[dict[CellKind, Callable[[object], str]]] = {
    CellKind.TEXT: str,
    CellKind.RATE: rate,
    CellKind.POINTS: percent,
    CellKind.DIFFERENCE: difference,
    CellKind.COUNT: count,
    CellKind.TOKENS: tokens,
    CellKind.DECIMAL: decimal,
    CellKind.SMALL: small,
    CellKind.DOLLARS: dollars,
    CellKind.TIME: moment,
    CellKind.DAY: _day,
    CellKind.FLAG: _flag,
    CellKind.LIST: _listed,
    CellKind.DIGEST: lambda digest: str(digest)[:SHOWN_OF_DIGEST],
}
