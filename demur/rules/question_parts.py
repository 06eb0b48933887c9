"""Parts of a question, and its subject, from which clauses for frames are made."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from demur.levers.lever_models import Kind
from demur.text.analysis import Analysis, PassageAnalysis
from demur.text.kinds import entry_name, is_full_name, kind_of_form, kind_of_noun, noun_of
from demur.text.lexicon import (
    AUXILIARIES,
    FUNCTION_WORDS,
    PREPOSITIONS,
    can_be,
    inflection,
    is_known,
    lemma_of,
    places,
    verb_lemma,
    verb_tags,
)
from demur.text.tokens import Span, fold

# The subject of a question, with its kind: a name that the question shares with a signal passage.


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


# Parts of a question. From the parts, clauses for frames are made: 'X was opened', 'somebody else had built X'.
#
# Only plain questions are parsed: they have one question word, one verb, and no second clause.


_LEAD: Final = (
    r"^(?:when|where|(?:in )?(?:what|which) (?:year|city|town|country|state|county)|on (?:what|which) (?:date|day))"
)
_PATTERNS: Final = (
    ("passive", re.compile(rf"{_LEAD} (?P<be>was|were|is|are) (?P<rest>.+)$", re.I)),
    ("active", re.compile(rf"{_LEAD} (?P<be>did|does|do) (?P<rest>.+)$", re.I)),
    ("agent", re.compile(r"^who (?P<verb>[a-z]+) (?P<rest>.+)$", re.I)),
)
_BROKEN: Final = re.compile(
    r"[?.!;:] |, |"
    r"\b(?:and|or|but|who|what|when|where|which|whose|why|how|that|because|if|after|before|while|since|as)\b",
    re.IGNORECASE,
)
_JOINED: Final = re.compile(r"\b(?:and|or|but|when|because|if|after|before|while|since)\b", re.IGNORECASE)
_TWICE: Final = re.compile(r"[?.!;:] |\b(?:and|or),? (?:in )?(?:who|what|when|where|which|why|how)\b", re.IGNORECASE)
_ADVERBS: Final = frozenset("first originally officially finally last initially actually".split())
_VAGUE: Final = frozenset("happen mean stand do have be say".split())
_PERFORMS: Final = frozenset({"plays", "sings", "voices"})
"""Verbs in the present for what was done once, in a work."""
_TENSES: Final = {"did": "VBD", "does": "VBZ", "do": "VB"}
_MOST_WORDS: Final = 16


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A parsed question.

    `about` is the question's subject ('the opera house'). `verb` is the verb in the form for a statement ('opened').
    `rest` has the words after the verb ('to the public'). `be` is the auxiliary of the question.
    """

    form: str
    about: str
    verb: str
    rest: str
    be: str

    @property
    def _tail(self) -> str:
        return f" {self.rest}" if self.rest else ""

    @property
    def event(self) -> str | None:
        """The event, without the time or place asked for: 'the opera house was opened to the public'."""
        if self.form == "passive":
            return f"{self.about} {self.be} {self.verb}{self._tail}"
        return f"{self.about} {self.verb}{self._tail}" if self.form == "active" else None

    @property
    def inverted(self) -> str | None:
        """The event in the word order of a question: 'was the opera house opened to the public'."""
        if self.form == "passive":
            return f"{self.be} {self.about} {self.verb}{self._tail}"
        if self.form != "active":
            return None
        *adverb, verb = self.verb.split()
        return " ".join([self.be, self.about, *adverb, f"{verb_lemma(verb)}{self._tail}"])

    @property
    def _lasts(self) -> bool:
        """Whether the question is about a lasting state, such as 'who owns'."""
        return self.form == "agent" and "VBD" not in verb_tags(self.verb) and self.verb not in _PERFORMS

    @property
    def never(self) -> str | None:
        """The supposition that the event never happened: 'the opera house had never been opened to the public'."""
        if self.form == "passive":
            return f"{self.about} had never been {self.verb.split()[-1]}{self._tail}"
        participle = None if self._lasts else inflection(verb_lemma(self.verb.split()[-1]) or "", "VBN")
        if self.form == "active" and participle:
            return f"{self.about} had never {participle}{self._tail}"
        return f"somebody else had {participle} {self.about}" if self.form == "agent" and participle else None

    @property
    def deed(self) -> str | None:
        """What was done by the person that the question asks for: 'wrote the opera'."""
        return f"{self.verb} {self.about}" if self.form == "agent" else None

    @property
    def do(self) -> str | None:
        """The deed as an infinitive: 'sing the opera'; None for a lasting state, such as 'who owns'."""
        lemma = verb_lemma(self.verb) if self.form == "agent" and not self._lasts else None
        return f"{lemma} {self.about}" if lemma else None

    @property
    def did(self) -> str | None:
        """The deed in the past tense: 'sang the opera' for 'sings the opera'."""
        past = inflection(verb_lemma(self.verb) or "", "VBD") if self.form == "agent" else None
        return f"{past} {self.about}" if past else None


@lru_cache(maxsize=256)
def asked(analysis: Analysis) -> ParsedQuestion | None:
    """Return the parts of the question; None if the question is not plain."""
    text = re.sub(r"\s+", " ", analysis.question.bare).strip()
    for form, pattern in _PATTERNS:
        found = pattern.match(text)
        made = _made(analysis, form, found.groupdict()) if found is not None else None
        if made is not None:
            return made
    return None


def _made(analysis: Analysis, form: str, parts: dict[str, str]) -> ParsedQuestion | None:
    rest = parts["rest"]
    be = parts.get("be", "").lower()
    verb = parts.get("verb", "").lower()
    about = subject(analysis)
    named = about.said if about is not None and about.said in rest else ""
    if _TWICE.search(rest) or len(rest.split()) > _MOST_WORDS:
        return None
    if form == "agent":
        plain = verb not in AUXILIARIES and bool(verb_tags(verb) & {"VBD", "VBZ"})
        plain = plain and not _JOINED.search(rest.replace(named, "") if named else rest)
        return ParsedQuestion(form, rest, verb, "", "") if plain and verb_lemma(verb) not in _VAGUE else None
    return _with_verb(form, rest, named, be)


def _with_verb(form: str, rest: str, named: str, be: str) -> ParsedQuestion | None:
    """Return a question with its verb split off; None if the verb is uncertain.

    The verb is the first word after the subject's name if `rest` opens with this name, else the only possible verb.
    """
    wanted = "VBN" if form == "passive" else "VB"
    words = rest.split()
    opens = bool(named) and rest.startswith(named)
    first = len(named.split()) if opens else 1
    possible = [i for i in range(first, len(words)) if _can_be_verb(words[i], wanted, sure=i > first or not opens)]
    if not possible or len(possible) > 1 and possible[0] != first:
        return None
    at = possible[0]
    start = at - 1 if at > 1 and fold(words[at - 1]) in _ADVERBS else at
    tail = [fold(word) for word in words[at + 1 :]]
    about = " ".join(words[:start])
    if _BROKEN.search(about.replace(named, "") if named else about):
        return None
    loose = bool(tail) and (tail[-1] in PREPOSITIONS - {"out", "on", "up", "off"} or tail[0] in AUXILIARIES)
    loose = loose or any("VBD" in verb_tags(word) and not can_be(word, "NOUN") for word in tail)
    loose = loose or not all(is_known(word) or word in places() or word.isdigit() for word in tail)  # a name
    lemma = verb_lemma(fold(words[at]))
    if not start or loose or lemma is None or lemma in _VAGUE or fold(words[start - 1]) in PREPOSITIONS:
        return None
    verb = words[at] if form == "passive" else inflection(lemma, _TENSES[be])
    adverb = f"{words[start]} " if start < at else ""
    return ParsedQuestion(form, about, f"{adverb}{verb}", " ".join(words[at + 1 :]), be) if verb else None


def _can_be_verb(word: str, tag: str, *, sure: bool) -> bool:
    norm = fold(word)
    if tag not in verb_tags(norm) or norm in AUXILIARIES | PREPOSITIONS:
        return False
    noun = can_be(norm, "NOUN")
    return not sure or not (noun or can_be(norm, "ADJ")) or norm.endswith("ed") and not noun
