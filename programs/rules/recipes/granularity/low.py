"""LOW: the question or the passage moves to another level, and the text itself bridges the gap to the same answer."""

import random
import re

from pint import UnitRegistry

from programs.rules.analysis.analysis import Analysis, PassageAnalysis
from programs.rules.analysis.answers import AnswerType
from programs.rules.analysis.dates import DateMention, DatePrecision, find_dates
from programs.rules.analysis.quantities import Number, NumberKind, find_numbers
from programs.rules.analysis.questions import WhWord
from programs.rules.edits.casing import in_register
from programs.rules.edits.remarks import add_remark, ask, lead_in, remark_everywhere, spoken_of
from programs.rules.edits.strategy import apply_to_signal_passages
from programs.rules.edits.style import Style, phrase
from programs.rules.recipes.granularity.genera import genus_for
from programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from programs.rules.subjects import SubjectKind, find_subject, has_kind, kind_nouns

_NOTE = "The sentence that gives the answer stands as it was, and nothing else answers the question."


def _unanswered(analysis: Analysis) -> Declined | None:
    return None if any(p.gives_answer for p in analysis.signal) else Declined(DeclineReason.NO_ANSWER_IN_PASSAGES)


def _figure(analysis: Analysis) -> Number | None:
    """Return the one plain figure that the accepted answer consists of, None where it is no such answer."""
    numbers = find_numbers(analysis.answer)
    plain = analysis.answer_type is AnswerType.NUMBER and len(numbers) == 1 and not find_dates(analysis.answer)
    return numbers[0] if plain and len(analysis.answer.split()) <= 4 else None


@recipe("granularity.total_line")
def total_line(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the total, and close the passage with a total line in the words of the answer."""
    question = analysis.question
    if _figure(analysis) is None or question.wh is not WhWord.HOW_MANY:
        return Declined(DeclineReason.ANSWER_TYPE, "the answer is no plain count")
    main = next((p.index for p in analysis.signal if p.gives_answer), None)
    if main is None:
        return Declined(DeclineReason.NO_ANSWER_IN_PASSAGES)
    line = phrase(style, f"Total: {analysis.answer}", f"Taken together, this makes a total of {analysis.answer}")
    changed = apply_to_signal_passages(
        analysis,
        lambda p: add_remark(p, line if p.index == main else f"No total is stated for {spoken_of(p, None) or 'this entry'}"),
    )
    if changed is None:
        return Declined(DeclineReason.STRATEGY)
    asked = f"{question.bare} {phrase(style, 'in total', 'in total, all taken together')}"
    return Draft(ask(analysis, asked), changed, "A total is asked for and stated in a closing line.", _NOTE)


@recipe("granularity.genus_for_species")
def genus_for_species(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Name the wider kind in the question where the passages name the particular one."""
    if (declined := _unanswered(analysis)) is not None:
        return declined
    swapped = genus_for(analysis, rng)
    if swapped is None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "no noun of the question has a safe wider word")
    return Draft(in_register(analysis.question, swapped), {}, "A noun of the question gives way to its genus.", _NOTE)


_UNITS: dict[str, tuple[str, str, str]] = {
    "km": ("kilometre", "mile", "miles"), "kilometres": ("kilometre", "mile", "miles"), "kilometers": ("kilometre", "mile", "miles"),
    "miles": ("mile", "kilometre", "km"), "mile": ("mile", "kilometre", "km"), "mi": ("mile", "kilometre", "km"),
    "m": ("metre", "foot", "feet"), "metres": ("metre", "foot", "feet"), "meters": ("metre", "foot", "feet"),
    "feet": ("foot", "metre", "m"), "ft": ("foot", "metre", "m"), "foot": ("foot", "metre", "m"),
    "inches": ("inch", "centimetre", "cm"), "cm": ("centimetre", "inch", "inches"), "mm": ("millimetre", "inch", "inches"),
    "kg": ("kilogram", "pound", "pounds"), "kilograms": ("kilogram", "pound", "pounds"), "lb": ("pound", "kilogram", "kg"),
    "pounds": ("pound", "kilogram", "kg"), "tons": ("short_ton", "tonne", "tonnes"), "tonnes": ("tonne", "short_ton", "tons"),
    "acres": ("acre", "hectare", "hectares"), "hectares": ("hectare", "acre", "acres"), "litres": ("litre", "gallon", "gallons"),
    "hours": ("hour", "minute", "minutes"), "minutes": ("minute", "second", "seconds"), "years": ("year", "month", "months"),
    "weeks": ("week", "day", "days"), "days": ("day", "hour", "hours"), "months": ("year/12", "week", "weeks"),
}  # fmt: skip
_REGISTRY: UnitRegistry[float] = UnitRegistry(cache_folder=None)


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
    value = float(_REGISTRY.Quantity(number.value, source).to(target).magnitude)
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
    if re.search(rf"\bin {re.escape(unit)}\b", analysis.question.text):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the question names the unit already")
    return Draft(ask(analysis, f"{analysis.question.bare} in {unit}"), changed, "A second unit stands beside the first.", _NOTE)


_EXACT_DATE = {
    DatePrecision.DAY: ("on what exact date", "on exactly which day, month and year"),
    DatePrecision.MONTH_DAY: ("on what exact day and month", "on exactly which day of which month"),
    DatePrecision.MONTH: ("in what exact month and year", "in exactly which month of which year"),
    DatePrecision.YEAR: ("in what exact year", "in exactly which year"),
    DatePrecision.DECADE: ("in what decade exactly", "in exactly which decade"),
    DatePrecision.CENTURY: ("in what century exactly", "in exactly which century"),
}
_DATE_ASKED = re.compile(r"\bwhen\b|\b(?:in |on )?(?:what|which) (?:year|date|day|month|century|decade)\b", re.IGNORECASE)
_COUNT_ASKED = re.compile(r"\bhow (?P<what>many|much|old|long|high|tall|far|big|large)\b", re.IGNORECASE)


def _only_date(analysis: Analysis) -> DateMention | None:
    dates = find_dates(analysis.answer)
    return dates[0] if len(dates) == 1 and len(analysis.answer.split()) <= 4 and not re.search(r"[–-]\d", analysis.answer) else None


def _exactly_asked(analysis: Analysis, style: Style) -> str | None:
    """Return the question with a demand for the finest value that the answer gives, None where it cannot be put in."""
    text = analysis.question.bare
    date = _only_date(analysis)
    if date is not None and date.precision in _EXACT_DATE:
        asked = _DATE_ASKED.search(text)
        if asked is None or " and " in text[asked.end() :]:
            return None
        return text[: asked.start()] + phrase(style, *_EXACT_DATE[date.precision]) + text[asked.end() :]
    if _figure(analysis) is None:
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
    if (declined := _unanswered(analysis)) is not None:
        return declined
    asked = _exactly_asked(analysis, style)
    if asked is None:
        return Declined(DeclineReason.ANSWER_TYPE, "the answer is no single date or figure that is asked for plainly")
    return Draft(ask(analysis, asked), {}, "The question insists on the precision that the passage has.", _NOTE)


@recipe("granularity.named_individual")
def named_individual(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Let the passage speak of a set first, and point the question at the one member."""
    subject = find_subject(analysis)
    if (declined := _unanswered(analysis)) is not None:
        return declined
    if subject is None or not has_kind(subject) or not subject.name[:1].isupper():
        return Declined(DeclineReason.NO_TOPIC, "the subject is no named member of a set")
    question = analysis.question
    if not question.bare.endswith(subject.phrase) or not question.fronted:
        return Declined(DeclineReason.QUESTION_NOT_PARSED, "the question does not end with its subject")
    nouns = kind_nouns(subject)
    asked = ask(analysis, f"{question.bare} in particular")
    openers = (
        f"Several {nouns} are covered in this collection, each of them in a section of its own",
        f"Of the {nouns} in this collection, every one is described separately",
        f"The {nouns} listed in this collection are treated one by one",
    )
    order = list(openers)
    rng.shuffle(order)
    turn = {p.index: order[at % len(order)] for at, p in enumerate(analysis.signal)}
    changed = apply_to_signal_passages(analysis, lambda p: f"{turn[p.index]}. {p.text}")
    if changed is None:
        return Declined(DeclineReason.STRATEGY)
    return Draft(asked, changed, "The passage opens with the set, the question points at one member.", _NOTE)


_PARTS = (("Background", "Details", "Further remarks"), ("Outline", "Main entry", "Additional notes"),
          ("Introduction", "Particulars", "Other points"))  # fmt: skip


@recipe("granularity.named_part")
def named_part(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Divide the passage into named parts, and direct the question to the part that holds the answer."""
    if (declined := _unanswered(analysis)) is not None:
        return declined
    before, held, after = rng.choice(_PARTS)

    def edit(passage: PassageAnalysis) -> str | None:
        at = [s.index for s in passage.answer_sentences]
        if not at:
            return f"{before}: {passage.text}"
        if len(passage.sentences) < 2:
            return f"{held}: {passage.text}"
        start = passage.sentences[at[0]].span.start if at[0] else 0
        last = passage.sentences[at[-1]]
        text = passage.text
        tail = text[last.span.end :].strip()
        head = f"{before}: {text[:start].strip()}\n" if at[0] else ""
        return f"{head}{held}: {text[start : last.span.end]}" + (f"\n{after}: {tail}" if tail else "")

    if all(len(p.sentences) < 2 for p in analysis.signal):
        return Declined(DeclineReason.PASSAGE_TOO_SHORT, "the passage has one sentence only")
    changed = apply_to_signal_passages(analysis, edit)
    if changed is None:
        return Declined(DeclineReason.STRATEGY)
    shown = held if not analysis.question.lower_case else held.lower()
    opener = phrase(style, f'going by the part headed "{shown}"', f'according to the section with the heading "{shown}"')
    return Draft(lead_in(analysis, opener), changed, "The question goes to the named part that holds the answer.", _NOTE)


@recipe("granularity.roll_up_note")
def roll_up_note(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Add a note that the entry is also counted in a larger roll-up."""
    subject = find_subject(analysis)
    if (declined := _unanswered(analysis)) is not None:
        return declined
    notes = phrase(
        style,
        ("The overview has no line for {p} alone and sums it up with other entries", "The overview sums this entry up with others"),
        (
            "In the summary at the head of this collection there is no separate line for {p}, which is rolled up with others",
            "In the summary at the head of this collection the present entry is rolled up with others",
        ),
    )
    changed = remark_everywhere(analysis, subject, notes, rng)
    if changed is None:
        return Declined(DeclineReason.STRATEGY)
    return Draft(analysis.question.text, changed, "A note mentions a roll-up that gives no value.", _NOTE)


_SHELVES: dict[SubjectKind, str] = {
    SubjectKind.FILM: "Arts and culture > Film", SubjectKind.SHOW: "Arts and culture > Television",
    SubjectKind.STAGE: "Arts and culture > Theatre", SubjectKind.SONG: "Arts and culture > Music",
    SubjectKind.ALBUM: "Arts and culture > Music", SubjectKind.BAND: "Arts and culture > Music",
    SubjectKind.BOOK: "Arts and culture > Literature", SubjectKind.GAME: "Leisure > Games",
    SubjectKind.PERSON: "People > Biographies", SubjectKind.PLACE: "Geography > Places of the world",
    SubjectKind.COUNTRY: "Geography > Countries", SubjectKind.BUILDING: "Architecture > Buildings of the world",
    SubjectKind.TEAM: "Sport > Teams", SubjectKind.CONTEST: "Sport > Competitions", SubjectKind.COMPANY: "Economy > Businesses",
    SubjectKind.INSTITUTION: "Society > Institutions", SubjectKind.EVENT: "History > Events", SubjectKind.LAW: "Society > Law",
    SubjectKind.ORGANISM: "Nature > Living things", SubjectKind.BODY: "Nature > Anatomy", SubjectKind.PRODUCT: "Technology > Products",
}  # fmt: skip


@recipe("granularity.broad_breadcrumb")
def broad_breadcrumb(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Put a breadcrumb line of much wider scope in front of the passage."""
    subject = find_subject(analysis)
    if (declined := _unanswered(analysis)) is not None:
        return declined
    shelf = _SHELVES.get(subject.kind, "General knowledge > All subjects") if subject else "General knowledge > All subjects"
    last = rng.choice(("General overview", "Overall survey", "Summary of the whole field", "All entries at a glance"))
    line = phrase(style, f"{shelf} > {last}", f"Home > {shelf} > {last}")
    changed = apply_to_signal_passages(analysis, lambda p: f"{line}\n{p.text}")
    if changed is None:
        return Declined(DeclineReason.STRATEGY)
    return Draft(analysis.question.text, changed, "A breadcrumb announces a scope wider than the text below it.", _NOTE)


_SIZES = ((1e9, "billions"), (1e6, "millions"), (1e5, "hundreds of thousands"), (1e4, "tens of thousands"),
          (1e3, "thousands"), (100, "hundreds"), (20, "dozens"))  # fmt: skip


def _coarser(analysis: Analysis) -> str | None:
    date = _only_date(analysis)
    if date is not None and date.year is not None and date.precision in (DatePrecision.DAY, DatePrecision.MONTH, DatePrecision.YEAR):
        return f"Put roughly, that was in the {date.year // 10 * 10}s"
    number = _figure(analysis)
    if number is None or number.kind not in (NumberKind.CARDINAL, NumberKind.MEASURE):
        return None
    size = next((word for least, word in _SIZES if number.value >= least), None)
    return f"Put roughly, the figure runs into {size}" if size else None


@recipe("granularity.coarse_restatement")
def coarse_restatement(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Restate the answer on a coarser scale as well, and ask for the exact value."""
    coarser, asked = _coarser(analysis), _exactly_asked(analysis, style)
    main = next((p for p in analysis.signal if p.gives_answer), None)
    if coarser is None or asked is None:
        return Declined(DeclineReason.ANSWER_TYPE, "the answer is no single date or figure")
    if main is None:
        return Declined(DeclineReason.NO_ANSWER_IN_PASSAGES)

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
    return Draft(ask(analysis, asked), changed, "A coarser value stands beside the exact one that is asked for.", _NOTE)
