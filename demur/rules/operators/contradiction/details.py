"""A side detail once more, rounded or a little off; what is asked stays as it is."""

import random
import re
from dataclasses import dataclass
from typing import Final

from demur.levers.frames import Slot
from demur.levers.vocabulary import Layout
from demur.rules.edits.text import replace_span
from demur.rules.operators.contradiction.copying import (
    LONGEST_PASSAGE,
    Original,
    copied,
    is_whole,
    places,
)
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, operator
from demur.rules.other_times import Move, other_times
from demur.text.analysis import Analysis, PassageAnalysis
from demur.text.dates import DateMention, DatePrecision, moved
from demur.text.quantities import NumberKind, written_like
from demur.text.spans import Span

_HEDGED = re.compile(
    r"\b(?:about|around|over|under|nearly|almost|roughly|estimated|some|than|least|most|approximately|exactly|to|of|between|"
    r"from|and|or|No\.|number|chapter|season|episode|route|highway|the)\s*[$£€]?$",
    re.IGNORECASE,
)


_SIDE_NOTE: Final = "The answer stays as it is, in both versions; what differs beside it is not asked for."
_COMPARED: Final = re.compile(
    r"\b(?:older|younger|first|earlier|later|more|most|both|same|longer|larger|than)\b", re.IGNORECASE
)
_MOVED: Final = frozenset({DatePrecision.YEAR, DatePrecision.MONTH, DatePrecision.DAY})
_TIMED: Final = re.compile(r"\b(?:when|year|date|old|how many|how much|how long)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Detail:
    """A figure or a year beside the point, and what it is exchanged for."""

    passage: PassageAnalysis
    span: Span
    new: str


def _is_spare(analysis: Analysis, passage: PassageAnalysis, span: Span) -> bool:
    """Return whether a figure is neither asked for nor named in the question nor a part of the answer."""
    asked = analysis.question.text
    return (
        span.of(passage.text) not in asked
        and not any(span.overlaps(m.span) for m in passage.answers)
        and not (analysis.base.layout is Layout.MULTI and _COMPARED.search(asked))
    )


def _figures(analysis: Analysis) -> list[_Detail]:
    """Return exact figures of the signal passages with their values rounded to two digits."""
    found = []
    for passage in analysis.signal:
        for number in passage.numbers:
            exact = number.value >= 1000 and number.text.replace(",", "").isdigit()
            exact = exact and rounded_off(number.value) != number.value
            plain = number.kind in (NumberKind.CARDINAL, NumberKind.MEASURE) and number.unit is not None
            dated = any(d.span.overlaps(number.span) for d in passage.dates)
            hedged = _HEDGED.search(passage.text[: number.span.start]) is not None
            listed = re.match(r"\s?(?:[-–,/]\s?\d|\()", passage.text[number.span.end :]) is not None
            if exact and plain and not (dated or hedged or listed) and _is_spare(analysis, passage, number.span):
                found.append(_Detail(passage, number.span, written_like(rounded_off(number.value), number)))
    return found


def _years(analysis: Analysis, rng: random.Random) -> list[_Detail]:
    """Return years of the signal passages that nobody asks for, moved a little."""
    if _TIMED.search(analysis.question.text):
        return []
    found = []
    for passage in analysis.signal:
        for date in passage.dates:
            alone = date.year is not None and date.precision in _MOVED and passage.text.count(str(date.year)) == 1
            ranged = re.search(r"[-–—/(]\s?$", passage.text[: date.span.start]) or re.match(
                r"\s?[-–—/)]", passage.text[date.span.end :]
            )
            if alone and not ranged and _is_spare(analysis, passage, date.span):
                days = [(d.year, d.month, d.day or 0) for d in passage.dates if d.year and d.month]
                moves = other_times(date, analysis.years, days)
                if moves:
                    found.append(_Detail(passage, date.span, _moved(date, rng.choice(moves))))
    return found


def _moved(date: DateMention, move: Move) -> str:
    return moved(date, years=move.years, months=move.months)


def _beside(pull: Pull, details: list[_Detail], why: str) -> Draft | Declined:
    """Copy the sentence, or with several passages the whole one, in which a side detail stands, with it exchanged."""
    single = pull.analysis.base.layout is Layout.SINGLE
    usable = []
    for detail in details:
        sentence = detail.passage.sentence_at(detail.span)
        if single and is_whole(sentence.text):
            at = Span(detail.span.start - sentence.span.start, detail.span.end - sentence.span.start)
            usable.append((Original(sentence.text, detail.passage, detail.passage), at, detail.new))
        elif not single and len(detail.passage.text.split()) <= LONGEST_PASSAGE and "\n" not in detail.passage.text:
            room = places(pull.analysis, detail.passage)
            if room:
                place = pull.rng.choice(room)
                usable.append((Original(detail.passage.text, detail.passage, place), detail.span, detail.new))
    if not usable:
        return Declined(DeclineReason.NOTHING_PERIPHERAL, "no detail beside the answer can be given twice")
    original, span, new = pull.rng.choice(usable)
    copy = replace_span(original.text, span, new)
    return copied(pull, original, copy, why, _SIDE_NOTE, new)


def rounded_off(value: float) -> float:
    """Return a number with two significant digits."""
    return float(f"{value:.2g}")


@operator("contradiction.rounded_figure", Slot.COPY, Slot.RIVAL, Slot.NAME)
def rounded_figure(pull: Pull) -> Draft | Declined:
    """Give a figure that is not asked for once more, rounded."""
    return _beside(pull, _figures(pull.analysis), "A side figure is given once more, rounded.")


@operator("contradiction.approximate_figure", Slot.COPY, Slot.RIVAL, Slot.NAME)
def approximate_figure(pull: Pull) -> Draft | Declined:
    """Give a figure that is not asked for once more, rounded and marked as approximate."""
    details = [_Detail(d.passage, d.span, f"about {d.new}") for d in _figures(pull.analysis)]
    return _beside(pull, details, "A side figure is given once more as an approximation.")


@operator("contradiction.side_detail", Slot.COPY, Slot.RIVAL, Slot.NAME, last=True)
def side_detail(pull: Pull) -> Draft | Declined:
    """Give a year that nobody asks for once more, a few years off."""
    return _beside(pull, _years(pull.analysis, pull.rng), "A side date is given once more with another year.")
