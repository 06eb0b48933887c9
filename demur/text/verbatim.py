"""Verbatim search of one text in another, in any language. Spaces, case, and kinds of quotes and dashes are ignored.

Vowel marks of Arabic and Hebrew are ignored too, since writers set them or not. The case of an abbreviation counts: MIT
is not the German word "mit".
"""

import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from demur.text.spans import Span
from demur.text.tokens import is_unspaced as is_unspaced_letter

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
def _folded(text: str) -> _Folded:
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
    wanted = _folded(quote.strip(ENDS)).characters
    if not any(character.isalnum() for character in wanted):
        return None
    within = _folded(text)
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
    wanted = _folded(phrase.strip(ENDS)).characters
    within = _folded(text)
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
    return not _goes_on(text[:first][::-1], text[first]) and not _goes_on(text[behind:], text[behind - 1])


def _goes_on(beside: str, edge: str) -> bool:
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
    return _folded(one.strip(ENDS)).characters == _folded(other.strip(ENDS)).characters
