"""Another value of the answer's kind, and texts of the passages in which it stands in the answer's place."""

import random
import re
from dataclasses import dataclass
from typing import Final

from demur.levers.frames import Kind
from demur.rules.edits.text import replace_spans
from demur.rules.other_times import other_times
from demur.text.analysis import Analysis
from demur.text.answers import MentionKind, find_answers
from demur.text.dates import find_dates, moved
from demur.text.kinds import COUNTED, DATED, gender_of, kind_of_answer
from demur.text.lexicon import FUNCTION_WORDS
from demur.text.people import first_names_beside
from demur.text.quantities import NumberKind, find_numbers, written_like
from demur.text.questions import content_words
from demur.text.tokens import fold, tokenise

_MORE: Final = re.compile(r"\b(?:else|another|other)\b", re.IGNORECASE)
_BOUND: Final = re.compile(
    r"\b(?:more|less|fewer|greater|over|under|least|most|up to|about|around|nearly|almost|roughly|approximately|some|"
    r"estimated|between|than)\b",
    re.IGNORECASE,
)
_COUNTS: Final = re.compile(
    r"\b(?:how (?:many|much)|number of|population|amount|total|count|capacity)\b", re.IGNORECASE
)
_MEASURED: Final = re.compile(r"[\d.,]+(?: [a-z]+){1,2}")
_PERSONAL: Final = re.compile(r"\b(?:he|she|his|her|him|hers)\b", re.IGNORECASE)
_AGES: Final = re.compile(r"\baged?\b|\byears? (?:old|later|earlier|after|before)\b", re.IGNORECASE)


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
            span = dates[0].span
            return written[: span.start] + moved(dates[0], years=self.years, months=self.months) + written[span.end :]
        if self.kind not in COUNTED:
            return self.name
        numbers = find_numbers(written)
        if len(numbers) != 1 or (self.kind is Kind.ORDINAL) is not (numbers[0].kind is NumberKind.ORDINAL):
            return None
        number = numbers[0]
        new = number.value + self.plus if self.plus else rounded(number.value * self.factor, number.value)
        return written[: number.span.start] + written_like(new, number) + written[number.span.end :]


def rounded(value: float, like: float) -> float:
    """Return a number with as many significant digits as another, at least two."""
    digits = max(2, len(f"{like:.10g}".replace(".", "").strip("0")))
    number = float(f"{value:.{digits}g}")
    return number if like != round(like) else float(round(number))


def is_one_fact(analysis: Analysis) -> bool:
    """Return whether all accepted answers that stand in the passages are forms of one value."""
    said = {m.answer for p in analysis.passages for m in p.answers if m.kind is not MentionKind.PARTIAL}
    sets = [content_words(answer) | {fold(answer)} for answer in said]
    return bool(said) and all(one & other for one in sets for other in sets)


def is_one_time(analysis: Analysis) -> bool:
    """Return whether the question asks for one event whose accepted dates all lie in one year, or for no date."""
    years = {d.year for a in analysis.base.answers for d in find_dates(a) if d.year}
    return len(years) < 2 and re.search(r"\b(?:last|first|next) time\b", analysis.question.text) is None


def find_rival(analysis: Analysis, rng: random.Random) -> Rival | None:
    """Return a value of the answer's kind that no passage gives; None where either is not certain."""
    kind = kind_of_answer(analysis) or (Kind.MEASURE if _MEASURED.fullmatch(analysis.answer.strip()) else None)
    asked = fold(analysis.question.text)
    if kind is None or not is_one_fact(analysis) or _MORE.search(asked) or fold(analysis.answer) in asked:
        return None
    if kind in DATED | COUNTED and _can_be_worked_out(analysis, kind):
        return None
    if kind in DATED:
        dates = find_dates(analysis.answer)
        days = [(d.year, d.month, d.day or 0) for p in analysis.passages for d in p.dates if d.year and d.month]
        moves = other_times(dates[0], analysis.years, days) if dates else []
        move = rng.choice(moves) if moves else None
        return Rival(kind, years=move.years, months=move.months) if move is not None else None
    if kind in COUNTED:
        return _figure(analysis, kind, rng)
    names = _of_another_first_name(analysis) if kind is Kind.PERSON else []
    return Rival(kind, name=rng.choice(names)) if names else None


def _can_be_worked_out(analysis: Analysis, kind: Kind) -> bool:
    """Return whether a figure or date follows from others beside it, or is no exact one."""
    for passage in analysis.signal:
        for mention in passage.answers:
            sentence = passage.sentence_at(mention.span)
            before = passage.text[max(sentence.span.start, mention.span.start - 30) : mention.span.end]
            others = [n for n in passage.numbers if sentence.span.covers(n.span) and not n.span.overlaps(mention.span)]
            others = [n for n in others if not any(d.span.overlaps(n.span) for d in passage.dates)]
            if kind in DATED and _AGES.search(sentence.text):
                return True
            if kind in COUNTED and kind is not Kind.ORDINAL and (_BOUND.search(before) or len(others) > 3):
                return True
            if kind in (Kind.PERCENT, Kind.MEASURE) and re.match(r" \(|, or ", passage.text[mention.span.end :]):
                return True
    return False


def _figure(analysis: Analysis, kind: Kind, rng: random.Random) -> Rival | None:
    value = find_numbers(analysis.answer)[0].value
    if kind is Kind.NUMBER and not _COUNTS.search(analysis.question.text):
        return None  # a code, a number of a room
    if value == round(value) and value <= 20:
        plus = [by for by in (-3, -2, 2, 3) if value + by > 1]
        return Rival(kind, plus=rng.choice(plus)) if value >= 2 else None
    factors = (0.6, 0.7, 0.8) if kind is Kind.PERCENT else (0.6, 0.7, 1.4, 1.6)
    return Rival(kind, factor=rng.choice(factors))


def _of_another_first_name(analysis: Analysis) -> list[str]:
    """Return the answer with first names of other people, as copies of a text differ in them: Ada Brandt, Ruth Brandt.

    The passages go on to name the person by the last name, which fits both.
    """
    first, _, rest = analysis.answer.strip().partition(" ")
    own = {t.norm for p in analysis.passages for t in p.tokens} | {t.norm for t in analysis.question.tokens}
    alike = first_names_beside(fold(first))
    naming = sum(re.search(rf"\b{re.escape(first)}\b", s.text) is not None for s in analysis.main.sentences)
    if not rest or naming > 1 and len(analysis.passages) == 1:
        return []
    return [
        f"{name} {rest}"
        for name in sorted(alike)
        if name.isalpha() and len(name) > 2 and fold(name) not in own and fold(name[0]) != fold(first[0])
        and gender_of(f"{name} {rest}") == gender_of(analysis.answer)
    ]  # fmt: skip


def exchanged(analysis: Analysis, text: str, rival: Rival) -> str | None:
    """Return a text with the rival wherever the answer stands; None where a part of the answer would stay."""
    replaced = []
    for mention in find_answers(text, analysis.base.answers):
        partial = mention.kind is MentionKind.PARTIAL
        new = mention.text if partial and _fits_both(mention.text, rival) else rival.value(mention.text)
        if new is None or partial and new != mention.text and rival.kind is Kind.PERSON:
            return None
        replaced.append((mention.span, new))
    if not replaced or all(span.of(text) == new for span, new in replaced):
        return None
    made = replace_spans(text, replaced)
    if rival.kind in DATED | COUNTED:
        return made if not find_answers(made, analysis.base.answers) else None
    gone = {t.norm for t in tokenise(analysis.answer) if t.is_word and len(t.norm) > 3} - FUNCTION_WORDS
    left = {t.norm for t in tokenise(made) if t.is_word}
    return made if not (gone - {t.norm for t in tokenise(rival.name)}) & left else None


def _fits_both(text: str, rival: Rival) -> bool:
    """Return whether a short form of a name is one of the rival's too: the last name of both."""
    return rival.kind is Kind.PERSON and text.split()[-1] == rival.name.split()[-1] and " " not in text
