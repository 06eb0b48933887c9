"""Dates and numbers in a text, in digits or in words, with their precision, units and written forms."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import lru_cache

from dateutil.relativedelta import relativedelta

from demur.text.lexicon import CURRENCY_SIGNS, MONTHS, SCALE_WORDS, SEASONS, UNIT_WORDS, can_be, lemmas, word_list
from demur.text.tokens import Span, Taken, Token, tokenise

# Numbers in a text, in digits or in words. A number may have a unit or a noun for what is counted.


_DIGITS = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?|\d+(?:\.\d+)?")
_BETWEEN = frozenset({"-", "and"})
_ORDINAL = re.compile(r"(\d+(?:,\d{3})*)(st|nd|rd|th)", re.IGNORECASE)


class NumberKind(StrEnum):
    """Kinds of numbers."""

    CARDINAL = "cardinal"
    ORDINAL = "ordinal"
    MONEY = "money"
    PERCENT = "percent"
    MEASURE = "measure"


@dataclass(frozen=True, slots=True)
class Number:
    """A mention of a number in a text.

    `span` covers the numeral and a word such as 'million' ('3.2 million'). `whole` also covers currency sign and unit.
    """

    span: Span
    whole: Span
    text: str
    value: float
    kind: NumberKind
    in_words: bool
    unit: str | None


@dataclass(frozen=True, slots=True)
class _Spoken:
    """A token with the methods that text2num requires."""

    token: Token

    def text(self) -> str:
        return self.token.text

    def text_lowercase(self) -> str:
        return self.token.text.lower()

    def nt_separated(self, previous: "_Spoken") -> bool:
        return False

    def not_a_number_part(self) -> bool:
        return not (self.token.text.isalpha() or self.token.text == "-")


@dataclass(frozen=True, slots=True)
class Numeral:
    """The tokens from `first` to `last`, inclusive, which are one number."""

    first: int
    last: int
    value: float
    ordinal: bool
    in_words: bool


def numerals(tokens: Sequence[Token]) -> tuple[Numeral, ...]:
    """Return the numerals among `tokens`, in order. Numerals are in digits, in words, or ordinals."""
    found: list[Numeral] = []
    taken: set[int] = set()
    for position, token in enumerate(tokens):
        if not token.text[0].isdigit():
            continue
        ordinal = _ORDINAL.fullmatch(token.text)
        if ordinal:
            found.append(Numeral(position, position, float(ordinal[1].replace(",", "")), True, False))
        elif _DIGITS.fullmatch(token.text):
            value = float(token.text.replace(",", ""))
            last = position
            following = tokens[position + 1].text.lower() if position + 1 < len(tokens) else ""
            if following in SCALE_WORDS:
                value = value * SCALE_WORDS[following]
                last = position + 1
            found.append(Numeral(position, last, value, False, False))
        taken.update(range(position, found[-1].last + 1) if found else ())
    for start, end in _spoken_runs(tokens):
        from text_to_num import find_numbers as find_spoken

        for spoken in find_spoken([_Spoken(t) for t in tokens[start:end]], "en", threshold=0.0):
            first = start + spoken.start
            last = start + spoken.end - 1
            if not taken.intersection(range(first, last + 1)):
                found.append(Numeral(first, last, float(spoken.value), bool(spoken.is_ordinal), True))
    return tuple(sorted(found, key=lambda n: n.first))


@lru_cache(maxsize=1)
def _number_words() -> frozenset[str]:
    from num2words import num2words

    numbers = (*range(21), *range(30, 100, 10))
    written = (str(num2words(n, to=form)) for n in numbers for form in ("cardinal", "ordinal"))
    return frozenset(written) | frozenset(word + ending for word in SCALE_WORDS for ending in ("", "s", "th"))


def _spoken_runs(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Yield ranges of tokens that contain number words.

    The end of a range is exclusive. Tokens outside these ranges need not be parsed.
    """
    number_words = _number_words()
    start: int | None = None
    for position, token in enumerate(tokens):
        if token.norm in number_words:
            start = position if start is None else start
        elif start is not None and token.norm not in _BETWEEN:
            yield start, position
            start = None
    if start is not None:
        yield start, len(tokens)


def _unit_after(tokens: Sequence[Token], last: int) -> int | None:
    """Return the position of the unit or counted noun after token `last`; None if there is no unit or noun."""
    for position in range(last + 1, min(last + 5, len(tokens))):
        word = tokens[position].text.lower()
        if word == "-" and tokens[position].start == tokens[position - 1].end:
            continue
        if word == "%" or word in UNIT_WORDS:
            return position
        if not word.isalpha():
            return None
        if word.endswith("s") and "NOUN" in lemmas(word) and word not in lemmas(word)["NOUN"]:
            return position
        if word == "people":
            return position
        if not (can_be(word, "ADJ") or can_be(word, "NOUN")):
            return None
    return None


@lru_cache(maxsize=2048)
def find_numbers(text: str) -> tuple[Number, ...]:
    """Return the numbers of `text` in order, with units. Years and numbers in dates are included."""
    tokens = tokenise(text)
    found = []
    for numeral in numerals(tokens):
        first = tokens[numeral.first]
        last = tokens[numeral.last]
        before = tokens[numeral.first - 1] if numeral.first else None
        unit_at = None if numeral.ordinal else _unit_after(tokens, numeral.last)
        unit = tokens[unit_at].text.lower() if unit_at is not None else None
        start = first.start
        end = tokens[unit_at].end if unit_at is not None else last.end
        if before is not None and before.text in CURRENCY_SIGNS:
            kind = NumberKind.MONEY
            start = before.start
            end = last.end
            unit = before.text
        elif numeral.ordinal:
            kind = NumberKind.ORDINAL
        elif unit in ("%", "percent"):
            kind = NumberKind.PERCENT
        else:
            kind = NumberKind.MEASURE if unit in UNIT_WORDS else NumberKind.CARDINAL
        span = Span(first.start, last.end)
        found.append(Number(span, Span(start, end), span.of(text), numeral.value, kind, numeral.in_words, unit))
    return tuple(found)


def written_like(value: float, model: Number) -> str:
    """Return `value` in the notation of `model`, such as words or digits, separators and decimals."""
    from num2words import num2words

    whole = round(value)
    if model.kind is NumberKind.ORDINAL:
        return str(num2words(whole, to="ordinal" if model.in_words else "ordinal_num"))
    if model.in_words:
        spoken = str(num2words(whole)).replace(" and ", " ").replace(",", "")
        return spoken.capitalize() if model.text[0].isupper() else spoken
    scale = next((w for w in SCALE_WORDS if model.text.lower().endswith(w)), None)
    numeral = model.text.split()[0]
    decimals = len(numeral.rsplit(".", 1)[1]) if "." in numeral else 0
    shown = value / SCALE_WORDS[scale] if scale else value
    if scale and not decimals and shown != round(shown):
        decimals = 1
    separator = "," if "," in model.text or (shown >= 10_000 and not scale) else ""
    text = f"{shown:{separator}.{decimals}f}"
    return f"{text} {scale}" if scale else text


# Dates in a text, with their written precision, and the written forms of a date.


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
