"""Checks of accepted answers: whether passages derive them, and whether they are common words."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from demur.levers.instances import UsedStatement
from demur.text.stated import find_verbatim

_NUMBER: Final = re.compile(r"\d+(?:[.,'’٫٬]\d+)*")


def are_common_words(answers: Sequence[str]) -> bool:
    """Return whether each accepted answer is one or two words in small letters: `they`, `the court`, `seven`.

    Code cannot tell what such words stand for. Scripts without small letters have no such words.
    """
    return all(
        0 < len(words := answer.split()) <= 2 and all(word.isalpha() and word.islower() for word in words)
        for answer in answers
    )


def rests_on(used: Sequence[UsedStatement], passages: Sequence[str]) -> bool:
    """Return whether a derivation quotes something, each quote stands in a passage, and its figures in the quote.

    Only spaces, case, and kinds of quotes and dashes may differ. Words beside the figures, such as the name of a
    column, are the reader's own.
    """
    return bool(used) and all(_stands(place, passages) for place in used)


def _stands(place: UsedStatement, passages: Sequence[str]) -> bool:
    taken, quoted = (_NUMBER.findall(unicodedata.normalize("NFKC", text)) for text in (place.taken, place.quote))
    return set(taken) <= set(quoted) and any(find_verbatim(place.quote, text) for text in passages)
