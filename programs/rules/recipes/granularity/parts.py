"""MEDIUM: from the whole to a part of its parts."""

import random
import re

from demur.programs.rules.edits.remarks import ask, lead_in, remark_everywhere
from demur.programs.rules.edits.style import Style, phrase
from demur.programs.rules.recipes.granularity import wording
from demur.programs.rules.recipes.granularity.lifting import NO_SPORT, NOTE, OF_NATURE, is_chained_by_and, is_generic
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.rules.subjects import Subject, SubjectKind, doing_of, find_subject
from demur.programs.text.analysis import Analysis
from demur.programs.text.answers import AnswerType
from demur.programs.text.dates import DatePrecision, find_dates
from demur.programs.text.lexicon import MONTHS, SEASONS, verb_lemma, verb_tags
from demur.programs.text.questions import WhWord

_WHEN = re.compile(r"\b(?:in |on |at )?(?:when|(?:what|which) (?:year|date|month|decade|century))\b", re.IGNORECASE)
_ROUGH = re.compile(
    rf"\byears ago\b|\b(?:{'|'.join((*MONTHS, *sorted(SEASONS)))}|century|centuries|era|period)\b", re.IGNORECASE
)
"""What tells a time roughly, in answers that hold no date."""
_COARSE = frozenset(
    {DatePrecision.YEAR, DatePrecision.DECADE, DatePrecision.CENTURY, DatePrecision.MONTH, DatePrecision.SEASON}
)


def _finer(analysis: Analysis, subject: Subject | None, style: Style) -> tuple[str, str] | None:
    """Return the base question asked two levels finer, and what the passages give instead; None where it can't be."""
    text = analysis.question.bare
    if is_chained_by_and(text):
        return None
    dates = find_dates(analysis.answer)
    days = {d.year for p in analysis.signal for d in p.dates if d.precision is DatePrecision.DAY}
    dated = len(dates) == 1 and (
        dates[0].precision is DatePrecision.DAY or (dates[0].precision in _COARSE and dates[0].year not in days)
    )
    if dated and dates[0].precision is DatePrecision.DAY and _WHEN.search(text):
        return lead_in(analysis, phrase(style, "to the nearest minute", "down to the hour and the minute")), "the day"
    if (lasting := _longer(analysis, style)) is not None:
        return lasting
    if dated and _WHEN.search(text):
        return lead_in(analysis, phrase(style, "to the nearest minute", "down to the day, the hour and the minute")), (
            f"the {dates[0].precision}"
        )
    if analysis.question.wh is WhWord.WHEN and not dates and _ROUGH.search(analysis.answer):
        return lead_in(
            analysis, phrase(style, "to the nearest minute", "down to the hour and the minute")
        ), "a rough time"
    if re.match(r"where (?:is|was|are|were|did|does|do|would)\b", text, re.IGNORECASE):
        natural = subject is not None and subject.kind in (SubjectKind.BODY, SubjectKind.ORGANISM)
        natural = natural or any(OF_NATURE.search(p.text.lower()) for p in analysis.signal)
        placed = analysis.answer_type is AnswerType.PLACE or re.match(r"(?:in|at|on) ", analysis.answer)
        if not natural and not placed:
            return None
        metre = phrase(style, "to the nearest square metre", "down to the single square metre of ground")
        return lead_in(analysis, "down to the single cell" if natural else metre), "the place as a whole"
    return _finer_work(analysis, style)


_PASSING = frozenset("say pay win beat die sing".split())
"""What takes a moment, or is done by whole bodies: nobody's days are told by it."""


def _longer(analysis: Analysis, style: Style) -> tuple[str, str] | None:
    """Return a question for an age or a length of time, asked to the minute, and what the passages give instead."""
    text, answer = analysis.question.bare.lower(), analysis.answer.lower()
    minute = phrase(style, "to the nearest minute", "down to the hour and the minute")
    if text.startswith("how old ") and not re.search(r"month|week|day", answer):
        return lead_in(analysis, minute), "the age in years"
    spent = re.match(r"how long (?:has|have|did|does|do|was|were) ", text) and re.search(
        r"year|decade|season|month", answer
    )
    return (lead_in(analysis, minute), "a number of years") if spent else None


def _finer_work(analysis: Analysis, style: Style) -> tuple[str, str] | None:
    doing = doing_of(analysis)
    if doing is None or analysis.answer_type not in (AnswerType.PERSON, AnswerType.LIST):
        return None
    did = "does" if verb_tags(doing.finite.split()[0].lower()) & {"VBZ"} else "did"
    if verb_lemma(doing.finite.split()[0].lower()) in wording.MAKING:
        hours = phrase(style, f"how many hours of each single day {did}", f"how many minutes of each single hour {did}")
        return f"{hours} the person who {doing.finite} spend on it", "the work as a whole"
    if verb_lemma(doing.finite.split()[0].lower()) not in _PASSING:
        return (
            f"how {did} the person who {doing.finite} spend each hour of each single day",
            "the part played as a whole",
        )
    return None


@recipe("granularity.part_of_part")
def part_of_part(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for a detail two levels below what the passages describe."""
    subject = find_subject(analysis)
    finer = _finer(analysis, subject, style)
    told = subject is not None and not is_generic(subject) and subject.noun not in NO_SPORT
    templates = wording.PARTS_OF_PARTS.get(subject.kind) if subject and told else None
    if subject is not None and (subject.noun in wording.NO_PARTS or subject.phrase.startswith(("a ", "an "))):
        templates = None
    if finer is not None:
        question, given = finer
        remarks = (
            f"For {{p}} only {given} is on record, and nothing finer was ever noted down",
            f"Only {given} is given in this entry on {{p}}, without any finer detail",
            f"Only {given} is on record here, and nothing finer was ever noted down",
        )
    elif subject is not None and templates is not None:
        plain = subject.noun in wording.NO_ROOMS or (
            subject.kind is SubjectKind.PRODUCT and subject.noun not in wording.MACHINES
        )
        chosen = wording.PIECES if plain else rng.choice(templates)
        question = chosen.replace("{s}", subject.phrase)
        remarks = (
            "The description of {p} stays at the level of the whole and goes into no smaller parts",
            "Nothing below the level of the whole is recorded here about {p}",
            "The description stays at the level of the whole and goes into no smaller parts",
        )
    else:
        return Declined(DeclineReason.NO_TOPIC, "parts of parts are not known for what is asked")
    changed = remark_everywhere(analysis, subject, remarks, rng)
    if changed is None:
        return Declined(DeclineReason.STRATEGY)
    return Draft(ask(analysis, question), changed, "A part of a part is asked for, the whole is described.", NOTE)
