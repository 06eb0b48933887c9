"""Numbers in a text, in digits or in words. A number may have a unit or a noun for what is counted."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from demur.text.lexicon import CURRENCY_SIGNS, SCALE_WORDS, UNIT_WORDS, can_be, lemmas
from demur.text.spans import Span
from demur.text.tokens import Token, tokenise

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
