"""MEDIUM: what tables do to levels: a missing member, a breakdown cut off, a cell merged over two rows."""

import random

from programs.rules.analysis.analysis import Analysis, PassageAnalysis
from programs.rules.analysis.answers import AnswerType
from programs.rules.analysis.questions import WhWord
from programs.rules.edits.remarks import add_remark, ask, lead_in, spoken_of
from programs.rules.edits.strategy import apply_to_signal_passages
from programs.rules.edits.style import Style, phrase
from programs.rules.recipes.granularity import wording
from programs.rules.recipes.granularity.figures import find_figure
from programs.rules.recipes.granularity.lifting import NO_KIND_RULE, NOTE, OF_NATURE, draft_of
from programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from programs.rules.subjects import (
    Aspect,
    Subject,
    SubjectKind,
    aspect_of,
    counted,
    find_subject,
    has_counted,
    has_kind,
)


@recipe("granularity.median_missing")
def median_missing(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for a statistic over three where two of the values are unrecorded."""
    subject = find_subject(analysis)
    figure = find_figure(analysis, subject, rng)
    counts = counted(analysis) if subject and has_counted(analysis, subject) else None
    if subject is not None and aspect_of(analysis, subject) is Aspect.POPULATION and subject.kind in _PEOPLED:
        measure, owner = "population", subject.phrase
    elif subject is not None and counts is not None:
        measure, owner = f"number of {counts}", subject.phrase
    elif figure is not None and figure.owner is not None and subject is not None and has_kind(subject):
        measure, owner = f"number of {figure.noun}", figure.owner
    else:
        return Declined(DeclineReason.ANSWER_TYPE, "nothing is counted for a subject that has a name")
    mean = phrase(style, "median", rng.choice(("average", "mean")))
    peers = rng.choice(("its two closest counterparts", "the two others most like it"))
    remarks = (
        "For the two counterparts closest to {p} the figure was never recorded",
        "No such figure has been kept for the two others most like {p}",
        "For the two closest counterparts the figure was never recorded",
    )
    question = f"what is the {mean} {measure} over {owner} and {peers}"
    return draft_of(
        analysis, question, subject, remarks, rng, "A statistic over three is asked for, one value is given."
    )


_PEOPLED = frozenset({SubjectKind.PLACE, SubjectKind.COUNTRY})
_SPREAD = frozenset({Aspect.CASTING, Aspect.SINGING, Aspect.WRITING, Aspect.DIRECTING, Aspect.FILMING})


@recipe("granularity.breakdown_cut")
def breakdown_cut(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the lines of a breakdown, and cut the passage off where that breakdown would begin."""
    subject = find_subject(analysis)
    figure = find_figure(analysis, subject, rng)
    unit = wording.UNITS.get(subject.kind) if subject else None
    if subject is not None and unit is not None and aspect_of(analysis, subject) in _SPREAD:
        at, asked = (
            analysis.main.index,
            lead_in(analysis, phrase(style, f"broken down by {unit}", f"for every {unit} separately")),
        )
        announced = rng.choice(
            (f"Broken down by {unit}, this reads as follows", f"Listed {unit} by {unit}, the details are these")
        )
    elif figure is not None:
        unit = rng.choice(("district", "age group")) if figure.noun in _BEINGS else rng.choice(("year", "region"))
        at = figure.passage
        each = phrase(style, f"to each single {unit}", f"to every {unit}, one by one")
        asked = ask(analysis, f"how many of the {figure.said} {figure.link} fall {each}")
        announced = f"By {unit}, the {figure.original} break down as follows"
    elif analysis.answer_type is AnswerType.NUMBER and counted(analysis) is not None:
        unit, at = "day", analysis.main.index
        asked = lead_in(analysis, phrase(style, "broken down by single days", "for every single day separately"))
        announced = rng.choice(
            ("Broken down by single days, this reads as follows", "Day by day, the count is as follows")
        )
    elif subject is not None and subject.plural and subject.kind not in _NOT_SINGLY:
        each = (
            subject.phrase
            if subject.phrase.lower().startswith(("the ", "these ", "those "))
            else f"the {subject.phrase}"
        )
        unit, at = "individual case", analysis.main.index
        asked = lead_in(
            analysis, phrase(style, f"for each one of {each} separately", f"one by one, for every single one of {each}")
        )
        announced = rng.choice(
            ("One by one, the details are as follows", "Listed individually, the cases read as follows")
        )
    elif _varies_by_country(analysis, subject):
        unit, at = "country", analysis.main.index
        asked = lead_in(analysis, phrase(style, "broken down by country", "for every country of the world separately"))
        announced = rng.choice(
            ("Broken down by country, this reads as follows", "Listed country by country, the details are these")
        )
    else:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "nothing is counted or spread over parts")
    text = next(p.text for p in analysis.passages if p.index == at)
    if not text.rstrip().endswith((".", "!", '"', "”", ")")):
        return Declined(DeclineReason.STRATEGY, "the passage breaks off already")
    changed = apply_to_signal_passages(
        analysis,
        lambda p: (
            f"{p.text.rstrip()} {announced}: [...]"
            if p.index == at
            else add_remark(p, f"Nothing about {spoken_of(p, subject) or 'this'} is broken down by {unit}")
        ),
    )
    if changed is None:
        return Declined(DeclineReason.STRATEGY)
    return Draft(asked, changed, "A breakdown is asked for that the passage announces and cuts.", NOTE)


def _varies_by_country(analysis: Analysis, subject: Subject | None) -> bool:
    """Say whether a general statement in the present is asked for that could differ from country to country."""
    question = analysis.question
    general = (
        subject is not None
        and not subject.is_named
        and subject.kind
        in (
            SubjectKind.THING,
            SubjectKind.PERSON,
            SubjectKind.LAW,
            SubjectKind.INSTITUTION,
        )
    )
    present = question.auxiliary in {"is", "are", "do", "does"}
    natural = any(OF_NATURE.search(p.text.lower()) for p in analysis.signal)
    return (
        general
        and present
        and not natural
        and question.wh in (WhWord.WHAT, WhWord.WHICH, WhWord.HOW_MANY, WhWord.HOW_MUCH)
    )


_NOT_SINGLY = NO_KIND_RULE | {SubjectKind.CONTEST}
_BEINGS = frozenset(
    "people inhabitants members students employees residents soldiers players workers passengers".split()
)


@recipe("granularity.merged_cell")
def merged_cell(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Say that a figure stands in a cell merged over two rows, and ask for the subject's own share of it."""
    subject = find_subject(analysis)
    figure = find_figure(analysis, subject, rng)
    if figure is None or figure.owner is None:
        return Declined(DeclineReason.ANSWER_TYPE, "nothing is counted for a subject that has a name")
    question = phrase(
        style,
        f"how many of the {figure.said} are due to {figure.owner} alone",
        f"of the {figure.said}, how many fall to {figure.owner} and not to the entry listed beside it",
    )
    merged = (
        f"In the source table the figure of {figure.original} stands in one cell merged over two rows, "
        f"{figure.owner_in_text} "
        "and the entry beside it, and no split between the two is given"
    )

    def edit(passage: PassageAnalysis) -> str | None:
        if passage.index == figure.passage:
            return add_remark(passage, merged)
        return add_remark(passage, f"No figures for {spoken_of(passage, subject) or 'this entry'} are split up here")

    changed = apply_to_signal_passages(analysis, edit)
    if changed is None:
        return Declined(DeclineReason.STRATEGY)
    return Draft(ask(analysis, question), changed, "One row's share is asked for, a merged cell covers two.", NOTE)
