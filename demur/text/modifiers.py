"""Removable parts of a sentence: text in parentheses and introductory phrases.

A part is listed only if the sentence without this part is certainly still a sentence.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from demur.text.lexicon import AUXILIARIES, DETERMINERS, PREPOSITIONS, can_be, verb_tags, word_set
from demur.text.spans import Sentence, Span
from demur.text.tokens import sentences, tokenise


class ModifierKind(StrEnum):
    """Kinds of removable parts of a sentence."""

    PARENTHETICAL = "parenthetical"
    OPENER = "opener"


@dataclass(frozen=True, slots=True)
class Modifier:
    """A removable part of a sentence. `span` is the part to delete, including white space and commas."""

    span: Span
    text: str
    kind: ModifierKind
    sentence: int


_PARENTHETICAL = re.compile(r" ?\((?P<inner>[^()]{2,200})\)(?=[\s,.;:]|$)")
_SUBORDINATE = word_set("when while although though because since if as before after until")
_OPENER = re.compile(r"^(?P<lead>[A-Z][^,;:()\"“”]{2,90}), (?P<rest>\S.*)$", re.DOTALL)
_PRONOUN_SUBJECTS = frozenset({"he", "she", "it", "they", "we", "i", "you"})


def _openers(sentence: Sentence) -> Iterator[Modifier]:
    """Yield the introductory phrase before the first comma if a whole clause follows."""
    match = _OPENER.match(sentence.text)
    if not match:
        return
    lead = [t.norm for t in tokenise(match["lead"]) if t.is_word]
    rest = [t for t in tokenise(match["rest"]) if t.is_word]
    first = lead[0]
    subordinate = first in {"when", "while", "although", "though", "because"}
    opens = first in PREPOSITIONS or subordinate or first == "originally"
    participle = "VBN" in verb_tags(first) and not can_be(first, "ADJ")
    inner_clause = not subordinate and any(w in AUXILIARIES or w in _PRONOUN_SUBJECTS for w in lead)
    if not (opens or participle) or inner_clause or not _is_clause(match["rest"]):
        return
    if rest[0].norm[0].isdigit() or (
        can_be(lead[-1], "ADJ") and not can_be(lead[-1], "NOUN") and rest[0].text.islower()
    ):
        return
    end = sentence.span.start + match.start("rest")
    yield Modifier(Span(sentence.span.start, end), match["lead"], ModifierKind.OPENER, sentence.index)


def _is_clause(text: str) -> bool:
    """Return whether a text starts with a subject and has a finite verb before its first comma."""
    head = [t for t in tokenise(text.split(",")[0]) if t.is_word]
    if not head or head[0].norm in _SUBORDINATE | {"and", "or", "but", "which", "who", "where", "whose"} | PREPOSITIONS:
        return False
    starts = head[0].norm in DETERMINERS | _PRONOUN_SUBJECTS | {"there", "some"} or head[0].is_capitalised
    return starts and any(
        t.norm in AUXILIARIES - {"be", "been", "being"} or verb_tags(t.norm) & {"VBD", "VBZ"} for t in head[1:]
    )


@lru_cache(maxsize=2048)
def find_modifiers(text: str) -> tuple[Modifier, ...]:
    """Return the removable parts of `text` in order. Parts may overlap, so only one part may be removed at a time."""
    found: list[Modifier] = []
    for sentence in sentences(text):
        for match in _PARENTHETICAL.finditer(sentence.text):
            span = Span(sentence.span.start + match.start(), sentence.span.start + match.end())
            found.append(Modifier(span, match["inner"].strip(), ModifierKind.PARENTHETICAL, sentence.index))
        found += _openers(sentence)
    return tuple(sorted(found, key=lambda m: m.span))
