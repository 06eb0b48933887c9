"""Putting a sentence of a passage behind an opening of one's own."""

from demur.text.lexicon import FUNCTION_WORDS, first_names, is_known, last_names
from demur.text.names import NameKind, find_names
from demur.text.tokens import tokenise


def mid_sentence(text: str) -> str:
    """Return a sentence as it stands after 'given that': a small first letter unless it opens with a name."""
    words = [t for t in tokenise(text) if t.is_word]
    if not words or not words[0].is_capitalised or words[0].start:
        return text
    first = words[0]
    after = words[1] if len(words) > 1 else None
    named = after is not None and after.is_capitalised and first.norm not in FUNCTION_WORDS
    common = first.norm in FUNCTION_WORDS or (is_known(first.norm) and first.norm not in first_names() | last_names())
    return text[0].lower() + text[1:] if common and not named and first.text != "I" else text


def embedded(text: str) -> str:
    """Return a sentence or question as it stands behind an opening: as it is where a name opens it."""
    opening = [name for name in find_names(text) if name.span.start == 0]
    named = any(name.kind is not NameKind.OTHER or " " in name.text for name in opening)
    return text if named else mid_sentence(text)
