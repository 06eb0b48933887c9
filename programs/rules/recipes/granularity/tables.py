"""MEDIUM: what tables do to levels: a missing member, a breakdown cut off, a cell merged over two rows."""

import random
import re

from demur.programs.rules.edits.pools import invented_organisation, invented_place, invented_title
from demur.programs.rules.edits.remarks import add_remark, ask, lead_in, spoken_of
from demur.programs.rules.edits.strategy import apply_to_signal_passages
from demur.programs.rules.edits.style import Style, phrase
from demur.programs.rules.recipes.granularity import wording
from demur.programs.rules.recipes.granularity.figures import Figure, find_figure, is_of
from demur.programs.rules.recipes.granularity.lifting import NO_SPORT, NOTE, OF_NATURE, is_generic
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.rules.subjects import (
    WORKS,
    Aspect,
    Subject,
    SubjectKind,
    aspect_of,
    counted,
    find_subject,
    has_counted,
    is_chained,
)
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.answers import AnswerType
from demur.programs.text.quantities import find_numbers
from demur.programs.text.questions import WhWord

_PEOPLED = frozenset({SubjectKind.PLACE, SubjectKind.COUNTRY})
_NAMED_FOR = (SubjectKind.COMPANY, SubjectKind.INSTITUTION, SubjectKind.TEAM)


def _measure(analysis: Analysis, subject: Subject, figure: Figure | None) -> str | None:
    """Return what is counted for the subject, as 'population' or 'number of seasons'; None where nothing is."""
    counts = counted(analysis) if has_counted(analysis, subject) else None
    if aspect_of(analysis, subject) is Aspect.POPULATION and subject.kind in _PEOPLED and not is_chained(analysis):
        return "population"
    if counts is not None:
        return f"number of {counts}"
    if figure is not None and is_of(figure, subject):
        return f"number of {figure.noun}"
    return None


def _peers(subject: Subject, rng: random.Random) -> tuple[str, str] | None:
    """Return two made-up things of the subject's kind, None for kinds without names of their own."""
    if subject.kind is SubjectKind.PLACE or subject.kind is SubjectKind.BUILDING:
        made = [invented_place(rng) for _ in range(2)]
        made = [f"the {m} {subject.noun}" for m in made] if subject.kind is SubjectKind.BUILDING else made
    elif subject.kind in WORKS:
        made = [invented_title(rng) for _ in range(2)]
    elif subject.kind in _NAMED_FOR:
        made = [f"the {invented_organisation(rng)}" for _ in range(2)]
    else:
        return None
    nameless = subject.kind is SubjectKind.BUILDING and subject.noun is None
    return None if made[0] == made[1] or nameless else (made[0], made[1])


@recipe("granularity.median_missing")
def median_missing(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for a statistic over three by name where one of the values is given."""
    subject = find_subject(analysis)
    if subject is None or subject.plural:
        return Declined(DeclineReason.NO_TOPIC)
    measure, peers = _measure(analysis, subject, find_figure(analysis, subject, rng)), _peers(subject, rng)
    if measure is None or peers is None:
        return Declined(DeclineReason.ANSWER_TYPE, "nothing is counted for a subject of which there are others")
    one, other = peers
    mean = phrase(style, "median", rng.choice(("average", "mean")))
    question = f"what is the {mean} {measure} of {subject.phrase}, {one} and {other}"
    said = f"The {measure} is given here for one of the three, and not for {one} or {other}"
    again = f"It is not given here for {one} or {other} either"

    def edit(passage: PassageAnalysis) -> str | None:
        return add_remark(passage, said if passage.index == analysis.signal[0].index else again)

    changed = apply_to_signal_passages(analysis, edit)
    if changed is None:
        return Declined(DeclineReason.STRATEGY)
    return Draft(ask(analysis, question), changed, "A statistic over three is asked for, one value is given.", NOTE)


@recipe("granularity.breakdown_cut")
def breakdown_cut(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for one line of a breakdown, and cut the passage off where that breakdown would begin."""
    subject = find_subject(analysis)
    figure = find_figure(analysis, subject, rng)
    own = wording.BREAKDOWNS.get(subject.kind, wording.DOCUMENTS) if subject and _breaks_down(subject) else None
    if figure is not None and figure.value >= 12 and (own is None or style is Style.TERSE):
        unit = "age group" if figure.noun in _BEINGS else "region"
        line = "are in the youngest age group" if unit == "age group" else "fall to the first region listed"
        at, asked = figure.passage, f"how many of the {figure.said} {figure.link} {line}"
        announced = f"By {unit}, the {figure.original} break down as follows"
    elif subject is not None and own is not None:
        total = str(rng.choice(own[2]))
        at, asked = _told_of(analysis, subject).index, own[1].replace("{s}", subject.phrase).replace("{t}", total)
        announced = own[0].replace("{p}", subject.in_text).replace("{t}", total)
    elif (line_of := _line_of_number(analysis, style)) is not None:
        at, asked, announced = analysis.main.index, *line_of
    else:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "nothing is counted or made of parts")
    text = next(p.text for p in analysis.passages if p.index == at)
    if not text.rstrip().endswith((".", "!", '"', "”", ")")):
        return Declined(DeclineReason.STRATEGY, "the passage breaks off already")

    def edit(passage: PassageAnalysis) -> str | None:
        if passage.index == at:
            return f"{passage.text.rstrip()} {announced}: [...]"
        called = spoken_of(passage, subject)
        return add_remark(
            passage, f"No breakdown is given here for {called}" if called else "No breakdown is given here"
        )

    changed = apply_to_signal_passages(analysis, edit)
    if changed is None:
        return Declined(DeclineReason.STRATEGY)
    return Draft(ask(analysis, asked), changed, "A breakdown is asked for that the passage announces and cuts.", NOTE)


def _line_of_number(analysis: Analysis, style: Style) -> tuple[str, str] | None:
    """Return the base question put to one line of a breakdown of its own answer, and the announcement of that."""
    question = analysis.question
    if _differs_by_country(analysis):
        line = phrase(style, "in the first country listed", "in the first of the countries listed")
        return lead_in(analysis, line), "Broken down by country, this reads as follows"
    share = question.text.lower().startswith(("what percentage", "what proportion"))
    if (
        analysis.answer_type is not AnswerType.NUMBER
        or not question.fronted
        or is_chained(analysis)
        or not (share or question.wh is WhWord.HOW_MANY)
    ):
        return None
    beings = bool(_BEINGS & set((question.focus or question.text).lower().split()))
    unit = "age group" if beings and not share else "region"
    line = "in the youngest age group" if unit == "age group" else "in the first region listed"
    opener = phrase(style, line, f"{line}, taken by itself")
    return lead_in(analysis, opener), f"Broken down by {unit}, the figure reads as follows"


_SAME_EVERYWHERE = re.compile(
    r"\b(?:term|name|word|mean|means|meaning|form|called|known|stands?|symbol|world|country|countries|nation|state|city)\b"
)


def _differs_by_country(analysis: Analysis) -> bool:
    """Say whether a general statement in the present is asked for that could differ from country to country."""
    question = analysis.question
    first = question.tokens[0].norm if question.tokens else ""
    subject = find_subject(analysis)
    general = question.wh in (WhWord.WHAT, WhWord.WHICH) and first in {"what", "which", "on"}
    general = general and subject is not None and not subject.is_named
    present = question.auxiliary in {"is", "are", "do", "does", "would", "must", "can", "could"}
    natural = any(OF_NATURE.search(p.text.lower()) for p in analysis.signal)
    fixed = _SAME_EVERYWHERE.search(question.text.lower()) is not None
    return general and present and not natural and not fixed and not is_chained(analysis)


def _breaks_down(subject: Subject) -> bool:
    return subject.is_named and not is_generic(subject) and not subject.plural and subject.noun not in NO_SPORT


def _told_of(analysis: Analysis, subject: Subject) -> PassageAnalysis:
    """Return the signal passage that speaks of the subject, the main one where none names it."""
    return next((p for p in analysis.signal if subject.name.casefold() in p.text.casefold()), analysis.main)


_BEINGS = frozenset(
    "people inhabitants students employees residents soldiers players workers passengers pupils farmers teachers "
    "spectators viewers visitors".split()
)


def _answering_figure(analysis: Analysis) -> str | None:
    """Return the number that answers the base question as the main passage writes it, None where no number does."""
    asked = analysis.question
    counting = asked.wh in (WhWord.HOW_MANY, WhWord.HOW_MUCH) or "population" in asked.text
    counting = counting and " times " not in asked.text
    said = [a.span.of(analysis.main.text) for a in analysis.main.answers]
    numeric = [s for s in said if find_numbers(s) and len(s.split()) <= 4 and "time" not in s]
    return numeric[0] if counting and analysis.answer_type is AnswerType.NUMBER and numeric else None


@recipe("granularity.merged_cell")
def merged_cell(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Say that a figure stands in a cell merged over two rows, and ask for the subject's own share of it."""
    subject = find_subject(analysis)
    figure, answered = find_figure(analysis, subject, rng), _answering_figure(analysis)
    if subject is not None and answered is not None and not is_chained(analysis):
        opener = phrase(style, "taken alone", "leaving aside the entry in the row below")
        at, number, question = analysis.main.index, answered, lead_in(analysis, opener)
        whose = subject.in_text
        if not any(subject.name in p.text for p in analysis.signal):
            return Declined(DeclineReason.NO_TOPIC, "the passages write the subject in another way")
    elif figure is not None and subject is not None and is_of(figure, subject):
        at, number, whose = figure.passage, figure.original, figure.owner_in_text or subject.in_text
        alone = phrase(
            style,
            f"how many of the {figure.said} belong to {subject.phrase} alone",
            f"of the {figure.said}, how many belong to {subject.phrase} and not to the entry in the row below",
        )
        question = ask(analysis, alone)
    else:
        return Declined(DeclineReason.ANSWER_TYPE, "nothing is counted for the subject itself")
    merged = (
        f"In the source table the figure of {number} stands in one cell merged over two rows, the one for {whose} "
        "and that of a similar entry below it, and no split between the two is given"
    )

    def edit(passage: PassageAnalysis) -> str | None:
        if passage.index == at:
            return add_remark(passage, merged)
        return add_remark(passage, f"No figures for {spoken_of(passage, subject) or 'this entry'} are split up here")

    changed = apply_to_signal_passages(analysis, edit)
    if changed is None:
        return Declined(DeclineReason.STRATEGY)
    return Draft(question, changed, "One row's share is asked for, a merged cell covers two.", NOTE)
