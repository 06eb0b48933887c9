"""What can be taken out of a sentence without hurting it: parentheticals, side clauses, openers, phrases of place.

Precision comes first: a part is listed only where the rest is surely still a sentence.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from demur.text.lexicon import (
    AUXILIARIES,
    DETERMINERS,
    FUNCTION_WORDS,
    PREPOSITIONS,
    can_be,
    places,
    verb_tags,
    word_set,
)
from demur.text.names import NameKind, find_names
from demur.text.spans import Sentence, Span
from demur.text.tokens import sentences, tokenise


class ModifierKind(StrEnum):
    """What a removable part of a sentence is."""

    PARENTHETICAL = "parenthetical"
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


_PARENTHETICAL = re.compile(r" ?\((?P<inner>[^()]{2,200})\)(?=[\s,.;:]|$)")
_SIDE = re.compile(
    r", (?:which|who|whose|where|including|also known as|along with|together with)\b[^,;:()\"“”]{4,140}(?P<close>,) "
    r"(?P<next>[a-z]+)"
)
_SIDE_LAST = re.compile(r", (?:including|such as|along with|together with|alongside)\b[^;:()\"“”]{4,160}(?=[.]$)")
_SUBORDINATE = word_set("when while although though because since if as before after until")
_OPENER = re.compile(r"^(?P<lead>[A-Z][^,;:()\"“”]{2,90}), (?P<rest>\S.*)$", re.DOTALL)
_GOES_ON = re.compile(
    r", (?:yet|but|which|who|whom|whose|while|although|though|where|when|as|so|before|after|with)\b"
    r"|, and (?:it|he|she|they|its|his|her|their|the)\b"
    r"|\band (?:is|was|were|are|has|had|[a-z]+ed|[a-z]+s (?:the|a|his|her|its|their))\b"
)
_NEEDS_PLACE = word_set(
    "based located situated held set stationed headquartered interested involved included rooted live lives lived "
    "living reside resides resided stay stays stayed arrive arrives arrived remain remains remained stand stands "
    "stood lie lies lay sits place residing settled measured seen shown recently mostly mainly only especially location"
)
_PRONOUN_SUBJECTS = frozenset({"he", "she", "it", "they", "we", "i", "you"})


def _openers(sentence: Sentence) -> Iterator[Modifier]:
    """Yield what stands before the first comma where a whole clause follows it."""
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


def _side_clauses(sentence: Sentence) -> Iterator[Modifier]:
    """Yield clauses between two commas that the main clause's verb follows, and closing lists of examples."""
    start = sentence.span.start
    for match in _SIDE.finditer(sentence.text):
        following = match["next"]
        opened = _has_verb(sentence.text[: match.start()])
        verb = following in AUXILIARIES or bool(verb_tags(following) & {"VBD", "VBZ"})
        if verb and not opened:
            end = match.end("close")
        elif opened and following in _SUBORDINATE:
            end = match.start("close")
        else:
            continue
        span = Span(start + match.start(), start + end)
        yield Modifier(span, match.group()[: end - match.start()].strip(" ,"), ModifierKind.SIDE_CLAUSE, sentence.index)
    last = _SIDE_LAST.search(sentence.text)
    if last and _has_verb(sentence.text[: last.start()]) and not _GOES_ON.search(last.group()[2:]):
        span = Span(start + last.start(), start + last.end())
        yield Modifier(span, last.group().strip(" ,"), ModifierKind.SIDE_CLAUSE, sentence.index)


def _has_verb(text: str) -> bool:
    """Return whether a text has a finite verb after its first word."""
    found = [t for t in tokenise(text) if t.is_word][1:]
    return any(
        t.norm in AUXILIARIES - {"be", "been", "being"} or ("VBD" in verb_tags(t.norm) and not t.is_capitalised)
        for t in found
    )


def _place_phrases(text: str, sentence: Sentence) -> Iterator[Modifier]:
    """Yield 'in Milan, Italy,' and the like where nothing needs it and no list goes on after it."""
    named = [
        n
        for n in find_names(text)
        if n.kind is NameKind.PLACE and sentence.span.covers(n.span) and (n.norm in places() or not n.text.isupper())
    ]
    for name in named:
        lead = re.search(
            r"(?P<word>[A-Za-z]+),? (?:in|at|near)(?: the)? $", text[sentence.span.start : name.span.start]
        )
        if not lead or lead["word"].lower() in _NEEDS_PLACE | AUXILIARIES | PREPOSITIONS:
            continue
        end = name.span.end
        tail = text[name.span.end : sentence.span.end]
        wider = re.match(r", [A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*(?P<close>,(?! (?:wh|that)))?", tail)
        if wider and (wider["close"] or tail[wider.end() : wider.end() + 1] in ".;,"):
            tail = tail[wider.end() :]
            end += wider.end()
            if re.match(r" (?:[A-Z]|and [A-Z])", tail):
                continue
        elif wider or re.match(r"(?:,? (?:and|or)|, the [A-Z]|'s|’s|-|–| \d| \()", tail):
            continue
        following = re.match(r" ([A-Za-z]+)", tail)
        if following and following[1].lower() not in FUNCTION_WORDS - {"of"}:
            continue
        begin = sentence.span.start + lead.end("word")
        phrase = text[begin:end].strip(" ,")
        yield Modifier(Span(begin, end), phrase, ModifierKind.PLACE_PHRASE, sentence.index)


@lru_cache(maxsize=2048)
def find_modifiers(text: str) -> tuple[Modifier, ...]:
    """Return the removable parts of `text` in order; they may overlap, so remove one at a time."""
    found: list[Modifier] = []
    for sentence in sentences(text):
        for match in _PARENTHETICAL.finditer(sentence.text):
            span = Span(sentence.span.start + match.start(), sentence.span.start + match.end())
            found.append(Modifier(span, match["inner"].strip(), ModifierKind.PARENTHETICAL, sentence.index))
        found += _openers(sentence)
        found += _side_clauses(sentence)
        found += _place_phrases(text, sentence)
    return tuple(sorted(found, key=lambda m: m.span))
