"""Rivals: wrong dates or figures that resemble the answer, and texts with a rival in place of the answer."""

import random
import re
from dataclasses import dataclass
from typing import Final

from demur.levers.frames import Kind
from demur.rules.edits.text import replace_spans
from demur.text.analysis import Analysis
from demur.text.answers import MentionKind, find_answers
from demur.text.dates import DateMention, DatePrecision, find_dates, moved
from demur.text.kinds import COUNTED, DATED, is_full_name, kind_of_answer
from demur.text.lexicon import verb_lemma
from demur.text.names import NameKind
from demur.text.quantities import find_numbers, written_like
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
