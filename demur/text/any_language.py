"""Accepted answers in texts of any language.

Words are compared in Unicode form NFKC without case, so that full-width digits and letters match ordinary ones. Numbers
are compared by value, read in the language's notation. Scripts without spaces are compared character by character.
Different inflections of a word do not match.
"""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from demur.text.match_keys import Key
from demur.text.spans import Span
from demur.text.support import ARTICLES, YES_NO, TextPart, supports
from demur.text.tokens import Token, tokenise

_LARGEST_IN_WORDS: Final = 10_000
_GROUPED: Final = 3
"""Digits of each group of a number except the first group."""


def plain(text: str) -> str:
    """Return a text in NFKC form without case. Different spellings of the same word get the same form."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


@lru_cache(maxsize=4096)
def keys_in(text: str, language: str) -> tuple[Key, ...]:
    """Return the comparison keys of a text's words and numbers. In German, '1.000' and '1000' have the same key."""
    found: list[Key] = []
    tokens = [token for token in tokenise(text) if token.is_word]
    position = 0
    while position < len(tokens):
        last = _last_of_number(text, tokens, position, language)
        start, end = tokens[position].start, tokens[last].end
        written = text[start:end]
        position = last + 1
        if written[0].isdigit():
            found.append(Key(_number_key(written, language), start, end))
            continue
        for part in written.replace("’", "'").split("'"):  # l'usine: two words
            if part:
                found.append(Key(plain(part), start, start + len(part)))
            start += len(part) + 1
    return tuple(found)


def _last_of_number(text: str, tokens: list[Token], position: int, language: str) -> int:
    """Return the index of a number's last token. Some languages write spaces between the groups of a number."""
    if not tokens[position].text.isdigit() or len(tokens[position].text) > _GROUPED or not _spaced_groups(language):
        return position
    last = position
    while last + 1 < len(tokens):
        following = tokens[last + 1]
        between = text[tokens[last].end : following.start]
        whole = following.text.partition(",")[0].partition(".")[0]
        if len(between) != 1 or not between.isspace() or len(whole) != _GROUPED or not whole.isdigit():
            break
        last += 1
        if whole != following.text:
            break
    return last


@lru_cache(maxsize=256)
def _spaced_groups(language: str) -> bool:
    from babel.numbers import get_group_symbol

    return supports(language, TextPart.NUMBERS) and str(get_group_symbol(language)).isspace()


@lru_cache(maxsize=4096)
def _number_key(written: str, language: str) -> str:
    """Return the key of a number's value, or the text itself if it is not a number in this language."""
    from babel.numbers import NumberFormatError, get_group_symbol, parse_decimal

    digits = plain(written)
    if digits.isdecimal():
        return f"#{int(digits)}"
    if not supports(language, TextPart.NUMBERS):
        return digits
    grouped = "".join(str(get_group_symbol(language)) if c.isspace() else c for c in digits)
    try:
        return f"#{parse_decimal(grouped, locale=language, strict=True).normalize():f}"
    except NumberFormatError:
        return digits


@lru_cache(maxsize=2048)
def spellings(answer: str, language: str) -> tuple[tuple[str, ...], ...]:
    """Return the ways of writing an answer, as tuples of keys.

    Articles at the beginning of the answer are left out. If code reads the language's number words, a number has a
    spelling in digits and one in words. A yes or no has no spelling, since passages do not quote it.
    """
    if is_yes_no(answer, language):
        return ()
    keys = tuple(key.key for key in keys_in(answer, language))
    while len(keys) > 1 and keys[0] in ARTICLES.get(language, ()):
        keys = keys[1:]
    if not keys:
        return ()
    return tuple(dict.fromkeys((keys, *_other_numerals(keys, language))))


def is_yes_no(answer: str, language: str) -> bool:
    """Return whether an answer is a yes or a no of the language."""
    return plain(answer.strip().strip(".!。！")) in YES_NO.get(language, ())


def _other_numerals(keys: tuple[str, ...], language: str) -> Iterator[tuple[str, ...]]:
    if not supports(language, TextPart.NUMBER_WORDS):
        return
    if keys[0].startswith("#") and keys[0][1:].isdigit() and int(keys[0][1:]) <= _LARGEST_IN_WORDS:
        from num2words import num2words

        in_words = str(num2words(int(keys[0][1:]), lang=language))
        yield (*(key.key for key in keys_in(in_words, language)), *keys[1:])
    elif (value := _value_of_words(" ".join(keys), language)) is not None:
        yield (f"#{value}",)


def _value_of_words(written: str, language: str) -> int | None:
    from text_to_num import text2num

    try:
        return int(text2num(written, language))
    except (ValueError, KeyError, NotImplementedError):
        return None


def find_spellings(text: str, answer: str, language: str) -> Iterator[Span]:
    """Yield the spans of a text that give an answer in one of its spellings."""
    keys = keys_in(text, language)
    for wanted in spellings(answer, language):
        for start in range(len(keys) - len(wanted) + 1):
            if all(keys[start + i].key == key for i, key in enumerate(wanted)):
                span = Span(keys[start].start, keys[start + len(wanted) - 1].end)
                if not _inside_numeral(text, span):
                    yield span


def _inside_numeral(text: str, span: Span) -> bool:
    """Return whether a numeral of one character (三) is only part of a longer numeral (十三)."""
    if len(span) != 1 or not _is_numeral(span.of(text)):
        return False
    return _is_numeral(text[span.start - 1 : span.start]) or _is_numeral(text[span.end : span.end + 1])


def _is_numeral(character: str) -> bool:
    return bool(character) and unicodedata.numeric(character, None) is not None
