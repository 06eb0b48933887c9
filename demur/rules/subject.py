"""The subject of a question, with its kind: a name that the question shares with a signal passage."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from demur.levers.frames import Kind
from demur.text.analysis import Analysis, PassageAnalysis
from demur.text.kinds import entry_name, is_full_name, kind_of_form, kind_of_noun, noun_of
from demur.text.lexicon import AUXILIARIES, FUNCTION_WORDS, can_be, is_known, lemma_of, places, verb_tags
from demur.text.spans import Span
from demur.text.tokens import fold

WORKS: Final = frozenset({Kind.FILM, Kind.SHOW, Kind.SONG, Kind.ALBUM, Kind.BOOK, Kind.GAME})
_BY_FORM: Final = frozenset({Kind.PERSON, Kind.CITY, Kind.COUNTRY, Kind.STATE})
_SPOKEN: Final = (
    r"(?:(?:the |a )?(?:new |original |tv |television )?"
    r"(?:movie|film|song|album|book|novel|show|series|sitcom|band|game|city|river|singer|actor|actress) )"
)
"""What people put before a name to say what it is: 'the movie', 'singer'."""
_LEAST_LETTERS: Final = 4


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a question.

    `said` is the subject as the question has it, with article and preceding noun. `span` is the place of `said` in the
    question. `name` is the subject as the passages have it. `noun` is a word for the kind of the subject ('rock band');
    empty if passage and question have no such word.
    """

    said: str
    name: str
    span: Span
    kind: Kind | None
    noun: str
    passage: int

    @property
    def plain(self) -> str:
        """The name as written in the question, without the words before it."""
        return self.said.strip('"“”')[-len(self.name) :]


@lru_cache(maxsize=256)
def subject(analysis: Analysis) -> Subject | None:
    """Return the name that question and signal passages share; None if there is none.

    Among several names, names of a known kind come first, then longer names.
    """
    found: dict[str, Subject] = {}
    for passage in analysis.signal:
        for name in _shared(analysis, passage):
            span = _place(analysis.question.bare, name) if name not in found and not analysis.is_answer(name) else None
            if span is not None:
                kind, noun = _kind(analysis, name, span, passage.text)
                short = " " not in name and kind is None  # 'Madrid' of 'Real Madrid', 'Americans'
                if short or " and " in name and kind not in WORKS:
                    continue
                found[name] = Subject(span.of(analysis.question.bare), name, span, kind, noun, passage.index)
    return max(found.values(), key=lambda one: (one.kind is not None, len(one.name)), default=None)


def is_entry(analysis: Analysis, about: Subject) -> bool:
    """Return whether the passage with the subject's name begins like an encyclopedia's entry on the subject."""
    text = next(p.text for p in analysis.passages if p.index == about.passage)
    return entry_name(text) in (about.name, f"The {about.name}")


def _shared(analysis: Analysis, passage: PassageAnalysis) -> list[str]:
    """Return the longest names that a question and a passage share.

    A name begins with a capitalised word. It ends with a capitalised word, or with a small word with which titles end
    (`_ENDINGS`).
    """
    asked = [t.norm for t in analysis.question.tokens if t.is_word]
    said = [t for t in passage.tokens if t.is_word]
    opens = {s.span.start for s in passage.sentences}
    found: dict[int, tuple[int, str]] = {}
    for at, token in enumerate(said):
        if not token.text[:1].isupper() or token.norm in FUNCTION_WORDS and token.start in opens and at:
            continue
        for first in (i for i, norm in enumerate(asked) if norm == token.norm):
            size = 1
            while first + size < len(asked) and at + size < len(said) and asked[first + size] == said[at + size].norm:
                if said[at + size].norm in _VERBS and said[at + size].text.islower():
                    break
                size += 1
            while size > 1 and not said[at + size - 1].text[:1].isupper() and said[at + size - 1].norm not in _ENDINGS:
                size -= 1
            name = passage.text[token.start : said[at + size - 1].end].strip()
            capitals = sum(t.text[:1].isupper() for t in said[at : at + size])
            if size > 6 or 2 * capitals < size or token.start in opens and capitals == 1:
                continue
            longer = re.search(rf'"[^"]*\w[^"\w]+{re.escape(name)}|{re.escape(name)} \w[^"]*"', passage.text)
            common = size == 1 and (is_known(token.norm) and token.norm not in places() or token.start in opens)
            if not (common or longer) and not re.match(r" [A-Z]|-", passage.text[token.start + len(name) :]):
                found[first] = max(found.get(first, (0, "")), (size, name))
    names = (re.sub(r"^(?:The|A|An) |['’]s$", "", name) for _, name in sorted(found.values(), reverse=True))
    return [name for name in names if not name[:1].islower()]


_VERBS: Final = AUXILIARIES - {"am", "can", "will", "do"}
_ENDINGS: Final = frozenset({"on", "me", "you", "it", "up", "out", "down", "in"})
"""Small words with which titles end."""


def _kind(analysis: Analysis, name: str, span: Span, text: str) -> tuple[Kind | None, str]:
    """Return the kind of a name, and the noun that says the kind ('film'); None and '' if the kind is uncertain.

    The noun comes from the passage, or from the words before the name in the question.
    """
    noun = noun_of(text, name)
    before = analysis.question.bare[: span.start].lower()
    led = re.match(r"(?:the |a )?(?P<said>[a-z ]+) [\"“]?", span.of(analysis.question.bare)[: -len(name)])
    if not noun and led is not None:
        noun = {"movie": "film"}.get(led["said"].split()[-1], led["said"])
    kind = Kind.SHOW if noun.endswith(("series", "show")) else kind_of_noun(noun)
    crowd = name.endswith("s") and lemma_of(fold(name.split()[-1])) != fold(name.split()[-1])
    if kind is not None and (kind is Kind.PERSON) is (is_full_name(name) and not crowd):
        return kind, noun
    if re.match(r"who (?:sings|sang) (?:the song )?$", before):
        return Kind.SONG, "song"
    kind = kind_of_form(name)
    unsure = kind is Kind.PERSON and crowd
    return (kind, "") if kind in _BY_FORM and not unsure else (None, "")


def _place(asked: str, name: str) -> Span | None:
    """Return the span of `name` in a question, with words that introduce it ('the movie').

    None if the name is not in the question, or is only a part of a longer name there.
    """
    found = re.search(rf"(?:\b{_SPOKEN}|\bthe )?[\"“]?\b{re.escape(name)}\b[\"”]?", asked, re.IGNORECASE)
    if found is None or len(name) < _LEAST_LETTERS or not re.match(r"[\w.',’ -]+$", name):
        return None
    before = asked[: found.start()]
    cased = asked != asked.lower()
    part_of_name = (
        cased and re.search(r"[A-Z][\w.'’]* (?:of |the |and )*$", before) is not None and before.count(" ") > 1
    )
    joined = re.search(r"[\w'’]-$|\b(?:word|name|term|called|named) $|[\"“]$|& $", before, re.IGNORECASE) is not None
    return Span(found.start(), found.end()) if not part_of_name and not joined and _ends(asked[found.end() :]) else None


def _ends(after: str) -> bool:
    """Return whether the noun phrase ends with the name; `after` is the text after the name.

    In 'the Corran ferry' a noun follows the name.
    """
    following = re.match(r" ([A-Za-z][\w'’]*)", after)
    if following is None:
        return not re.match(r"['’\w-]|:| \d| &", after)
    if following[1][0].isupper():
        return False
    word = fold(following[1])
    return word in FUNCTION_WORDS or bool(verb_tags(word) & {"VBD", "VBZ"}) or not can_be(word, "NOUN")
