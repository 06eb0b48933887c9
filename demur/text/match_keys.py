"""Words and numerals of a text as keys. Answers are found by comparing keys."""

from dataclasses import dataclass
from functools import lru_cache

from demur.text.quantities import numerals
from demur.text.tokens import tokenise

_KEPT_SYMBOLS = frozenset("%$£€")


@dataclass(frozen=True, slots=True)
class Key:
    """The key of a word or a whole numeral, and its position in the text."""

    key: str
    start: int
    end: int


@lru_cache(maxsize=4096)
def match_keys(text: str) -> tuple[Key, ...]:
    """Return the keys of the words and numerals in `text`.

    '1,000', 'one thousand' and '1000' have the same key. '%' and 'percent' have the same key.
    """
    tokens = tokenise(text)
    by_first = {n.first: n for n in numerals(tokens)}
    keys: list[Key] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        numeral = by_first.get(position)
        if numeral is not None:
            mark = "th" if numeral.ordinal else ""
            keys.append(Key(f"#{numeral.value:g}{mark}", token.start, tokens[numeral.last].end))
            position = numeral.last + 1
            continue
        if token.is_word or token.text in _KEPT_SYMBOLS:
            end = token.end - 2 if token.text.endswith(("'s", "’s")) and len(token.text) > 2 else token.end
            keys.append(Key(token.norm, token.start, end))
        position += 1
    return tuple(keys)
