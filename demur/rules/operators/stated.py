"""The one place where the passages state the answer openly, so that another value can stand beside it."""

import re
from dataclasses import dataclass
from typing import Final

from demur.levers.frames import Kind
from demur.text.analysis import Analysis, PassageAnalysis
from demur.text.answers import MentionKind
from demur.text.dates import find_dates
from demur.text.kinds import COUNTED, DATED, kind_of_answer
from demur.text.quantities import find_numbers
from demur.text.questions import content_words
from demur.text.spans import Sentence, Span
from demur.text.tokens import fold

_LEANS: Final = re.compile(
    r"\b(?:an?|as|than|least|most|over|under|nearly|almost|between|about|around|since|until|only) $", re.IGNORECASE
)
_BOUNDS: Final = re.compile(r"\b(?:the|from|of|to) $", re.IGNORECASE)
_PERSON_STANDS: Final = re.compile(r"\b(?:by|with|from|to|for|is|was|starring|when|that|and) $|\($|[.!?] $|^$")
_ENDS: Final = re.compile(
    r"[.,;]| (?:[a-z]+ly |[a-z]+ed|[a-z]+s|won|wrote|sang|led|became|took|made|held|had|and|in|on|as|at|for|by|with|"
    r"from|during|after|before|when|while|to)\b"
)
_OPENER: Final = re.compile(r"^(?:In|On|At|After|During|For|By|From|Under) [^,]{3,60}, $")
_GOES_ON: Final = re.compile(r",? (?:or|AD|BC)\b|,? and (?![a-z]+(?:ed|ing)\b)|[–-]|, [A-Z]| [A-Z(]")
_STEM: Final = 6
"""Letters in which words of one family begin alike: inductive, inductivism."""
_NAMED: Final = frozenset(
    {Kind.PERSON, Kind.CITY, Kind.STATE, Kind.COUNTRY, Kind.TEAM, Kind.BAND, Kind.FILM, Kind.SONG, Kind.SCHOOL}
)


@dataclass(frozen=True, slots=True)
class Place:
    """The one place where the passages state the answer."""

    passage: PassageAnalysis
    sentence: Sentence
    span: Span
    answer: str
    kind: Kind | None

    @property
    def before(self) -> str:
        """The sentence before the answer."""
        return self.passage.text[self.sentence.span.start : self.span.start]

    @property
    def after(self) -> str:
        """The sentence behind the answer."""
        return self.passage.text[self.span.end : self.sentence.span.end]

    @property
    def is_enclosed(self) -> bool:
        """Whether the answer ends what stands in brackets, so that what is added stands in them too."""
        return self.before.count("(") > self.before.count(")") and self.after.startswith(")")

    def beside(self, value: str, said: str) -> str:
        """Return a value, put where the answer stands, with what is said in brackets behind it."""
        return f"{value}; {said}" if self.is_enclosed else f"{value} ({said})"

    def with_sentence(self, sentence: str) -> dict[int, str]:
        """Return the passage with another sentence in place of the answering one."""
        text = self.passage.text
        return {self.passage.index: text[: self.sentence.span.start] + sentence + text[self.sentence.span.end :]}


def place_of(analysis: Analysis, *, beside: bool = False) -> Place | None:
    """Return where the one signal passage states the answer openly; None where that is not so.

    What else the passage says of the answer must not be what is asked. With `beside`, what is put in brackets behind
    the answer must fit there, no more.
    """
    kind = kind_of_answer(analysis)
    stating = [p for p in analysis.signal if p.gives_answer]
    stated = analysis.answer_sentence
    if len(stating) != 1 or stated is None:
        return None
    passage = stating[0]
    whole = [m.span for m in passage.answers if m.kind is not MentionKind.PARTIAL]
    inside = [s for s in whole if passage.sentence_at(s).index == stated.index]
    span = max(inside, key=lambda s: s.end - s.start, default=None)
    if span is None or not all(span.overlaps(s) for s in inside) or _other_answer(passage, whole, span):
        return None
    if _stated_again(analysis, passage, stated) or is_asked_of_another_part(analysis, stated, span.start):
        return None
    if kind not in DATED | COUNTED and (led := re.search(r"\b[Tt]he $", passage.text[: span.start])):
        span = Span(led.start(), span.end)
    answer = span.of(passage.text)
    before = passage.text[stated.span.start : span.start]
    after = passage.text[span.end :]
    if not stated.text.rstrip().endswith(".") or span.end > stated.span.end:
        return None
    if not (takes_brackets(before, after) if beside else _stands_open(before, after, kind)):
        return None
    if kind in COUNTED and _is_worked_out(answer, stated.text):
        return None
    if kind in _NAMED and re.search(r"\b(?:and|or)\b", answer):
        return None
    return Place(passage, stated, span, answer, kind)


def named_on(place: Place, rival: str) -> int:
    """Return how many other sentences name the person by a name that the rival does not have, so that they decide."""
    own = set(place.answer.split()) - set(rival.split())
    named = re.compile(rf"\b(?:{'|'.join(re.escape(name) for name in sorted(own))})\b")
    others = (s for s in place.passage.sentences if s.index != place.sentence.index)
    return sum(named.search(s.text) is not None for s in others) if own else 0


def _is_worked_out(answer: str, sentence: str) -> bool:
    """Return whether other figures of the sentence may tell the answer, or it is a bound that several values keep."""
    dates = [d.span for d in find_dates(sentence)]
    figures = [n for n in find_numbers(sentence) if not any(d.overlaps(n.span) for d in dates)]
    return len(figures) != 1 or re.search(r"\b(?:than|least|most|over|under|about|around)\b", answer) is not None


def _other_answer(passage: PassageAnalysis, whole: list[Span], span: Span) -> bool:
    """Return whether the passage has an accepted answer of another wording."""
    said = fold(span.of(passage.text))
    return any(fold(s.of(passage.text)) not in said and said not in fold(s.of(passage.text)) for s in whole)


def takes_brackets(before: str, after: str) -> bool:
    """Return whether brackets can follow the answer: it ends its phrase, or brackets, and stands in no title."""
    enclosed = before.count("(") > before.count(")")
    quoted = before.count('"') % 2 == 1
    bounded = re.search(r"\b(?:than|least|most|over|under|about|around|between|until|[–-]) $", before) is not None
    ended = after.startswith(")") if enclosed else _ENDS.match(after) is not None
    return ended and not quoted and not bounded


def _stands_open(before: str, after: str, kind: Kind | None) -> bool:
    """Return whether another value can stand beside the answer: no brackets, list, apposition or compound around it."""
    bracketed = before.endswith("(") and after.startswith(")")
    enclosed = before.count("(") > before.count(")") or before.count('"') % 2 == 1
    if enclosed and not bracketed or not re.match(r"[ .,;)]", after[:1] or "."):
        return False
    if kind in DATED | COUNTED and _BOUNDS.search(before):
        return False
    opened = _OPENER.match(before) is not None and re.match(r" [a-z]", after) is not None
    listed = re.search(r"(?:[,–-]|\b(?:and|or)) ?$", before[-5:]) is not None and not opened
    if _LEANS.search(before[-12:]) or listed or _GOES_ON.match(after):
        return False
    if kind in (Kind.YEAR, Kind.DATE):
        return re.search(r"\b(?:[Ii]n|[Oo]n|[Bb]y) $", before) is not None
    if kind is Kind.PERSON and not opened and not _PERSON_STANDS.search(before):
        return False
    return kind not in _NAMED or not (
        re.search(r"[A-Z][\w.]* $", before[-20:])
        and not before.endswith(". ")
        or kind is Kind.PERSON
        and re.match(r", (?:an?|the|who|whose|his|her|born)\b", after)
    )


def is_asked_of_another_part(analysis: Analysis, stated: Sentence, at: int) -> bool:
    """Return whether another part of a sentence than the one with this position says more of what is asked.

    Semicolons divide the parts.
    """
    asked = {word[:_STEM] for word in content_words(analysis.question.text)}
    start = stated.span.start
    shared = {True: 0, False: 0}
    for part in re.finditer(r"[^;]+", stated.text):
        own = start + part.start() <= at < start + part.end()
        found = len(asked & {word[:_STEM] for word in content_words(part.group())})
        shared[own] = max(shared[own], found)
    return shared[False] > shared[True]


def _stated_again(analysis: Analysis, passage: PassageAnalysis, stated: Sentence) -> bool:
    """Return whether another sentence with the answer has most words of the question."""
    asked = content_words(analysis.question.text)
    others = [s for s in passage.answer_sentences if s.index != stated.index]
    return any(len(asked & content_words(s.text)) >= max(2, len(asked) / 2) for s in others)
