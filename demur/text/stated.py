"""Whether a text states an answer or another text, apart from differences that people do not see or do not mind."""

import re
import unicodedata
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from typing import Final

from demur.levers.vocabulary import ENGLISH
from demur.text.tokens import Span
from demur.text.tokens import is_unspaced as is_unspaced_letter

# Verbatim search of one text in another, in any language. Spaces, case, and kinds of quotes and dashes are ignored.
#
# Vowel marks of Arabic and Hebrew are ignored too, since writers set them or not. The case of an abbreviation counts:
# MIT is not the German word "mit".


_VOWEL_MARKS: Final = "".join(map(chr, (0x0640, *range(0x064B, 0x0653), 0x0670, *range(0x0591, 0x05BE), 0x05BF, 0x05C1,
                                        0x05C2, 0x05C4, 0x05C5, 0x05C7)))  # fmt: skip
"""Marks of vowels and accents in Arabic and Hebrew, and the stroke that lengthens a word."""
_LONGEST_ABBREVIATION: Final = 5
_SHORTEST_AS_NAME: Final = 4
"""The fewest letters of an abbreviation that some write as a name, such as Nasa."""
ALIKE_MARKS: Final = str.maketrans(
    dict.fromkeys("“”„‟«»‹›＂「」『』", '"')
    | dict.fromkeys("‘’‚‛′`´", "'")
    | dict.fromkeys("‐‑‒–—―−", "-")
    | dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff" + _VOWEL_MARKS, None)
)
ENDS: Final = " \t\r\n\"'.,;:!?…。，；：！？،؟"
"""Marks at the ends of a text that one writer sets and another leaves out."""
_CLOSING: Final = ".!?…。！？؟\"'”’»」』)"


@dataclass(frozen=True, slots=True)
class _Folded:
    """The significant characters of a text, and the original position of each."""

    characters: str
    places: tuple[int, ...]


@lru_cache(maxsize=4096)
def _folded_text(text: str) -> _Folded:
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for one in unicodedata.normalize("NFKD", character).translate(ALIKE_MARKS).casefold():
            if not one.isspace():
                characters.append(one)
                places.append(place)
    return _Folded("".join(characters), tuple(places))


def find_verbatim(quote: str, text: str) -> Span | None:
    """Return the first position of `quote` in `text`; None if `text` lacks the quote or the quote has no word.

    Punctuation at the beginning and the end of `quote` is ignored. The span includes closing marks after the quote.
    """
    wanted = _folded_text(quote.strip(ENDS)).characters
    if not any(character.isalnum() for character in wanted):
        return None
    within = _folded_text(text)
    at = within.characters.find(wanted)
    if at < 0:
        return None
    end = within.places[at + len(wanted) - 1] + 1
    end += len(text[end:]) - len(text[end:].lstrip(_VOWEL_MARKS))
    return Span(within.places[at], end + len(text[end:]) - len(text[end:].lstrip(_CLOSING)))


def stands_in(phrase: str, text: str) -> bool:
    """Return whether `text` contains `phrase` as whole words.

    The case of an abbreviation counts: US is not found in "us", and MIT not in "Mit". In scripts without spaces between
    words, or between a noun and its particle, parts of words are found too. A number is not found within another
    number: neither 12 in 3.12 nor 1 in 1,500.
    """
    wanted = _folded_text(phrase.strip(ENDS)).characters
    within = _folded_text(text)
    if not any(character.isalnum() for character in wanted):
        return False
    at = within.characters.find(wanted)
    while at >= 0:
        if _is_bounded(text, within, at, at + len(wanted)):
            found = text[within.places[at] : within.places[at + len(wanted) - 1] + 1]
            if not (is_abbreviation(phrase) and is_other_word(found)):
                return True
        at = within.characters.find(wanted, at + 1)
    return False


def is_abbreviation(phrase: str) -> bool:
    """Return whether a phrase is one short word in capitals, such as US, whose letters may be another word's too."""
    letters = [letter for letter in phrase if letter.isalpha()]
    return phrase.isupper() and 1 < len(letters) <= _LONGEST_ABBREVIATION and len(phrase.split()) == 1


def is_other_word(found: str) -> bool:
    """Return whether letters of an abbreviation stand for another word: small ones, or few as in "Mit"."""
    return found.islower() or (found.istitle() and len(found) < _SHORTEST_AS_NAME)


def _is_bounded(text: str, within: _Folded, start: int, end: int) -> bool:
    first = within.places[start]
    behind = within.places[end - 1] + 1
    if start and within.places[start - 1] == first:
        return False
    if end < len(within.places) and within.places[end] == behind - 1:
        return False
    return not _is_inside_word(text[:first][::-1], text[first]) and not _is_inside_word(text[behind:], text[behind - 1])


def _is_inside_word(beside: str, edge: str) -> bool:
    """Return whether a word or number continues beyond its first or last character `edge`.

    `beside` is the text beyond `edge`. Its first character is next to `edge`, so text before the word is passed in
    reverse order.
    """
    beside = beside.lstrip(_VOWEL_MARKS)
    if not beside or not edge.isalnum():
        return False
    near = beside[0]
    if edge.isdigit() and near in ".," and beside[1:2].isdigit():
        return True
    if unicodedata.combining(near):
        return True
    return near.isalnum() and not (is_unspaced_letter(near) or is_unspaced_letter(edge))


def is_unspaced(text: str) -> bool:
    """Return whether a text is mostly in scripts without spaces between words."""
    letters = [character for character in text if character.isalpha()]
    return 2 * sum(map(is_unspaced_letter, letters)) > len(letters)


def same_words(one: str, other: str) -> bool:
    """Return whether two texts are the same, apart from spaces, quotes, dashes, case, and punctuation at the ends."""
    return _folded_text(one.strip(ENDS)).characters == _folded_text(other.strip(ENDS)).characters


# Whether a text states an answer, apart from differences of spelling that people do not see or do not mind.
#
# Words are compared in Unicode form NFKC, without case by the rules of the language, and without invisible signs.
# Kinds of quotes and dashes, runs of spaces, and vowel marks of Arabic and Hebrew do not count. Numbers are compared
# by value: thousands separators, zeros behind the decimals, spellings of units and of currencies do not count.


class Difference(StrEnum):
    """Differences between an answer and a text that states the answer."""

    INVISIBLE = "invisible signs"
    FORM = "Unicode form"
    MARKS = "quotes and dashes"
    VOWELS = "vowel marks"
    CASE = "case"
    SPACES = "spaces"
    ENDS = "punctuation at the ends"
    SEPARATORS = "thousands separators and zeros behind decimals"
    CURRENCY = "currency signs"
    UNIT = "spelling of the unit"


class NearMiss(StrEnum):
    """Differences that make another word, but are easily overlooked."""

    ACCENTS = "accents"
    LOOK_ALIKES = "letters of another script that look alike"


_WORDS: Final = (
    Difference.INVISIBLE,
    Difference.FORM,
    Difference.MARKS,
    Difference.VOWELS,
    Difference.CASE,
    Difference.SPACES,
    Difference.ENDS,
)
_MARKS: Final = {sign: other for sign, other in ALIKE_MARKS.items() if other is not None}
_VOWELS: Final = re.compile("[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]")
_DOTTED: Final = str.maketrans({"I": "ı", "İ": "i"})
"""Capital letters of Turkish and Azerbaijani, whose small letters differ from those of other languages."""
_DOTTED_LANGUAGES: Final = frozenset({"tr", "az"})
_LOOK_ALIKES: Final = str.maketrans(
    "АВЕЅІЈКМНОРСТУХасеіјорѕухΑΒΕΖΗΙΚΜΝΟΡΤΥΧονιкмнт", "ABESIJKMHOPCTYXaceijopsyxABEZHIKMNOPTYXovikmht"
)
_SPACES: Final = r"[ \u00a0\u2009\u202f]"
_NUMBER: Final = re.compile(rf"\d+(?:(?:[.,'’٬٫]|{_SPACES}(?=\d{{3}}(?!\d)))\d+)*")
_BEFORE: Final = re.compile(
    r"(?:(?<!\w)(?P<currency>[A-Z]{3}|[^\W\d_]{0,3}[^\w\s()\-−]))?[ \u00a0\u202f(]*(?:(?<!\w)(?P<minus>[-−])[ (]*)?$"
)
_WORD: Final = r"[ \u00a0\u202f-]?(?:[^\W\d_]+(?:/[^\W\d_]+)?[²³]?|[%‰]|°[^\W\d_]?|[^\w\s.,;:()-])"
_BESIDE: Final = 24
"""The characters beside a number in which its unit or currency is looked for."""


def differences(answer: str, text: str, language: str | None = None) -> frozenset[Difference] | None:
    """Return the differences between an answer and the place of a text that states it; None if no place states it.

    The set is empty if the text has the letters of the answer. `language` is a code of ISO 639-1; without it, numbers
    are read both ways, with a comma before decimals and with a point.
    """
    if not answer.strip():
        return None
    if _is_in(answer, text):
        return frozenset()
    dotted = language in _DOTTED_LANGUAGES or (language is None and ("ı" in text + answer or "İ" in text + answer))
    if not _states(answer, text, _WORDS, dotted):
        return _of_number(answer, text, language)
    needed = [one for one in _WORDS if not _states(answer, text, [other for other in _WORDS if other != one], dotted)]
    return frozenset(needed or (Difference.FORM,))  # two steps mend the same difference


def near_miss(answer: str, text: str) -> NearMiss | None:
    """Return why a text that seems to state an answer does not state it; None if it does not seem so."""
    one, other = _folded(answer.strip(ENDS), _WORDS, dotted=False), _folded(text, _WORDS, dotted=False)
    if not _bare(one):
        return None
    if _is_in(_bare(one), _bare(other)):
        return NearMiss.ACCENTS
    if _is_in(_bare(one.translate(_LOOK_ALIKES)), _bare(other.translate(_LOOK_ALIKES))):
        return NearMiss.LOOK_ALIKES
    return None


def _bare(text: str) -> str:
    return "".join(one for one in unicodedata.normalize("NFKD", text) if not unicodedata.combining(one))


def _states(answer: str, text: str, steps: list[Difference] | tuple[Difference, ...], dotted: bool) -> bool:
    wanted = _folded(answer.strip(ENDS) if Difference.ENDS in steps else answer, steps, dotted)
    if not any(one.isalnum() for one in wanted):
        return False
    return _is_in(wanted, _folded(text, steps, dotted))


def _folded(text: str, steps: list[Difference] | tuple[Difference, ...], dotted: bool) -> str:
    if Difference.INVISIBLE in steps:
        text = "".join(one for one in text if unicodedata.category(one) != "Cf" and one not in "\ufe0e\ufe0f\u034f")
    if Difference.FORM in steps:
        text = unicodedata.normalize("NFKC", text)
    if Difference.MARKS in steps:
        text = text.translate(_MARKS)
    if Difference.VOWELS in steps:
        text = _VOWELS.sub("", text)
    if Difference.CASE in steps:
        text = (text.translate(_DOTTED) if dotted else text).casefold()
    if Difference.SPACES in steps:
        text = re.sub(r"\s+", " ", text)
    return text


def _is_in(wanted: str, text: str) -> bool:
    """Return whether a text has the wanted characters as whole words and numbers."""
    at = text.find(wanted)
    while at >= 0:
        if not (_goes_on(text[:at][::-1], wanted[0]) or _goes_on(text[at + len(wanted) :], wanted[-1])):
            return True
        at = text.find(wanted, at + 1)
    return False


def _goes_on(beside: str, edge: str) -> bool:
    """Return whether a word or number goes on beyond its first or last character `edge`."""
    if not beside or not edge.isalnum():
        return False
    if edge.isdigit() and beside[0] in ".," and beside[1:2].isdigit():
        return True
    return beside[0].isalnum() and not (is_unspaced_letter(beside[0]) or is_unspaced_letter(edge))


@dataclass(frozen=True, slots=True)
class _Quantity:
    """A number with its currency and unit, as they are named in CLDR.

    `values` are the number's readings, each with its language; `rest` is the text behind the quantity.
    """

    values: frozenset[tuple[str, Decimal]]
    written: str
    currency: frozenset[str]
    unit: str | None
    minus: bool
    rest: str


def _of_number(answer: str, text: str, language: str | None) -> frozenset[Difference] | None:
    wanted = _quantity(unicodedata.normalize("NFKC", answer).strip().strip(ENDS), language)
    if wanted is None:
        return None
    for found in _quantities(unicodedata.normalize("NFKC", text), language):
        if not wanted.values & found.values or not _fits(wanted, found):
            continue
        met = {Difference.CURRENCY} if wanted.currency and wanted.currency != found.currency else set[Difference]()
        if wanted.written != found.written:
            met.add(Difference.SEPARATORS)
        if wanted.unit is not None:
            met.add(Difference.UNIT)
        return frozenset(met or {Difference.CURRENCY})
    return None


def _fits(wanted: _Quantity, found: _Quantity) -> bool:
    """Return whether two quantities can be the same. Tables leave currencies out, but never name another one."""
    if wanted.unit != found.unit or wanted.minus != found.minus:
        return False
    return not wanted.currency or not found.currency or bool(wanted.currency & found.currency)


def _quantity(answer: str, language: str | None) -> _Quantity | None:
    """Return the quantity that an answer is; None if the answer has other words."""
    match = _NUMBER.search(answer)
    if match is None:
        return None
    found = _read(answer[: match.start()], match.group(), answer[match.end() :], language)
    before = answer[: match.start()].strip(" (-−")
    if before and not _currencies(before, language):
        return None
    return found if found.rest.strip(" ).") == "" else None


def _quantities(text: str, language: str | None) -> Iterator[_Quantity]:
    for match in _NUMBER.finditer(text):
        if _goes_on(text[: match.start()][::-1], "x") or text[match.end() : match.end() + 1].isdigit():
            continue
        before = text[max(0, match.start() - _BESIDE) : match.start()]
        yield _read(before, match.group(), text[match.end() : match.end() + _BESIDE], language)


def _read(before: str, written: str, behind: str, language: str | None) -> _Quantity:
    sign = _BEFORE.search(before)
    assert sign is not None
    currency = _currencies(sign.group("currency") or "", language)
    values = _values(written, language)
    names = _names(language)
    unit: str | None = None
    for spellings in (names.scales, names.units, names.currencies):
        name, rest = _named(behind, spellings)
        if name is None:
            continue
        behind = rest
        if factor := names.scales.get(name) if spellings is names.scales else None:
            # a question can ask for millions, so that its answer leaves the word out
            values |= {(locale, (value * factor).normalize()) for locale, value in values}
        elif spellings is names.units:
            unit = names.units[name]
        else:
            currency = currency or names.currencies.get(name, frozenset())
    return _Quantity(values, written, currency, unit, bool(sign.group("minus")), behind)


def _named(behind: str, spellings: Container[str]) -> tuple[str | None, str]:
    """Return the longest spelling with which the text behind a number begins, and the text behind it."""
    for words in (3, 2, 1):
        found = re.match(_WORD * words, behind)
        if found is not None:
            name = found.group().strip(" \u00a0\u202f-").casefold()
            if name in spellings:
                return name, behind[found.end() :]
    return None, behind


@lru_cache(maxsize=4096)
def _values(written: str, language: str | None) -> frozenset[tuple[str, Decimal]]:
    """Return the values of a number by the language in whose notation it is read."""
    from babel.core import UnknownLocaleError
    from babel.numbers import NumberFormatError, get_group_symbol, parse_decimal

    found: set[tuple[str, Decimal]] = set()
    for locale in (language,) if language else (ENGLISH, "de"):
        try:
            grouped = re.sub(rf"{_SPACES}|['’]", str(get_group_symbol(locale)), written)
            found.add((locale, parse_decimal(grouped, locale=locale, strict=True).normalize()))
        except (NumberFormatError, UnknownLocaleError, ValueError):
            if re.fullmatch(r"\d+(?:\.\d+)?", written):
                found.add((locale, Decimal(written).normalize()))
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class _Names:
    """Spellings of CLDR, in small letters: of currencies, of units, and of words such as million."""

    currencies: Mapping[str, frozenset[str]]
    units: Mapping[str, str]
    scales: Mapping[str, int]


@lru_cache(maxsize=64)
def _names(language: str | None) -> _Names:
    from babel.core import Locale, UnknownLocaleError

    currencies: dict[str, set[str]] = {"us$": {"USD"}}
    units = {"per cent": "concentr-percent", "pct": "concentr-percent", "percent": "concentr-percent"}
    scales = {"bn": 10**9, "mn": 10**6}
    for code in dict.fromkeys((language or ENGLISH, ENGLISH, "en_GB")):
        try:
            locale = Locale.parse(code)
        except (UnknownLocaleError, ValueError):
            continue
        for currency, symbol in locale.currency_symbols.items():
            for name in (symbol, currency):
                currencies.setdefault(name.casefold(), set()).add(currency)
        plurals = locale._data["currency_names_plural"]
        for currency in ("USD", "EUR", "GBP", "JPY", "INR", "CNY", "CHF", "RUB"):
            for name in (locale.currencies.get(currency), *plurals.get(currency, {}).values()):
                if name:
                    currencies.setdefault(str(name).split()[-1].casefold(), set()).add(currency)
        for unit, lengths in locale._data["unit_patterns"].items():
            for length in ("long", "short"):
                for pattern in lengths[length].values() if length in lengths else ():
                    if isinstance(pattern, str) and (name := pattern.replace("{0}", "").strip().casefold()):
                        units.setdefault(name, unit)
        for patterns in locale.compact_decimal_formats.get("long", {}).values():
            for magnitude, pattern in patterns.items():
                word = pattern.pattern.strip("0 \u00a0").casefold()
                scales.setdefault(word, int(magnitude) // 10 ** (pattern.pattern.count("0") - 1))
    return _Names({name: frozenset(codes) for name, codes in currencies.items()}, units, scales)


def _currencies(name: str, language: str | None) -> frozenset[str]:
    return _names(language).currencies.get(name.strip().casefold(), frozenset())
