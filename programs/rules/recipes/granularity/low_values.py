"""LOW with figures and dates: a total, a second unit, the finest precision, a coarser value beside the exact one."""

import random
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from demur.programs.rules.edits.remarks import add_remark, ask, spoken_of
from demur.programs.rules.edits.strategy import apply_to_signal_passages
from demur.programs.rules.edits.style import Style, phrase
from demur.programs.rules.recipes.granularity.keeping import NOTE, figure_of, unanswered
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.rules.subjects import counted
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.dates import DateMention, DatePrecision, find_dates
from demur.programs.text.quantities import Number, NumberKind
from demur.programs.text.questions import WhWord

if TYPE_CHECKING:
    from pint import UnitRegistry


@recipe("granularity.total_line")
def total_line(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the total, and close the passage with a total line in the words of the answer."""
    question = analysis.question
    if figure_of(analysis) is None or question.wh is not WhWord.HOW_MANY or "time" in analysis.answer.lower():
        return Declined(DeclineReason.ANSWER_TYPE, "the answer is no plain count")
    main = next((p.index for p in analysis.signal if p.gives_answer), None)
    if main is None:
        return Declined(DeclineReason.NO_ANSWER_IN_PASSAGES)
    said = analysis.answer[:1].lower() + analysis.answer[1:]
    line = phrase(style, f"Total: {said}", f"Taken together, this makes a total of {said}")
    changed = apply_to_signal_passages(
        analysis,
        lambda p: add_remark(
            p, line if p.index == main else f"No total is stated for {spoken_of(p, None) or 'this entry'}"
        ),
    )
    if changed is None:
        return Declined(DeclineReason.STRATEGY)
    asked = _in_total(analysis, style)
    return Draft(ask(analysis, asked), changed, "A total is asked for and stated in a closing line.", NOTE)


def _in_total(analysis: Analysis, style: Style) -> str:
    """Return the question with 'in total' where it is read with the count: at the end, or after what is counted."""
    question, counts = analysis.question, counted(analysis)
    wording = phrase(style, "in total", "in total, all taken together")
    if len(question.bare.split()) <= 12 or counts is None:
        return f"{question.bare} {wording}"
    before, _, after = question.bare.partition(counts)
    return f"{before}{counts} in total{after}"


_UNITS: dict[str, tuple[str, str, str]] = {
    "km": ("kilometre", "mile", "miles"),
    "kilometres": ("kilometre", "mile", "miles"),
    "kilometers": ("kilometre", "mile", "miles"),
    "miles": ("mile", "kilometre", "km"),
    "mile": ("mile", "kilometre", "km"),
    "mi": ("mile", "kilometre", "km"),
    "m": ("metre", "foot", "feet"), "metres": ("metre", "foot", "feet"), "meters": ("metre", "foot", "feet"),
    "feet": ("foot", "metre", "m"), "ft": ("foot", "metre", "m"), "foot": ("foot", "metre", "m"),
    "inches": ("inch", "centimetre", "cm"),
    "cm": ("centimetre", "inch", "inches"),
    "mm": ("millimetre", "inch", "inches"),
    "kg": ("kilogram", "pound", "pounds"),
    "kilograms": ("kilogram", "pound", "pounds"),
    "lb": ("pound", "kilogram", "kg"),
    "pounds": ("pound", "kilogram", "kg"),
    "tons": ("short_ton", "tonne", "tonnes"),
    "tonnes": ("tonne", "short_ton", "tons"),
    "acres": ("acre", "hectare", "hectares"),
    "hectares": ("hectare", "acre", "acres"),
    "litres": ("litre", "gallon", "gallons"),
    "hours": ("hour", "minute", "minutes"),
    "minutes": ("minute", "second", "seconds"),
    "years": ("year", "month", "months"),
    "weeks": ("week", "day", "days"),
    "days": ("day", "hour", "hours"),
    "months": ("year/12", "week", "weeks"),
}  # fmt: skip


@lru_cache(maxsize=1)
def _registry() -> "UnitRegistry[float]":
    """Return the units, read when first needed: reading them takes a third of a second."""
    from pint import UnitRegistry

    return UnitRegistry(cache_folder=None)


def _measure(passage: PassageAnalysis) -> Number | None:
    """Return the measured quantity that an accepted answer of this passage holds."""
    for number in passage.numbers:
        held = any(number.whole.overlaps(m.span) for m in passage.answers)
        follows = passage.text[number.whole.end : number.whole.end + 2]
        if held and number.kind is NumberKind.MEASURE and number.unit in _UNITS and "(" not in follows:
            return number
    return None


def _converted(number: Number) -> str:
    source, target, shown = _UNITS[number.unit or ""]
    value = float(_registry().Quantity(number.value, source).to(target).magnitude)
    digits = 0 if value >= 10 else 1
    return f"about {value:,.{digits}f} {shown}"


@recipe("granularity.unit_conversion")
def unit_conversion(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Give the answer's measurement in a second unit as well, and ask for the first by name."""
    found = {p.index: n for p in analysis.signal if (n := _measure(p)) is not None}
    if not found:
        return Declined(DeclineReason.ANSWER_TYPE, "the answer is no measurement in a unit that can be converted")
    unit = next(iter(found.values())).unit or ""

    def edit(passage: PassageAnalysis) -> str | None:
        number = found.get(passage.index)
        if number is None:
            return add_remark(passage, f"No measurement is given for {spoken_of(passage, None) or 'this entry'}")
        end = number.whole.end
        return f"{passage.text[:end]} ({_converted(number)}){passage.text[end:]}"

    changed = apply_to_signal_passages(analysis, edit)
    if changed is None:
        return Declined(DeclineReason.STRATEGY)
    if not any(analysis.is_answer(text) for text in changed.values()):
        return Declined(DeclineReason.ANSWER_WOULD_GO, "the answer goes on after the unit")
    if re.search(rf"\bin {re.escape(unit)}\b", analysis.question.text):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the question names the unit already")
    return Draft(
        ask(analysis, f"{analysis.question.bare} in {unit}"), changed, "A second unit stands beside the first.", NOTE
    )


_EXACT_DATE = {
    DatePrecision.DAY: ("on what exact date", "on exactly which day, month and year"),
    DatePrecision.MONTH_DAY: ("on what exact day and month", "on exactly which day of which month"),
    DatePrecision.MONTH: ("in what exact month and year", "in exactly which month of which year"),
    DatePrecision.YEAR: ("in what exact year", "in exactly which year"),
    DatePrecision.DECADE: ("in what decade exactly", "in exactly which decade"),
    DatePrecision.CENTURY: ("in what century exactly", "in exactly which century"),
}
_DATE_ASKED = re.compile(
    r"\bwhen\b|\b(?:in |on )?(?:what|which) (?:year|date|day|month|century|decade)\b", re.IGNORECASE
)
_COUNT_ASKED = re.compile(r"\bhow (?P<what>many|much|old|long|high|tall|far|big|large)\b", re.IGNORECASE)


def _only_date(analysis: Analysis) -> DateMention | None:
    dates = find_dates(analysis.answer)
    return (
        dates[0]
        if len(dates) == 1 and len(analysis.answer.split()) <= 4 and not re.search(r"[–-]\d", analysis.answer)
        else None
    )


def _exactly_asked(analysis: Analysis, style: Style) -> str | None:
    """Return the question with a demand for the finest value of the answer, None where it cannot be put in."""
    text = analysis.question.bare
    date = _only_date(analysis)
    if date is not None and date.precision in _EXACT_DATE:
        asked = _DATE_ASKED.search(text)
        if asked is None or " and " in text[asked.end() :]:
            return None
        return text[: asked.start()] + phrase(style, *_EXACT_DATE[date.precision]) + text[asked.end() :]
    if figure_of(analysis) is None:
        return None
    asked = _COUNT_ASKED.search(text)
    if asked is not None:
        finest = phrase(style, "exactly how", "precisely how")
        return f"{text[: asked.start()]}{finest} {asked['what']}{text[asked.end() :]}"
    if re.match(r"what percentage\b", text, re.IGNORECASE):
        return re.sub(r"^what percentage", "what exact percentage", text, count=1, flags=re.IGNORECASE)
    if re.match(r"what (?:is|was) the (?!same)\w", text, re.IGNORECASE):
        return re.sub(r"^(what (?:is|was) the) ", r"\1 exact ", text, count=1, flags=re.IGNORECASE)
    return None


@recipe("granularity.finest_precision")
def finest_precision(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the answer at the finest precision that the passage prints."""
    if (declined := unanswered(analysis)) is not None:
        return declined
    asked = _exactly_asked(analysis, style)
    if asked is None:
        return Declined(DeclineReason.ANSWER_TYPE, "the answer is no single date or figure that is asked for plainly")
    return Draft(ask(analysis, asked), {}, "The question insists on the precision that the passage has.", NOTE)


_SIZES = ((1e9, "billions"), (1e6, "millions"), (1e5, "hundreds of thousands"), (1e4, "tens of thousands"),
          (1e3, "thousands"), (100, "hundreds"), (20, "dozens"))  # fmt: skip


def _coarser(analysis: Analysis) -> str | None:
    date = _only_date(analysis)
    if (
        date is not None
        and date.year is not None
        and date.precision in (DatePrecision.DAY, DatePrecision.MONTH, DatePrecision.YEAR)
    ):
        return f"Put roughly, that was in the {date.year // 10 * 10}s"
    number = figure_of(analysis)
    if number is None or number.kind not in (NumberKind.CARDINAL, NumberKind.MEASURE):
        return None
    size = next((word for least, word in _SIZES if number.value >= least), None)
    return f"Put roughly, the figure runs into {size}" if size else None


_NO_SIZE = re.compile(r"\b(?:code|zip|phone|postcode|jersey|channel|route|highway)\b", re.IGNORECASE)
"""Numbers that are names and count nothing."""


@recipe("granularity.coarse_restatement")
def coarse_restatement(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Restate the answer on a coarser scale as well, and ask for the exact value."""
    coarser, asked = _coarser(analysis), _exactly_asked(analysis, style)
    main = next((p for p in analysis.signal if p.gives_answer), None)
    if coarser is None or asked is None:
        return Declined(DeclineReason.ANSWER_TYPE, "the answer is no single date or figure")
    if main is None:
        return Declined(DeclineReason.NO_ANSWER_IN_PASSAGES)
    sentence = main.sentence_at(main.answers[0].span).text
    listed = sum(c.isdigit() for c in sentence) > len(sentence) / 8 or sentence.count("(") != sentence.count(")")
    if listed or _NO_SIZE.search(analysis.question.text):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the figure has no size, or stands in a list and no sentence")

    def edit(passage: PassageAnalysis) -> str | None:
        if passage.index != main.index:
            return add_remark(passage, f"For {spoken_of(passage, None) or 'this entry'} no rough figures are given")
        held = next(m for m in passage.answers)
        at = passage.sentence_at(held.span)
        end = at.span.end
        return f"{passage.text[:end]} {coarser}.{passage.text[end:]}"

    changed = apply_to_signal_passages(analysis, edit)
    if changed is None:
        return Declined(DeclineReason.STRATEGY)
    return Draft(ask(analysis, asked), changed, "A coarser value stands beside the exact one that is asked for.", NOTE)
