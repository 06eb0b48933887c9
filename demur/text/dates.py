"""Dates in a text, with their written precision, and the written forms of a date."""

import re
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import lru_cache

from dateutil.relativedelta import relativedelta

from demur.text.lexicon import MONTHS, SEASONS, word_list
from demur.text.spans import Span, Taken

_MONTH = "|".join(m.capitalize() for m in MONTHS)
_SHORT = "|".join(m[:3].capitalize() for m in MONTHS) + "|Sept"
_ANY_MONTH = rf"(?P<month>{_MONTH}|(?:{_SHORT})\b\.?)"
_YEAR = r"(?P<year>1\d{3}|20\d{2})"
_DAY = r"(?P<day>[12]?\d|3[01])(?:st|nd|rd|th)?"
_SEASON = "|".join(s.capitalize() for s in sorted(SEASONS))


class DatePrecision(StrEnum):
    """The smallest unit that a date states."""

    DAY = "day"
    MONTH = "month"
    MONTH_DAY = "month and day"
    SEASON = "season"
    YEAR = "year"
    DECADE = "decade"
    CENTURY = "century"


@dataclass(frozen=True, slots=True)
class DateMention:
    """A mention of a date in a text.

    Fields that the text does not state are None. For a century, `year` is its first year (1101 for the 12th century).
    For a decade, `year` is its first year too.
    """

    span: Span
    text: str
    precision: DatePrecision
    year: int | None = None
    month: int | None = None
    day: int | None = None

    @property
    def key(self) -> tuple[DatePrecision, int | None, int | None, int | None]:
        """A key that two spellings of one date share."""
        return (self.precision, self.year, self.month, self.day)


_PATTERNS: tuple[tuple[DatePrecision, re.Pattern[str]], ...] = tuple(
    (precision, re.compile(pattern, re.IGNORECASE if precision is DatePrecision.CENTURY else 0))
    for precision, pattern in (
        (DatePrecision.DAY, rf"\b{_ANY_MONTH} {_DAY},? {_YEAR}\b"),
        (DatePrecision.DAY, rf"\b{_DAY} (?:of )?{_ANY_MONTH},? {_YEAR}\b"),
        (DatePrecision.DAY, rf"\b{_YEAR}-(?P<number>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12]\d|3[01])\b"),
        (DatePrecision.MONTH, rf"\b{_ANY_MONTH},? (?:of )?{_YEAR}\b"),
        (DatePrecision.SEASON, rf"\b(?P<season>{_SEASON}|{_SEASON.lower()}) (?:of )?{_YEAR}\b"),
        (DatePrecision.MONTH_DAY, rf"\b{_ANY_MONTH} {_DAY}\b(?!\d)"),
        (DatePrecision.MONTH_DAY, rf"\b{_DAY} (?:of )?{_ANY_MONTH}(?!\w)"),
        (DatePrecision.DECADE, r"\b(?P<year>1\d{2}0|20\d0)['’]?s\b"),
        (DatePrecision.CENTURY, r"\b(?P<century>\d{1,2}(?:st|nd|rd|th)|[a-z]+(?:-[a-z]+)?)[ -]century\b"),
        (DatePrecision.YEAR, rf"(?<![\d.,$£€#-])\b{_YEAR}\b(?![.,]\d|\s?(?:%|km|m\b|ft|miles|people|seats))"),
    )
)
_CENTURIES = {
    name: n
    for n, name in enumerate(
        word_list(
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
            "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first"
        ),
        start=1,
    )
}


def _month_number(name: str) -> int:
    stem = name.rstrip(".").lower()[:3]
    return next(n for n, month in enumerate(MONTHS, start=1) if month.startswith(stem))


def _mention(match: re.Match[str], precision: DatePrecision) -> DateMention | None:
    got = match.groupdict()
    span = Span(*match.span())
    if precision is DatePrecision.CENTURY:
        word = got["century"].lower()
        number = _CENTURIES.get(word) or (int(re.sub(r"\D", "", word)) if word[0].isdigit() else None)
        return DateMention(span, match.group(), precision, year=(number - 1) * 100 + 1) if number else None
    year = int(got["year"]) if got.get("year") else None
    month = _month_number(got["month"]) if got.get("month") else None
    if got.get("number"):
        month = int(got["number"])
    if got.get("season"):
        month = ("winter", "spring", "summer", "autumn").index(got["season"].lower().replace("fall", "autumn")) * 3 + 1
    day = int(got["day"]) if got.get("day") else None
    if day is not None and month is not None:
        try:
            date(year or 2000, month, day)
        except ValueError:
            return None
    return DateMention(span, match.group(), precision, year, month, day)


@lru_cache(maxsize=4096)
def find_dates(text: str) -> tuple[DateMention, ...]:
    """Return the dates of `text` in order. If dates overlap, only the most precise date is returned."""
    found: list[DateMention] = []
    taken = Taken(text)
    for precision, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            mention = _mention(match, precision)
            if mention and not taken.overlaps(mention.span):
                found.append(mention)
                taken.add(mention.span)
    return tuple(sorted(found, key=lambda m: m.span))


def _century_words(number: int) -> str:
    suffix = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


def moved(mention: DateMention, *, years: int = 0, months: int = 0, days: int = 0) -> str:
    """Return a date moved by a number of years, months and days, in the notation of `mention`.

    If the move is smaller than the date's precision, the date moves by one unit of its precision.
    """
    if mention.precision is DatePrecision.CENTURY:
        number = ((mention.year or 1) - 1) // 100 + 1 + (max(1, abs(years) // 100) * (-1 if years < 0 else 1))
        return re.sub(r"^\S+?(?=[ -]century)", _century_words(max(1, number)), mention.text, flags=re.IGNORECASE)
    if mention.precision is DatePrecision.DECADE:
        years = years if abs(years) >= 10 else (-10 if years < 0 else 10)
        return mention.text.replace(str(mention.year), str((mention.year or 0) + years // 10 * 10))
    start = date(mention.year or 2001, mention.month or 1, mention.day or 1)
    end = start + relativedelta(years=years, months=months, days=days)
    if mention.precision in (DatePrecision.YEAR, DatePrecision.SEASON) and end.year == start.year:
        end = start + relativedelta(years=1)
    if mention.precision is DatePrecision.MONTH and (end.year, end.month) == (start.year, start.month):
        end = start + relativedelta(months=1)
    return _rewritten(mention, start, end)


def _rewritten(mention: DateMention, start: date, end: date) -> str:
    text = mention.text
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return end.isoformat()
    if mention.year is not None:
        text = text.replace(str(start.year), str(end.year))
    if mention.day is not None:
        text = re.sub(
            rf"\b{start.day}(st|nd|rd|th)?\b(?!\d)",
            lambda m: _century_words(end.day) if m.group(1) else str(end.day),
            text,
            count=1,
        )
    if mention.month is not None and mention.precision is not DatePrecision.SEASON:
        name = MONTHS[end.month - 1].capitalize()

        def same_length(match: re.Match[str]) -> str:
            return name if match.group().lower() in MONTHS else name[:3] + ("." if match.group()[-1] == "." else "")

        text = re.sub(rf"\b(?:{_MONTH}|(?:{_SHORT})\b\.?)", same_length, text, count=1)
    return text


def spellings(mention: DateMention) -> frozenset[str]:
    """Return the usual ways of writing a date: 'September 8, 2017', '8 September 2017', '2017-09-08'."""
    forms = {mention.text}
    if mention.month and mention.precision in (DatePrecision.DAY, DatePrecision.MONTH, DatePrecision.MONTH_DAY):
        month = MONTHS[mention.month - 1].capitalize()
        tail = f" {mention.year}" if mention.year else ""
        if mention.day:
            forms |= {f"{month} {mention.day}{',' if tail else ''}{tail}", f"{mention.day} {month}{tail}"}
        else:
            forms.add(f"{month}{tail}")
    return frozenset(forms)
