"""The capitals of a question that is written in lower case, recovered from its passages and from known names."""

from collections.abc import Iterable

from demur.text.lexicon import (
    FUNCTION_WORDS,
    MONTHS,
    first_names,
    is_known,
    last_names,
    places,
    word_set,
)
from demur.text.tokens import Token, fold, sentences, tokenise

_ALWAYS = word_set(
    "english french german spanish italian american british indian chinese japanese russian canadian australian "
    "mexican irish scottish welsh greek roman egyptian dutch turkish korean african european asian jewish "
    "christian muslim napoleonic elizabethan victorian christmas mr mrs dr i"
)
_ACRONYMS = word_set("us usa uk nba nfl nfc afc tv mlb nhl fbi cia un eu nato dna rna atp")


def restore_case(text: str, passages: Iterable[str]) -> str:
    """Return `text` with capitals as the passages write the same words; text that has capitals comes back as it is."""
    if any(c.isupper() for c in text):
        return text
    asked = tokenise(text)
    cased = [t.text for t in asked]
    fixed = [False] * len(asked)
    for passage in passages:
        _copy_runs(asked, cased, fixed, passage)
    for position, token in enumerate(asked):
        if not fixed[position]:
            cased[position] = _known_name(asked, position) or token.text
    pieces = []
    end = 0
    for token, shown in zip(asked, cased, strict=True):
        pieces += [text[end : token.start], shown]
        end = token.end
    return "".join(pieces) + text[end:]


def _copy_runs(asked: tuple[Token, ...], cased: list[str], fixed: list[bool], passage: str) -> None:
    """Copy the capitals of the longest runs that question and passage share."""
    said = tokenise(passage)
    opens = {s.span.start for s in sentences(passage)}
    places: dict[str, list[int]] = {}
    for position, token in enumerate(said):
        places.setdefault(token.norm, []).append(position)
    position = 0
    while position < len(asked):
        best: tuple[int, int] | None = None
        for start in places.get(asked[position].norm, ()):
            size = 0
            while (
                position + size < len(asked)
                and start + size < len(said)
                and asked[position + size].norm == said[start + size].norm
            ):
                size += 1
            while size and not said[start + size - 1].is_capitalised:
                size -= 1
            if size and _is_name_run(said, start, size, opens) and (best is None or size > best[1]):
                best = (start, size)
        if best is None:
            position += 1
            continue
        start, size = best
        for offset in range(size):
            if not fixed[position + offset]:
                cased[position + offset] = _keep_ending(asked[position + offset].text, said[start + offset].text)
                fixed[position + offset] = True
        position += size


def _is_name_run(said: tuple[Token, ...], start: int, size: int, opens: set[int]) -> bool:
    first = said[start]
    if not first.is_capitalised:
        return False
    if size > 1:
        return first.norm not in FUNCTION_WORDS or first.start not in opens
    if first.norm in FUNCTION_WORDS or (first.start in opens and is_known(first.norm)):
        return False
    flanked = any(said[i].is_capitalised for i in (start - 1, start + 1) if 0 <= i < len(said))
    return not (flanked and is_known(first.norm) and first.norm not in first_names())


def _keep_ending(asked: str, said: str) -> str:
    """Return the passage's spelling of a word with the possessive ending that the question gives it."""
    if said.isupper() and len(said) == len(asked):
        return asked.upper()
    return said[:1] + asked[1:] if fold(said[:1]) == fold(asked[:1]) else said


def _known_name(asked: tuple[Token, ...], position: int) -> str | None:
    word = asked[position].norm
    if asked[position].text in {"i'm", "i'll", "i've", "i'd"}:
        return asked[position].text.capitalize()
    after = asked[position + 1].norm if position + 1 < len(asked) else ""
    before = asked[position - 1].norm if position else ""
    if word in _ACRONYMS and (word != "us" or before == "the"):
        return asked[position].text.upper()
    named = (
        word in places()
        or f"{word} {after}" in places()
        or f"{before} {word}" in places()
        or word in _ALWAYS
        or (word in MONTHS and word not in {"may", "march"})
        or (word in first_names() | last_names() and not is_known(word))
        or (word in first_names() and after in last_names() and word not in FUNCTION_WORDS)
        or (word in last_names() and before in first_names() and word not in FUNCTION_WORDS)
    )
    return asked[position].text[:1].upper() + asked[position].text[1:] if named else None
