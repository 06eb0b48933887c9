"""Rivals of an answer, the corpus from which they may come, and evidence that stays when the answer is removed."""

import hashlib
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from demur.levers.instances import BaseInstance
from demur.levers.lever_models import Kind
from demur.levers.vocabulary import ENGLISH
from demur.rules.edits import replace_spans
from demur.text.analysis import Analysis, PassageAnalysis, WhWord, content_words
from demur.text.answers import AnswerType, MentionKind, find_answers
from demur.text.dates_and_numbers import DateMention, DatePrecision, find_dates, find_numbers, moved, written_like
from demur.text.kinds import COUNTED, DATED, is_full_name, kind_of_answer
from demur.text.lexicon import FUNCTION_WORDS, is_known, places, verb_lemma
from demur.text.names import NameKind
from demur.text.tokens import fold, sentences, tokenise

# Rivals: wrong dates or figures that resemble the answer, and texts with a rival in place of the answer.


_MORE: Final = re.compile(r"\b(?:else|another|other)\b", re.IGNORECASE)
_BOUND: Final = re.compile(
    r"\b(?:more|less|fewer|greater|over|under|least|most|up to|about|around|nearly|almost|roughly|approximately|some|"
    r"estimated|between|than)\b",
    re.IGNORECASE,
)
_COUNTS: Final = re.compile(
    r"\b(?:how (?:many|much)|number of|population|amount|total|count|capacity)\b", re.IGNORECASE
)
_AGES: Final = re.compile(r"\baged?\b|\byears? (?:old|later|earlier|after|before)\b", re.IGNORECASE)
_FEW: Final = 20
"""Largest count that is changed by two or three; larger counts are changed by a share."""


@dataclass(frozen=True, slots=True)
class Rival:
    """A change that makes another value of the answer.

    A date moves by `years`. A figure is multiplied by `factor`, and `plus` is added.
    """

    kind: Kind
    years: int = 0
    factor: float = 1.0
    plus: int = 0

    def value(self, written: str) -> str | None:
        """Return the rival in the form in which `written` gives the answer; None if the rival has no such form."""
        if self.kind in DATED:
            dates = find_dates(written)
            if len(dates) != 1 or dates[0].year is None:
                return None
            span = dates[0].span
            return written[: span.start] + moved(dates[0], years=self.years) + written[span.end :]
        numbers = find_numbers(written)
        if len(numbers) != 1:
            return None
        number = numbers[0]
        new = rounded(number.value * self.factor, number.value) + self.plus
        return written[: number.span.start] + written_like(new, number) + written[number.span.end :]


def rounded(value: float, like: float) -> float:
    """Return `value` with as many significant digits as `like`, at least two."""
    digits = max(2, len(f"{like:.10g}".replace(".", "").strip("0")))
    number = float(f"{value:.{digits}g}")
    return number if like != round(like) else float(round(number))


def is_one_fact(analysis: Analysis) -> bool:
    """Return whether all accepted answers that stand in the passages are forms of one value."""
    said = {m.answer for p in analysis.passages for m in p.answers if m.kind is not MentionKind.PARTIAL}
    sets = [content_words(answer) | {fold(answer)} for answer in said]
    return bool(said) and all(one & other for one in sets for other in sets)


def is_one_time(analysis: Analysis) -> bool:
    """Return whether the question can have only one date as its answer.

    All dates in the accepted answers must have the same year. The question must not ask for a first, last or next time.
    """
    years = {d.year for a in analysis.base.answers for d in find_dates(a) if d.year}
    return len(years) < 2 and re.search(r"\b(?:last|first|next) time\b", analysis.question.text) is None


def find_rival(analysis: Analysis, rng: random.Random) -> Rival | None:
    """Return a rival of the answer; None if the answer's kind is uncertain, or if a rival might be right too.

    A rival date keeps the true date's place in the chronological order of the years in the passages.
    """
    kind = kind_of_answer(analysis)
    asked = fold(analysis.question.text)
    if kind is None or not is_one_fact(analysis) or _MORE.search(asked) or fold(analysis.answer) in asked:
        return None
    if kind in DATED and not _follows_from_others(analysis, dated=True):
        moves = _moves(find_dates(analysis.answer), analysis.years)
        return Rival(kind, years=rng.choice(moves)) if moves else None
    if kind in COUNTED - {Kind.ORDINAL} and not _follows_from_others(analysis, dated=False):
        return _figure(analysis, kind, rng)
    return None


def other_person(analysis: Analysis, verb: str) -> str | None:
    """Return a person in the main passage who can be mistaken for the person who is the answer; None if there is none.

    No sentence with this person's name may have the answer or the question's verb. `verb` is the lemma of this verb.
    """
    if kind_of_answer(analysis) is not Kind.PERSON or not is_one_fact(analysis):
        return None
    asked = content_words(analysis.question.text)
    passage = analysis.main
    for name in passage.names:
        said = [s for s in passage.sentences if name.text in s.text]
        apart = not any(s in passage.answer_sentences for s in said)
        apart = apart and not any(verb_lemma(t.norm) == verb for s in said for t in tokenise(s.text) if t.is_word)
        new = not content_words(name.text) & (asked | content_words(analysis.answer))
        if apart and new and name.kind is NameKind.PERSON and is_full_name(name.text):
            return name.text
    return None


def _moves(dates: tuple[DateMention, ...], known: tuple[int, ...]) -> list[int]:
    """Return the numbers of years by which a date can be moved without passing its neighbours in `known`."""
    year = dates[0].year if len(dates) == 1 else None
    if year is None or dates[0].precision in (DatePrecision.DECADE, DatePrecision.CENTURY):
        return []
    earlier = max((y for y in known if y < year), default=year - 10)
    later = min((y for y in known if y > year), default=year + 5)
    return [by for by in (-4, -3, -2, 2, 3, 4) if earlier < year + by < later]


def _follows_from_others(analysis: Analysis, *, dated: bool) -> bool:
    """Return whether other values in the same sentence may lead to the answer, or whether the answer is inexact.

    If the answer is a date (`dated`), such values are ages and numbers of years. If the answer is a figure, such values
    are other figures, and words such as 'about' or 'at least' make the answer inexact.
    """
    for passage in analysis.signal:
        for mention in passage.answers:
            sentence = passage.sentence_at(mention.span)
            if dated:
                if _AGES.search(sentence.text):
                    return True
                continue
            before = passage.text[max(sentence.span.start, mention.span.start - 30) : mention.span.end]
            others = [n for n in passage.numbers if sentence.span.covers(n.span) and not n.span.overlaps(mention.span)]
            others = [n for n in others if not any(d.span.overlaps(n.span) for d in passage.dates)]
            if _BOUND.search(before) or len(others) > 1 or re.match(r" \(|, or ", passage.text[mention.span.end :]):
                return True
    return False


def _figure(analysis: Analysis, kind: Kind, rng: random.Random) -> Rival | None:
    value = find_numbers(analysis.answer)[0].value
    if kind is Kind.NUMBER and not _COUNTS.search(analysis.question.text):
        return None  # a code, a number of a room
    if value == round(value) and value <= _FEW:
        return Rival(kind, plus=rng.choice((2, 3))) if value >= 2 else None
    return Rival(kind, factor=rng.choice((0.6, 0.7) if kind is Kind.PERCENT else (1.4, 1.6)))


def exchanged(analysis: Analysis, text: str, rival: Rival) -> str | None:
    """Return a text with the rival in place of every mention of the answer; None if a mention would stay."""
    replaced = [(m.span, rival.value(m.text)) for m in find_answers(text, analysis.base.answers)]
    known = [(span, new) for span, new in replaced if new is not None]
    of_a_series = any(text[: span.start].endswith(("the ", "The ")) for span, _ in known)  # 'the 1994 season'
    if not known or len(known) < len(replaced) or of_a_series and rival.kind in DATED:
        return None
    made = replace_spans(text, known)
    return made if not analysis.is_answer(made) else None


# The round's corpus as the rules lane uses it: passages of other base instances.


_SCARS: Final = re.compile(r"\(\W*\)|\[\W*\]|\{|\s[,.;]|\n|\"\W*\"(?=\W)|“\W*”")
"""Traces that the extraction of text leaves of lists and brackets."""
MOST_BASES = 400
"""Largest number of base instances of a corpus; reading more takes seconds and brings no better choice."""


@dataclass(frozen=True)
class Corpus:
    """Base instances whose passages can replace the passages of another base instance."""

    bases: tuple[BaseInstance, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, bases: Iterable[BaseInstance]) -> "Corpus":
        """Return a corpus of at most `MOST_BASES` of these base instances. Their order does not change the choice."""
        marked = {hashlib.sha256(base.model_dump_json().encode()).hexdigest(): base for base in bases}
        return cls(tuple(marked[digest] for digest in sorted(marked)[:MOST_BASES]))

    @cached_property
    def digest(self) -> str:
        """The digest of all base instances."""
        shown = "\n".join(base.model_dump_json() for base in self.bases)
        return hashlib.sha256(shown.encode()).hexdigest()[:16]

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The distinct passages in English. Passages with remains of lists or brackets (`_SCARS`) are left out."""
        given = dict.fromkeys(p.text for base in self.bases if base.language == ENGLISH for p in base.passages)
        return tuple(text for text in given if not _SCARS.search(text))

    @cached_property
    def _words(self) -> tuple[frozenset[str], ...]:
        return tuple(content_words(text) for text in self.texts)

    def strange_to(self, base: BaseInstance) -> Iterator[str]:
        """Yield passages of other base instances that have no content word of the question or answers of `base`."""
        asked = content_words(base.question) | frozenset(w for a in base.answers for w in content_words(a))
        own = {p.text for p in base.passages}
        for text, said in zip(self.texts, self._words, strict=True):
            if text not in own and not asked & said:
                yield text


NO_CORPUS = Corpus()


# Evidence that stays when all mentions of the answer are removed, such as a part of the answer.


_DAYS_APART: Final = re.compile(
    r"\b(?:one|two|three|four|five|six|ten|few|several|\d+) (?:days?|weeks?|months?|years?) "
    r"(?:later|after|before|earlier)\b",
    re.IGNORECASE,
)
_LASTED: Final = re.compile(
    r"\b(?:after|for|time of|took|taking|lasted|within) (?:\w+ ){0,4}?(?:two|three|four|five|six|seven|eight|nine|ten|"
    r"twelve|\d{1,2}) years\b"
)
_PLACED: Final = re.compile(
    r"\b(?:located|situated|based) (?:\w+ ){0,4}?(?:on|at|in|near|west|east|north|south|between|along)\b"
    r"|\b(?:lies|stands) (?:on|at|in|near)\b"
)
_RIVALS: Final = {
    AnswerType.PERSON: (NameKind.PERSON,),
    AnswerType.PLACE: (NameKind.PLACE,),
    AnswerType.ORGANISATION: (NameKind.ORGANISATION,),
}


_SHARED: Final = 0.6
"""Smallest share of the question's words with which a remaining sentence may seem to answer the question."""


def what_stays(analysis: Analysis, changed: dict[int, str]) -> str | None:
    """Return which evidence of the answer stays after the change of passages; None if no evidence stays."""
    left = {p.index: changed.get(p.index, p.text) for p in analysis.signal}
    if any(_word_of_name(analysis, text) or _initials(analysis, text) for text in left.values()):
        return "a part of the answer's name stays"
    if any(_derived(analysis, text) for text in left.values()):
        return "a word made from the answer stays"
    if any(_said_otherwise(analysis, text) for text in left.values()):
        return "the answer stays in other words"
    if any(_taken_for_it(analysis, p, changed[p.index]) for p in analysis.signal if p.index in changed):
        return "another value of the answer's kind could be taken for it"
    return next((why for text in changed.values() if (why := _worked_out(analysis, text))), None)


def _word_of_name(analysis: Analysis, text: str) -> bool:
    """Return whether a word stays that points to a name: a last name, or 'Baltic' of 'the Eastern Baltic Sea'."""
    asked = fold(analysis.question.text)
    for answer in analysis.base.answers:
        words = [w for w in re.findall(r"[^\W\d_]{4,}", answer) if w[0].isupper() and fold(w) not in asked]
        two = sum(word[:1].isupper() for word in answer.split()) == 2
        telling = [w for w in words if fold(w) in places() or not is_known(fold(w)) or two]
        if any(re.search(rf"\b{re.escape(word)}\b", text) for word in telling):
            return True
    return False


def _initials(analysis: Analysis, text: str) -> bool:
    """Return whether the initials of an answer of three words or more stay: 'SSNs' of 'social security numbers'."""
    for answer in analysis.base.answers:
        letters = "".join(w[0].upper() for w in re.findall(r"[^\W\d_]+", answer) if w.lower() not in FUNCTION_WORDS)
        if len(letters) >= 3 and re.search(rf"\b{letters}s?\b", text):
            return True
    return False


def _derived(analysis: Analysis, text: str) -> bool:
    """Return whether a word made from a one-word answer stands in the text: 'Bulgarian' for 'Bulgaria'."""
    asked = fold(analysis.question.text)
    for answer in analysis.base.answers:
        stem = re.fullmatch(
            r"(?:in |at |on |the |an? )*([^\W\d_]{5,}?)(?:[eya]|um|us|is|ic)?s?", answer.strip().lower()
        )
        found = re.search(rf"\b{re.escape(stem[1])}\w{{0,5}}\b", text.lower()) if stem else None
        if found is not None and found.group() not in asked:
            return True
    return False


def _said_otherwise(analysis: Analysis, passage: str) -> bool:
    """Return whether a sentence has all words of an answer in other forms: 'gas lamps' of 'gas lamp'."""
    for answer in analysis.base.answers:
        stems = {w[:5] for w in content_words(answer)}
        if len(stems) < 2 or any(c.isdigit() for c in answer):
            continue
        for sentence in sentences(passage.lower()):
            if all(re.search(rf"\b{re.escape(stem)}", sentence.text) for stem in stems):
                return True
    return False


def _taken_for_it(analysis: Analysis, passage: PassageAnalysis, text: str) -> bool:
    """Return whether a remaining sentence suggests another answer.

    Such a sentence has most words of the question, and also a name of the same kind as the answer.
    """
    kinds = _RIVALS.get(AnswerType.PERSON if analysis.question.wh is WhWord.WHO else analysis.answer_type)
    asked = content_words(analysis.question.text)
    if kinds is None or len(asked) < 2:
        return False
    said = fold(analysis.question.text)
    for sentence in sentences(text):
        if len(asked & content_words(sentence.text)) < max(2, _SHARED * len(asked)):
            continue
        names = [n for n in passage.names if n.kind in kinds and n.text in sentence.text]
        if any(fold(n.text) not in said and not analysis.is_answer(n.text) for n in names):
            return True
    return False


def other_of_its_kind(analysis: Analysis, passage: PassageAnalysis, text: str) -> bool:
    """Return whether `text` still has a name of the answer's kind that is not in the question."""
    kinds = _RIVALS.get(AnswerType.PERSON if analysis.question.wh is WhWord.WHO else analysis.answer_type)
    if kinds is None:
        return False
    said = fold(analysis.question.text)
    names = [n for n in passage.names if n.kind in kinds and re.search(rf"\b{re.escape(n.text)}\b", text)]
    return any(fold(n.text) not in said and not analysis.is_answer(n.text) for n in names)


def _worked_out(analysis: Analysis, text: str) -> str | None:
    """Return a remaining premise from which a removed date or place follows; None if there is none."""
    if analysis.answer_type is AnswerType.DATE:
        years = {y for a in analysis.base.answers for y in re.findall(r"\b(?:1\d|20)\d\d\b", a)}
        if any(re.search(rf"\b{year}\b|\d[–-]{year[2:]}\b", text) for year in years):
            return "the year stays"
        counted = _DAYS_APART.search(text) or _LASTED.search(text)
        return "a time counted from the date stays" if counted else None
    wanted = [n.value for n in find_numbers(analysis.answer)]
    figures = [[n.value for n in find_numbers(sentence.text)] for sentence in sentences(text)]
    if len(wanted) == 1 and any(wanted[0] in (sum(values), *values) for values in figures if values):
        return "figures that add up to the answer stay"
    where = analysis.question.wh is WhWord.WHERE and _PLACED.search(text) is not None
    return "the text says otherwise where it lies" if where else None
