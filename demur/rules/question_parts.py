"""Parts of a question, and its subject, from which clauses for frames are made."""

import re
from collections.abc import Sequence
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
from demur.text.tokens import Span, Token, fold

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
        said = self.said.strip('"“”')
        return said[-len(self.name) :]  # the name stands last


@lru_cache(maxsize=256)
def subject(analysis: Analysis) -> Subject | None:
    """Return the name that question and signal passages share; None if there is none.

    Among several names, names of a known kind come first, then longer names.
    """
    found: dict[str, Subject] = {}
    for passage in analysis.signal:
        for name in _shared(analysis, passage):
            if name in found or analysis.is_answer(name):
                continue
            span = _place(analysis.question.bare, name)
            if span is None:
                continue
            kind, noun = _kind(analysis, name, span, passage.text)
            is_uncertain_word = " " not in name and kind is None  # 'Madrid' of 'Real Madrid', 'Americans'
            has_two_names = " and " in name and kind not in WORKS  # but 'Romeo and Juliet'
            if not is_uncertain_word and not has_two_names:
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
        opens_sentence = token.start in opens
        # 'Since' at the beginning of a sentence is no name, but the passage's first word may begin a title.
        is_small_word = token.norm in FUNCTION_WORDS and opens_sentence and at > 0
        if not _is_capitalised(token) or is_small_word:
            continue
        for first in (i for i, norm in enumerate(asked) if norm == token.norm):
            size = _shared_size(asked[first:], said[at:])
            words = said[at : at + size]
            name = passage.text[token.start : words[-1].end].strip()
            capitals = sum(map(_is_capitalised, words))
            has_sentence_capital_only = opens_sentence and capitals == 1
            if size > _MOST_NAME_WORDS or capitals < size / 2 or has_sentence_capital_only:
                continue
            is_common = size == 1 and (opens_sentence or is_known(token.norm) and token.norm not in places())
            # The name goes on: 'Madrid' of 'Madrid Open'.
            goes_on = re.match(r" [A-Z]|-", passage.text[token.start + len(name) :]) is not None
            if not is_common and not goes_on and not _is_part_of_title(name, passage.text):
                found[first] = max(found.get(first, (0, "")), (size, name))
    longest_first = sorted(found.values(), reverse=True)
    names = [re.sub(r"^(?:The|A|An) |['’]s$", "", name) for _, name in longest_first]
    return [name for name in names if not name[:1].islower()]


def _is_capitalised(token: Token) -> bool:
    return token.text[:1].isupper()


def _shared_size(asked: Sequence[str], said: Sequence[Token]) -> int:
    """Return how many words belong to a name with which a question and a passage go on. Their first words are equal."""
    size = 1
    for norm, token in zip(asked[1:], said[1:], strict=False):
        is_verb = token.norm in _VERBS and token.text.islower()
        if norm != token.norm or is_verb:
            break
        size += 1
    while size > 1 and not _is_capitalised(said[size - 1]) and said[size - 1].norm not in _ENDINGS:
        size -= 1
    return size


def _is_part_of_title(name: str, text: str) -> bool:
    """Return whether a title in quotation marks has words before or after the name."""
    quoted = re.escape(name)
    return re.search(rf'"[^"]*\w[^"\w]+{quoted}|{quoted} \w[^"]*"', text) is not None


_MOST_NAME_WORDS: Final = 6
"""Longer matches are phrases."""
_VERBS: Final = AUXILIARIES - {"am", "can", "will", "do"}
_ENDINGS: Final = frozenset({"on", "me", "you", "it", "up", "out", "down", "in"})
"""Small words with which titles end."""


def _kind(analysis: Analysis, name: str, span: Span, text: str) -> tuple[Kind | None, str]:
    """Return the kind of a name, and the noun that says the kind ('film'); None and '' if the kind is uncertain.

    The noun comes from the passage, or from the words before the name in the question.
    """
    noun = noun_of(text, name)
    before = analysis.question.bare[: span.start].lower()
    introduction = span.of(analysis.question.bare)[: -len(name)]
    led = re.match(r"(?:the |a )?(?P<said>[a-z ]+) [\"“]?", introduction)
    if not noun and led is not None:
        noun = "film" if led["said"].split()[-1] == "movie" else led["said"]
    kind = Kind.SHOW if noun.endswith(("series", "show")) else kind_of_noun(noun)
    last = fold(name.split()[-1])
    crowd = name.endswith("s") and lemma_of(last) != last  # a plural, such as 'The Rolling Stones'
    noun_says_person = kind is Kind.PERSON
    form_says_person = is_full_name(name) and not crowd
    if kind is not None and noun_says_person == form_says_person:
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
    has_capital_before = re.search(r"[A-Z][\w.'’]* (?:of |the |and )*$", before) is not None
    is_after_first_word = before.count(" ") == 1  # 'Who' has a capital in any case
    part_of_name = cased and has_capital_before and not is_after_first_word
    joined = re.search(r"[\w'’]-$|\b(?:word|name|term|called|named) $|[\"“]$|& $", before, re.IGNORECASE) is not None
    if part_of_name or joined or not _ends(asked[found.end() :]):
        return None
    return Span(found.start(), found.end())


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
        has_full_verb = verb not in AUXILIARIES and bool(verb_tags(verb) & {"VBD", "VBZ"})
        is_plain = has_full_verb and verb_lemma(verb) not in _VAGUE and not _JOINED.search(_without(rest, named))
        return ParsedQuestion(form, rest, verb, "", "") if is_plain else None
    return _with_verb(form, rest, named, be)


def _without(text: str, name: str) -> str:
    """Return a text without a name, whose words are no words of the clause."""
    return text.replace(name, "") if name else text


def _with_verb(form: str, rest: str, named: str, be: str) -> ParsedQuestion | None:
    """Return a question with its verb split off; None if the verb is uncertain.

    The verb is the first word after the subject's name if `rest` opens with this name, else the only possible verb.
    """
    wanted = "VBN" if form == "passive" else "VB"
    words = rest.split()
    opens = bool(named) and rest.startswith(named)
    first = len(named.split()) if opens else 1
    possible = []
    for i in range(first, len(words)):
        follows_name = opens and i == first
        if _can_be_verb(words[i], wanted, sure=not follows_name):
            possible.append(i)
    is_certain = len(possible) == 1 or possible[:1] == [first]
    if not is_certain:
        return None
    at = possible[0]
    start = at - 1 if at > 1 and fold(words[at - 1]) in _ADVERBS else at
    tail = [fold(word) for word in words[at + 1 :]]
    about = " ".join(words[:start])
    lemma = verb_lemma(fold(words[at]))
    if _BROKEN.search(_without(about, named)) or _is_loose(tail) or lemma is None or lemma in _VAGUE:
        return None
    if not start or fold(words[start - 1]) in PREPOSITIONS:
        return None
    verb = words[at] if form == "passive" else inflection(lemma, _TENSES[be])
    adverb = f"{words[start]} " if start < at else ""
    return ParsedQuestion(form, about, f"{adverb}{verb}", " ".join(words[at + 1 :]), be) if verb else None


def _is_loose(tail: Sequence[str]) -> bool:
    """Return whether the words after the verb have a second verb, a stranded preposition or a name."""
    if not tail:
        return False
    is_stranded = tail[-1] in PREPOSITIONS - {"out", "on", "up", "off"}
    has_second_verb = any("VBD" in verb_tags(word) and not can_be(word, "NOUN") for word in tail)
    has_name = not all(is_known(word) or word in places() or word.isdigit() for word in tail)
    return is_stranded or has_second_verb or has_name or tail[0] in AUXILIARIES


def _can_be_verb(word: str, tag: str, *, sure: bool) -> bool:
    """Return whether a word can be a verb with this tag; if `sure`, whether it can hardly be anything else."""
    norm = fold(word)
    if tag not in verb_tags(norm) or norm in AUXILIARIES | PREPOSITIONS:
        return False
    if not sure:
        return True
    return not can_be(norm, "NOUN") and (norm.endswith("ed") or not can_be(norm, "ADJ"))
