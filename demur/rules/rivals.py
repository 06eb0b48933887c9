"""Another value of the answer's kind, and texts of the passages in which it stands in the answer's place."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from demur.levers.frames import Kind
from demur.rules.corpus import Corpus, last_year
from demur.rules.edits.text import replace_spans
from demur.rules.other_times import other_times
from demur.text.analysis import Analysis
from demur.text.answers import AnswerMention, MentionKind, find_answers
from demur.text.dates import find_dates, moved
from demur.text.kinds import (
    COUNTED,
    DATED,
    NAMED,
    ROLES,
    family_word,
    gender_of,
    kind_of_answer,
    kind_of_form,
    kind_of_last_word,
    kind_of_noun,
)
from demur.text.lexicon import FUNCTION_WORDS
from demur.text.names import NameKind
from demur.text.people import first_names_beside
from demur.text.quantities import NumberKind, find_numbers, written_like
from demur.text.questions import content_words
from demur.text.tokens import fold, tokenise
from demur.text.word_families import NATIONALITIES, relatives

_CHOICE: Final = 6
"""Names among which one is drawn: the nearest of the corpus that fit."""
_PLACES: Final = frozenset({Kind.CITY, Kind.COUNTRY, Kind.STATE, Kind.SITE, Kind.RIVER})
_HERS = re.compile(r"\b(?:she|her|hers|herself|female|woman|women|actress|wife|mother|daughter|sister|queen)\b", re.I)
_HIS = re.compile(r"\b(?:he|him|his|himself|male|husband|father|son|brother|king)\b", re.I)


@dataclass(frozen=True, slots=True)
class Rival:
    """Another value for the answer: a name, or by how much dates or figures are changed."""

    kind: Kind
    name: str = ""
    years: int = 0
    months: int = 0
    factor: float = 1.0
    plus: int = 0

    def value(self, written: str) -> str | None:
        """Return what stands in place of the answer as it is written here; None where it cannot be written so."""
        if self.kind in DATED:
            dates = find_dates(written)
            if len(dates) != 1:
                return None
            date = dates[0]
            new = moved(date, years=self.years, months=self.months)
            return written[: date.span.start] + new + written[date.span.end :]
        if self.kind in COUNTED:
            numbers = find_numbers(written)
            if len(numbers) != 1 or (self.kind is Kind.ORDINAL) is not (numbers[0].kind is NumberKind.ORDINAL):
                return None
            number = numbers[0]
            new = written_like(self._number(number.value), number)
            return written[: number.span.start] + new + written[number.span.end :]
        if self.kind is Kind.TERM:
            return _reworded(written, self.name)
        return self.name

    def _number(self, value: float) -> float:
        return value + self.plus if self.plus else rounded(value * self.factor, value)


def _reworded(written: str, word: str) -> str | None:
    """Return a term with the word of its family exchanged, in the case in which it stands."""
    old = family_word(written)
    at = re.search(rf"\b{old}\b", written, re.IGNORECASE) if old else None
    if at is None:
        return None
    new = word.capitalize() if at.group()[0].isupper() else word
    return written[: at.start()] + new + written[at.end() :]


def rounded(value: float, like: float) -> float:
    """Return a number with as many significant digits as another, at least two."""
    digits = max(2, len(f"{like:.10g}".replace(".", "").strip("0")))
    return float(f"{value:.{digits}g}") if like != round(like) else float(round(float(f"{value:.{digits}g}")))


def is_one_fact(analysis: Analysis) -> bool:
    """Return whether all accepted answers that stand in the passages are forms of one value."""
    said = {m.answer for p in analysis.passages for m in p.answers if m.kind is not MentionKind.PARTIAL}
    sets = [content_words(answer) | {fold(answer)} for answer in said]
    return all(one & other for one in sets for other in sets)


def find_rival(analysis: Analysis, corpus: Corpus, rng: random.Random) -> Rival | None:
    """Return a value of the answer's kind that no passage gives; None where the kind or another value is not certain.

    None too where the question asks for one more of several ("who else").
    """
    kind = kind_of_answer(analysis)
    if kind is None or not is_one_fact(analysis) or _is_named_in_question(analysis) or asks_for_more(analysis):
        return None
    shared = content_words(analysis.answer) & content_words(analysis.question.text)
    if kind in NAMED and any(kind_of_noun(word) is not kind for word in shared):
        return None
    if kind in DATED | COUNTED and _can_be_worked_out(analysis, kind):
        return None
    if kind in DATED:
        return _other_time(analysis, kind, rng)
    if kind in COUNTED:
        return _figure(analysis, kind, rng)
    if kind is Kind.TERM and (_is_in_a_name(analysis) or _is_headed(analysis.answer)):
        return None
    if family_word(analysis.answer) in NATIONALITIES:  # names and places tell a people and its language
        return None
    if kind is Kind.TERM:
        said = fold(" ".join(p.text for p in analysis.passages) + analysis.question.text)
        words = [w for w in relatives(family_word(analysis.answer) or "") if not re.search(rf"\b{w}", said)]
        return Rival(kind, name=rng.choice(words)) if words else None
    return _name(analysis, kind, corpus, rng)


def _is_named_in_question(analysis: Analysis) -> bool:
    asked = fold(analysis.question.text)
    return any(fold(answer) in asked for answer in analysis.base.answers)


def asks_for_more(analysis: Analysis) -> bool:
    """Return whether the question asks for one more of several: 'who else', 'which other inventor'."""
    return re.search(r"\b(?:else|another|other)\b", analysis.question.text, re.IGNORECASE) is not None


def surroundings_decide(analysis: Analysis) -> bool:
    """Return whether the passages that answer name another place, from which a reader can tell which one is right."""
    asked = fold(analysis.question.text)
    return any(
        name.kind is NameKind.PLACE and name.norm not in asked and not analysis.is_answer(name.text)
        for passage in analysis.answering
        for name in passage.names
    )


def _other_time(analysis: Analysis, kind: Kind, rng: random.Random) -> Rival | None:
    """Return a move to a time that no passage gives and that keeps its place among the years told."""
    dates = find_dates(analysis.answer)
    days = [(d.year, d.month, d.day or 0) for p in analysis.passages for d in p.dates if d.year and d.month]
    moves = other_times(dates[0], analysis.years, days) if dates else []
    if not moves:
        return None
    move = rng.choice(moves)
    return Rival(kind, years=move.years, months=move.months)


_BOUND = re.compile(
    r"\b(?:more|less|fewer|greater|over|under|least|most|up to|about|around|nearly|almost|roughly|approximately|some|"
    r"estimated|between|from|to|than|only)\b",
    re.IGNORECASE,
)
_COUNTS = re.compile(r"\b(?:how (?:many|much)|number of|population|amount|total|count|capacity)\b", re.IGNORECASE)
_FROM_AGES = re.compile(r"\baged?\b|\byears? (?:old|later|earlier|after|before)\b|\bat the age\b", re.IGNORECASE)


def _can_be_worked_out(analysis: Analysis, kind: Kind) -> bool:
    """Return whether a figure or date follows from others beside it, or is no exact one."""
    for passage in analysis.signal:
        for mention in passage.answers:
            sentence = passage.sentence_at(mention.span)
            before = passage.text[max(sentence.span.start, mention.span.start - 30) : mention.span.end]
            others = [n for n in passage.numbers if sentence.span.covers(n.span) and not n.span.overlaps(mention.span)]
            others = [n for n in others if not any(d.span.overlaps(n.span) for d in passage.dates)]
            if kind in DATED and _FROM_AGES.search(sentence.text):
                return True
            if kind in COUNTED and kind is not Kind.ORDINAL and (_BOUND.search(before) or len(others) > 1):
                return True
            if kind in (Kind.PERCENT, Kind.MEASURE) and others:  # '6.8 inches (17.3 cm)'
                return True
    return False


def _figure(analysis: Analysis, kind: Kind, rng: random.Random) -> Rival | None:
    value = find_numbers(analysis.answer)[0].value
    if kind is Kind.NUMBER and not _COUNTS.search(analysis.question.text):
        return None  # a code, a number of a room
    if value <= 1 or (value == round(value) and value <= 20):
        plus = [by for by in (-3, -2, -1, 1, 2, 3) if value + by > 1]
        return Rival(kind, plus=rng.choice(plus)) if value >= 1 and value == round(value) else None
    factors = (0.6, 0.7, 0.8) if kind is Kind.PERCENT else (0.6, 0.7, 1.4, 1.6)
    return Rival(kind, factor=rng.choice(factors))


def _name(analysis: Analysis, kind: Kind, corpus: Corpus, rng: random.Random) -> Rival | None:
    answer = analysis.answer.strip()
    own = fold(" ".join(p.text for p in analysis.passages) + analysis.question.text)
    if kind is Kind.COUNTRY or kind is not Kind.PERSON and _is_qualified(analysis):
        return None  # the language of names, dynasties and rulers tell a country
    if kind in _PLACES and (_is_part_of_address(analysis) or surroundings_decide(analysis)):
        return None
    answering = " ".join(p.text for p in analysis.answering)
    near = f"{answering} {analysis.question.text}"
    gender = _gender(answer, near) if kind is Kind.PERSON else None
    trades = ROLES & content_words(answering) if kind is Kind.PERSON else frozenset()
    year = last_year(answering)
    if kind is Kind.PERSON and first_names_beside(fold(answer.split()[0])):
        given = [name.split()[0] for name in corpus.values(kind, near, frozenset(), year)]
        firsts = _of_another_first_name(analysis, given)
        return Rival(kind, name=rng.choice(firsts)) if firsts else None
    if gender == "unknown":
        return None
    ranked = corpus.values(kind, near, trades, year)
    fitting: Iterator[str] = (
        name
        for name in dict.fromkeys(ranked)
        if _written_alike(name, answer, kind) and fold(name) not in own and fold(name.split()[-1]) not in own
        and (gender is None or gender_of(name) == gender)
    )  # fmt: skip
    nearest = [name for name, _ in zip(fitting, range(_CHOICE), strict=False)]
    return Rival(kind, name=rng.choice(nearest)) if nearest else None


def _of_another_first_name(analysis: Analysis, given: list[str]) -> list[str]:
    """Return the answer with first names of other people, as copies of a text differ in them: Ada Brandt, Ruth Brandt.

    The passages go on to name the person by the last name, which fits both. Those come first that are `given`.
    """
    first, _, rest = analysis.answer.strip().partition(" ")
    own = {t.norm for p in analysis.passages for t in p.tokens} | {t.norm for t in analysis.question.tokens}
    alike = first_names_beside(fold(first))
    naming = sum(re.search(rf"\b{re.escape(first)}\b", s.text) is not None for s in analysis.main.sentences)
    if not rest or naming > 1 and len(analysis.passages) == 1:
        return []
    fitting = (
        f"{name} {rest}"
        for name in dict.fromkeys([*(name for name in given if name in alike), *sorted(alike)])
        if name.isalpha() and len(name) > 2 and fold(name) not in own and not _may_be_short_for(name[0], first[0])
        if not analysis.is_answer(f"{name} {rest}")
    )
    return [name for name, _ in zip(fitting, range(_CHOICE), strict=False)]


def _may_be_short_for(one: str, other: str) -> bool:
    """Return whether names with these initials may be forms of one: Tom and Thomas, Bill and William."""
    pair = "".join(sorted(fold(one + other)))
    return one == other or pair in ("br", "bw", "dr", "et", "el", "be", "mp", "en")


def _is_qualified(analysis: Analysis) -> bool:
    """Return whether the question limits which things of the kind can be meant: 'what Australian city'."""
    words = (analysis.question.focus or "").split()
    return len(words) > 1


def _is_in_a_name(analysis: Analysis) -> bool:
    """Return whether a term stands within a name or a compound somewhere: 'the British Academy', 'Orange-Nassau'."""
    return any(
        re.match(r"-| [A-Z]", p.text[m.span.end :]) or re.search(r"-$|[a-z] [A-Z]\w+ $", p.text[: m.span.start])
        for p in analysis.signal
        for m in p.answers
    )


def _is_headed(answer: str) -> bool:
    """Return whether the word of a family heads a longer term: 'central defender'."""
    said = [t.norm for t in tokenise(answer) if t.is_word]
    return len(said) > 1 and said[-1] == family_word(answer)


def _is_part_of_address(analysis: Analysis) -> bool:
    """Return whether the answer stands behind the place in it somewhere: 'Portland, Oregon'."""
    return any(re.search(r"[A-Z]\w*, $", p.text[: m.span.start]) for p in analysis.signal for m in p.answers)


def _gender(answer: str, text: str) -> str | None:
    """Return the gender that another person must have; 'unknown' where the text needs one that cannot be told."""
    gender = gender_of(answer)
    if gender is not None:
        return gender
    her = bool(_HERS.search(text))
    his = bool(_HIS.search(text))
    return "unknown" if her and his else "female" if her else "male" if his else None


def _written_alike(name: str, answer: str, kind: Kind) -> bool:
    """Return whether two names have the same parts: comma, article, initials, and about as many words."""
    if ("," in name) is not ("," in answer) or name.startswith("The ") is not answer.lower().startswith("the "):
        return False
    formed = kind_of_form(name)
    own = kind_of_form(answer)
    ending = kind is Kind.ORGANISATION or kind_of_last_word(answer) is not None
    if ending and name.split()[-1] != answer.split()[-1]:
        return False
    apart = formed != own and (own is not None or formed not in (None, kind))
    return not apart and abs(len(name.split()) - len(answer.split())) <= 2 and name.isupper() is answer.isupper()


def exchanged(analysis: Analysis, text: str, rival: Rival) -> str | None:
    """Return a text with the rival wherever the answer stands; None where a part of the answer would stay."""
    mentions = find_answers(text, analysis.base.answers)
    if not mentions:
        return None
    replaced = []
    for mention in mentions:
        new = _instead(mention, rival)
        if new is None or fold(new) == fold(mention.text) and mention.kind is not MentionKind.PARTIAL:
            return None
        replaced.append((mention.span, new))
    if all(new == mention.text for (_, new), mention in zip(replaced, mentions, strict=True)):
        return None
    made = replace_spans(text, replaced)
    if rival.kind in DATED | COUNTED:
        return made if not find_answers(made, analysis.base.answers) else None
    left = {t.norm for t in tokenise(made) if t.is_word and len(t.norm) > 3} - FUNCTION_WORDS
    asked = {t.norm for t in analysis.question.tokens} | {t.norm for t in tokenise(rival.name)}
    parts = {t.norm for a in analysis.base.answers for t in tokenise(a) if t.is_word} - asked
    return None if parts & left else made


def _instead(mention: AnswerMention, rival: Rival) -> str | None:
    if rival.kind is not Kind.PERSON:
        whole = fold(mention.text).removeprefix("the ") == fold(mention.answer).removeprefix("the ")
        said = rival.value(mention.text)
        if rival.kind in DATED | COUNTED or said is None:
            return said
        bare = said.removeprefix("The ").removeprefix("the ")
        return (said if mention.text.lower().startswith("the ") else bare) if whole else None
    if mention.kind is MentionKind.PARTIAL or " " not in mention.text:
        return rival.name.removesuffix(" Jr.").removesuffix(",").split()[-1]
    return rival.name
