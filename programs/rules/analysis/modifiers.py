"""What can be taken out of a sentence without hurting it: parentheticals, adjectives, side clauses, openers."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from programs.rules.analysis.lexicon import (
    AUXILIARIES,
    COLOURS,
    DETERMINERS,
    FUNCTION_WORDS,
    PREPOSITIONS,
    can_be,
    parts_of_speech,
    verb_tags,
    word_set,
)
from programs.rules.analysis.spans import Span
from programs.rules.analysis.tokens import sentences, tokenise


class ModifierKind(StrEnum):
    """What a removable part of a sentence is."""

    PARENTHETICAL = "parenthetical"
    ADJECTIVE = "adjective"
    COLOUR = "colour"
    OPENER = "opener"
    SIDE_CLAUSE = "side clause"
    PLACE_PHRASE = "place phrase"


@dataclass(frozen=True, slots=True)
class Modifier:
    """A part of a sentence that can go; `span` is what to delete, white space and commas included."""

    span: Span
    text: str
    kind: ModifierKind
    sentence: int


_PARENTHETICAL = re.compile(r" ?\((?P<inner>[^()]{2,200})\)")
_SIDE = re.compile(
    r", (?:which|who|whose|where|including|such as|also known as|along with|together with)\b[^,;()\"“”]{4,120},"
)
_SIDE_LAST = re.compile(r", (?:including|such as|along with|together with|alongside)\b[^;()\"“”]{4,160}(?=[.]$)")
_OPENER = re.compile(r"^(?P<lead>[A-Z][^,;()\"“”]{2,70}), (?=\S)")
_PLACE = re.compile(
    r" (?:in|at|near) (?:[A-Z][\w'’.-]+(?: [A-Z][\w'’.-]+)*)(?:, [A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*)?(?=[ ,.;])"
)
_NOT_OPENER = word_set("and or but he she it they")


def _is_adjective(word: str) -> bool:
    pos = parts_of_speech(word)
    return "ADJ" in pos and not pos & {"NOUN", "VERB", "PROPN", "ADV"} and word not in FUNCTION_WORDS


def _adjectives(text: str, start: int, index: int) -> list[Modifier]:
    tokens = tokenise(text)
    found = []
    for position in range(1, len(tokens) - 1):
        before, token, after = tokens[position - 1], tokens[position], tokens[position + 1]
        word = token.text
        if not (word.islower() and after.text[0].isalpha() and after.text not in FUNCTION_WORDS):
            continue
        colour = word in COLOURS
        if not (colour or _is_adjective(word)) or not (can_be(after.norm, "NOUN") or after.is_capitalised):
            continue
        if verb_tags(after.norm) & {"VBD", "VBZ"} and not colour:
            continue
        if before.norm in DETERMINERS and before.norm not in {"no", "any"}:
            kind = ModifierKind.COLOUR if colour else ModifierKind.ADJECTIVE
            span = Span(start + token.start, start + after.start)
            found.append(Modifier(span, word, kind, index))
    return found


def _openers(text: str, start: int, index: int) -> list[Modifier]:
    match = _OPENER.match(text)
    if not match:
        return []
    first, rest = match["lead"].split()[0].lower(), text[match.end() :]
    words = [t.norm for t in tokenise(match["lead"]) if t.is_word]
    opens = first in PREPOSITIONS or first in {"when", "while", "although", "because", "however", "originally"}
    participle = bool(verb_tags(first) & {"VBN", "VBG"}) and not can_be(first, "ADJ")
    clause = any(w in AUXILIARIES for w in words) and first not in {"when", "while", "although", "because"}
    if not (opens or participle) or clause or rest.split(" ")[0].lower() in _NOT_OPENER - {"he", "she", "it", "they"}:
        return []
    if not any(verb_tags(t.norm) for t in tokenise(rest) if t.is_word) or re.match(r"[^,]+,[^,]*\band\b", rest):
        return []
    return [Modifier(Span(start, start + match.end()), match["lead"], ModifierKind.OPENER, index)]


@lru_cache(maxsize=2048)
def find_modifiers(text: str) -> tuple[Modifier, ...]:
    """Return the removable parts of `text` in order; they may overlap, so remove one at a time."""
    found: list[Modifier] = []
    for sentence in sentences(text):
        start, index = sentence.span.start, sentence.index
        for pattern, kind in (
            (_PARENTHETICAL, ModifierKind.PARENTHETICAL),
            (_SIDE, ModifierKind.SIDE_CLAUSE),
            (_SIDE_LAST, ModifierKind.SIDE_CLAUSE),
            (_PLACE, ModifierKind.PLACE_PHRASE),
        ):
            for match in pattern.finditer(sentence.text):
                span = Span(start + match.start(), start + match.end())
                found.append(Modifier(span, match.group().strip(" ,()"), kind, index))
        found += _adjectives(sentence.text, start, index)
        found += _openers(sentence.text, start, index)
    return tuple(sorted(found, key=lambda m: m.span))
