"""Questions made of a lever's frames, in whose slots stands what the question asks and is about."""

import re
from functools import lru_cache
from typing import Final

from demur.levers.frames import Frame, Kind, Slot
from demur.rules.asked import asked
from demur.rules.edits.casing import in_register
from demur.rules.edits.grammar import plural
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, fill
from demur.rules.rivals import find_rival, is_one_fact, is_one_time
from demur.rules.subject import WORKS, is_entry, subject
from demur.text.analysis import Analysis
from demur.text.dates import DatePrecision, find_dates
from demur.text.kinds import DATED, kind_of_answer
from demur.text.quantities import find_numbers, written_like
from demur.text.questions import WhWord, content_words

SLOTS: Final = tuple(Slot)
"""The slots that `ask` fills where the base instance has what they take."""
_ABOUT: Final = frozenset({Slot.TOPIC, Slot.NAME, Slot.NOUN, Slot.NOUNS, Slot.EARLIER, Slot.YEAR})
_BEGAN: Final = {
    **dict.fromkeys(WORKS, r"(?:released|published|premiered|debuted|aired)\b\D{1,40}(\d{4})|(?:is|was) an? (\d{4})\b"),
    **dict.fromkeys(
        (Kind.BAND, Kind.TEAM, Kind.ORGANISATION, Kind.SCHOOL), r"(?:founded|formed|established)\b\D{1,40}(\d{4})"
    ),
    Kind.SITE: r"(?:built|opened|completed)\b\D{1,40}(\d{4})",
    Kind.PERSON: r"\((?:born )?[^()\d]{0,20}(?:\d{1,2}[^()\d]{1,12})?(\d{4})\b",
}
"""How a passage tells the year in which a thing of a kind began."""


_SEVERAL: Final = re.compile(r" and |, (?!\d)")
"""What joins several names in an answer."""
_SINGULAR: Final = re.compile(r"\b(?:is|was|does|has) \{topic\}|\{topic\} (?:is|was|does|has|gets)\b")
"""Verbs in the singular beside the subject, which a plural name does not fit."""
_OF_THEIR_OWN: Final = frozenset({Kind.PERSON, Kind.CITY, Kind.PLACE, Kind.STATE, Kind.COUNTRY})
"""Kinds of which other things are asked than of works, bodies and whatever has no known kind."""
_FIRST_YEAR: Final = 1850
_GENERATION: Final = 25
"""Years by which a thing may be older than the first year that the passages tell."""
_BEGINS: Final = frozenset(
    "released published premiered aired founded formed established built born made written composed invented "
    "introduced created launched designed discovered constructed completed came signed adopted painted drawn started "
    "set".split()
)
"""Verbs of questions whose answer is when the thing asked about began."""
_MADE_BY: Final = frozenset(
    "wrote writes directed directs produced sang sings sung recorded composed played plays voiced voices painted "
    "designed built created invented founded discovered stars starred hosted hosts".split()
)
"""What somebody did to a thing that was not there before."""


def ask(pull: Pull) -> Draft | Declined:
    """Ask one of the lever's questions whose slots the base instance fills; the passages stay."""
    values = slots_of(pull.analysis) | drawn_slots(pull)
    about = subject(pull.analysis)
    kind = about.kind if about is not None else None
    answer = kind_of_answer(pull.analysis)
    plural = about is not None and (about.kind is Kind.TEAM or about.name.endswith("s") and about.kind not in WORKS)
    fitting = [
        f
        for f in pull.lever.frames
        if f.slots <= values.keys() and _takes(pull, f, kind, answer) and not (plural and _SINGULAR.search(f.text))
    ]
    if not fitting:
        return Declined(DeclineReason.NO_FRAME)
    specific = [f for f in fitting if f.kinds] if kind in _OF_THEIR_OWN else []
    text = fill(pull.rng.choice(specific or fitting), **values)
    note = "The question still asks for what it asked for." if pull.lever.answer == "kept" else ""
    why = "A frame of the lever was filled with parts of the question."
    return Draft(in_register(pull.analysis.question, text), reasoning=why, answer_note=note)


def _takes(pull: Pull, frame: Frame, kind: Kind | None, answer: Kind | None) -> bool:
    """Return whether a frame takes the kind of the subject, where it names only that, else the kind of the answer."""
    of_subject = frame.slots & _ABOUT and Slot.ANSWER not in frame.slots
    return frame.fits(pull.style, pull.analysis.base.layout, kind if of_subject else answer)


@lru_cache(maxsize=256)
def slots_of(analysis: Analysis) -> dict[str, str]:
    """Return what the question and its passages put into slots, by slot."""
    text = re.sub(r"\s+", " ", analysis.question.bare).strip()
    values: dict[str, str] = {}
    said = [content_words(a) for a in analysis.base.answers]
    if not _SEVERAL.search(analysis.answer) and all(one & said[0] for one in said):
        values[Slot.ANSWER] = analysis.answer.strip().rstrip(".")
    fronted = analysis.question.is_well_formed and analysis.question.wh not in (WhWord.YES_NO, WhWord.HOW, WhWord.NONE)
    if fronted:
        values[Slot.QUESTION] = text if text.startswith("I ") else text[:1].lower() + text[1:]
    about = subject(analysis)
    if about is not None and is_entry(analysis, about):
        inside = about.said.startswith("The ") and about.kind not in WORKS
        topic = f"the{about.said[3:]}" if inside else about.said
        if about.kind in WORKS and not re.match(r"(?:the|a|an) |[\"“]", topic, re.I) and topic != about.plain:
            topic = f"the {topic}"
        values |= {Slot.TOPIC: topic, Slot.NAME: about.plain}
        if about.noun:
            values |= {Slot.NOUN: about.noun, Slot.NOUNS: _plural(about.noun)}
    read = asked(analysis)
    if read is None:
        return values
    fillings = {
        Slot.EVENT: read.event,
        Slot.WHEN_DID: read.inverted,
        Slot.DEED: read.deed,
        Slot.DID: read.did,
        Slot.NEVER: read.never if is_one_time(analysis) else None,
        Slot.ASKED_PERSON: _asked_person(analysis, read.deed),
        Slot.COUNTED: read.counted,
    }
    return values | {slot: said for slot, said in fillings.items() if said}


def _asked_person(analysis: Analysis, deed: str | None) -> str | None:
    """Return 'the person who wrote X' where one person is the answer, named in more than a word."""
    named = re.fullmatch(r"(?:[A-Z][\w.'’-]+ ?){2,4}", analysis.answer.strip()) is not None
    person = named and kind_of_answer(analysis) is Kind.PERSON and analysis.question.wh is WhWord.WHO
    return f"the person who {deed}" if deed is not None and person and is_one_fact(analysis) else None


def _plural(noun: str) -> str:
    return noun if noun.endswith(("series", "species")) else plural(noun)


def drawn_slots(pull: Pull) -> dict[str, str]:
    """Return the slots whose values are drawn: another value, a year beside those told, a year before all began."""
    wanted = {slot for frame in pull.lever.frames for slot in frame.slots}
    analysis = pull.analysis
    values = dict[str, str]()
    if Slot.RIVAL in wanted and not _SEVERAL.search(analysis.answer):
        rival = find_rival(analysis, pull.rng)
        other = rival.value(analysis.answer.strip()) if rival is not None else None
        if rival is not None and rival.kind in DATED and other is not None:
            other = f"{'on' if find_dates(other)[0].precision is DatePrecision.DAY else 'in'} {other}"
        if other is not None:
            values[Slot.RIVAL] = other
    numbers = find_numbers(analysis.answer)
    if Slot.NUMBER in wanted and len(numbers) == 1 and 2 <= numbers[0].value <= 400:
        value = round(numbers[0].value * 1.4) + 1
        values[Slot.NUMBER] = written_like(float(value), numbers[0]) if value > 20 else str(value)
    before = _long_before(analysis) if Slot.LONG_BEFORE in wanted else None
    if before is not None:
        values[Slot.LONG_BEFORE] = str(before - pull.rng.randint(1, 9))
    began = _began(analysis) if wanted & {Slot.EARLIER, Slot.YEAR} else None
    if began is not None:
        values[Slot.EARLIER] = str(began - pull.rng.randint(6, 19))
        near = [began + by for by in (-3, -2, 2, 3) if began + by not in analysis.years]
        if near:
            values[Slot.YEAR] = str(pull.rng.choice(near))
    return values


def _long_before(analysis: Analysis) -> int | None:
    """Return a year a generation before all that the passages tell, where somebody made what is asked about."""
    read = asked(analysis)
    made = read is not None and read.form == "agent" and read.verb in _MADE_BY and not re.search(r"\d", read.about)
    years = [year for year in analysis.years if year > _FIRST_YEAR]
    return min(years) - _GENERATION if made and years and len(years) == len(analysis.years) else None


def _began(analysis: Analysis) -> int | None:
    """Return the year in which what the question is about began, where its entry tells it and no earlier one."""
    read = asked(analysis)
    dates = [d.year for d in find_dates(analysis.answer) if d.year]
    if read is not None and read.verb.split(" ")[-1] in _BEGINS and len(dates) == 1 and is_one_fact(analysis):
        return dates[0]
    about = subject(analysis)
    pattern = _BEGAN.get(about.kind) if about is not None and about.kind is not None else None
    if about is None or pattern is None:
        return None
    text = next(p.text for p in analysis.passages if p.index == about.passage)
    start = text.find(about.name)
    found = re.search(pattern, text[start : start + 400]) if start >= 0 else None
    year = int(next(group for group in found.groups() if group)) if found is not None else None
    earlier = [int(y) for y in re.findall(r"\b1\d{3}\b|\b20\d\d\b", text)]
    return year if year is not None and year == min(earlier, default=year) and 1000 < year < 2030 else None
