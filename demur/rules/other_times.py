"""Where a date can be moved to without leaving its place among the times that passages tell."""

from collections.abc import Sequence
from typing import NamedTuple

from demur.text.dates import DateMention, DatePrecision

Day = tuple[int, int, int]
"""Year, month and day; 0 for a day that is not told."""


class Move(NamedTuple):
    """By how much a date is moved."""

    years: int = 0
    months: int = 0


def other_times(date: DateMention, known: tuple[int, ...], days: Sequence[Day] = ()) -> list[Move]:
    """Return how a date can be moved so that it keeps its place: between the years, or within its year, the days known.

    One with a month moves within its year, a year by a few.
    """
    if date.month is not None and date.precision is not DatePrecision.SEASON:
        own = (date.year or 0, date.month, date.day or 0)
        others = {day for day in days if day != own and day[0] == own[0]}
        return [
            Move(months=by)
            for by in (-4, -3, -2, 2, 3, 4)
            if 1 <= date.month + by <= 12
            and all((day < own) is (day < (own[0], own[1] + by, own[2])) for day in others)
        ]
    if date.year is None:
        return []
    if date.precision in (DatePrecision.DECADE, DatePrecision.CENTURY):
        by = 10 if date.precision is DatePrecision.DECADE else 100
        return [Move(years=-by), Move(years=by)]
    earlier = max((y for y in known if y < date.year), default=date.year - 10)
    later = min((y for y in known if y > date.year), default=date.year + 5)
    return [Move(years=by) for by in (-4, -3, -2, 2, 3, 4) if earlier < date.year + by < later]
