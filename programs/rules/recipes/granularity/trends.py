"""MEDIUM: from a moment to a century, from one case to the policy above it, from single people to their group."""

import random

from demur.programs.rules.edits.remarks import add_remark, ask, spoken_of
from demur.programs.rules.edits.strategy import apply_to_signal_passages
from demur.programs.rules.edits.style import Style, phrase
from demur.programs.rules.recipes.granularity import wording
from demur.programs.rules.recipes.granularity.lifting import NO_SPORT, NOTE, draft_of, filled, is_generic
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.rules.subjects import WORKS, Aspect, Subject, SubjectKind, aspect_of, find_subject, has_kind, like
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.dates import DatePrecision
from demur.programs.text.lexicon import FIRST_NAMES
from demur.programs.text.names import NamedMention, NameKind

_HAS_TRENDS = WORKS | {SubjectKind.CONTEST, SubjectKind.LAW, SubjectKind.TEAM, SubjectKind.PLACE, SubjectKind.COUNTRY}


def _trend(analysis: Analysis, subject: Subject) -> str | None:
    """Return a singular noun phrase on the matter asked about, whose long development can be asked for."""
    aspect = aspect_of(analysis, subject)
    counts = aspect in (Aspect.POPULATION, Aspect.COUNT)
    if subject.kind is SubjectKind.PERSON and not is_generic(subject) and not counts:
        return f"the kind of life led by {like(subject)}"
    if aspect is Aspect.WINNING and subject.kind is not SubjectKind.CONTEST:
        return None
    template = wording.TREND.get(aspect) if subject.kind in _HAS_TRENDS or counts else None
    return filled(template, analysis, subject) if template and has_kind(subject) else None


@recipe("granularity.long_range_trend")
def long_range_trend(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for a development over a century where the passages describe a moment or a short stretch."""
    subject = find_subject(analysis)
    trend = _trend(analysis, subject) if subject else None
    if subject is None or trend is None:
        return Declined(DeclineReason.NO_TOPIC)
    span = phrase(style, "over the past hundred years", "over the course of the past hundred years, taken as a whole")
    remarks = (
        "What is reported about {p} is a snapshot, and no longer stretch of time is followed",
        "This entry on {p} was not written to trace a development over longer periods, and it traces none",
        "The account given here is a snapshot, and no longer stretch of time is followed",
    )
    question = f"how has {trend} changed {span}"
    return draft_of(analysis, question, subject, remarks, rng, "A long trend is asked for, a moment is described.")


@recipe("granularity.decade_trend")
def decade_trend(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the change from decade to decade where the passages give single days."""
    subject = find_subject(analysis)
    trend = _trend(analysis, subject) if subject else None
    if subject is None or trend is None:
        return Declined(DeclineReason.NO_TOPIC)
    days = {p.index: [d.text for d in p.dates if d.precision is DatePrecision.DAY] for p in analysis.signal}
    if not any(days.values()):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "no passage dates anything to the day")
    changes = phrase(style, "change from decade to decade", "shift from each decade to the one after it")
    dated = rng.choice(
        (
            "What is dated here, as with {d}, is dated by single days, and no series over the decades is kept",
            "The record goes by single days such as {d}, and holds no series from which decades could be compared",
        )
    )

    def edit(passage: PassageAnalysis) -> str | None:
        called = spoken_of(passage, subject) or "this"
        day = next(iter(days[passage.index]), None)
        return add_remark(
            passage, dated.replace("{d}", day) if day else f"No series over the decades is kept on {called}"
        )

    changed = apply_to_signal_passages(analysis, edit)
    if changed is None:
        return Declined(DeclineReason.STRATEGY)
    question = f"how does {trend} {changes}"
    return Draft(ask(analysis, question), changed, "A trend over decades is asked for, days are given.", NOTE)


@recipe("granularity.policy_above")
def policy_above(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the policy of the body above the subject where the passages tell one case."""
    subject = find_subject(analysis)
    if subject is None:
        return Declined(DeclineReason.NO_TOPIC)
    authority = None if subject.noun in NO_SPORT else wording.AUTHORITY.get(subject.kind)
    matter = wording.MATTER.get(aspect_of(analysis, subject))
    said = filled(matter, analysis, subject) if matter else None
    if authority is None or said is None:
        return Declined(DeclineReason.NO_TOPIC, "no body stands above the subject in what is asked")
    question = phrase(
        style,
        f"what overall policy on {said} does {authority} follow, not just for {subject.phrase}",
        f"which policy on {said} does {authority} as a whole follow, {subject.phrase} being only one instance",
    )
    remarks = (
        f"This is the single case of {{p}}, and no policy of {authority} is set out here",
        f"Whether {{p}} follows any policy of {authority} is left open",
        f"A single case is reported here, and no policy of {authority} is set out",
    )
    return draft_of(analysis, question, subject, remarks, rng, "A policy for the field is asked for, one case is told.")


def _is_full_name(name: NamedMention) -> bool:
    words = name.norm.split()
    return name.kind is NameKind.PERSON and 2 <= len(words) <= 3 and words[0] in FIRST_NAMES


def _stands_alone(subject: Subject) -> bool:
    """Say whether the subject is something by name of a kind that is known."""
    return subject.is_named and subject.kind is not SubjectKind.THING and not is_generic(subject)


def _names_two_people(analysis: Analysis) -> bool:
    """Say whether a signal passage gives the full names of two people who share no last name."""
    for passage in analysis.signal:
        names = {n.norm for n in passage.names if _is_full_name(n)}
        if len({n.split()[-1] for n in names}) > 1:
            return True
    return False


@recipe("granularity.collective_goal")
def collective_goal(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the shared aim of everybody involved where single persons and acts are reported."""
    subject = find_subject(analysis)
    involved = wording.INVOLVED.get(subject.kind) if subject else None
    if subject is not None and subject.phrase.lower().startswith(("a ", "an ")):
        involved = None
    elif involved is None and subject is not None and _stands_alone(subject):
        involved = "all the people named in connection with {s}" if _names_two_people(analysis) else None
    if subject is None or involved is None:
        return Declined(DeclineReason.NO_TOPIC, "no group stands behind the subject")
    group = involved.replace("{s}", subject.phrase)
    question = phrase(style, f"what common goal did {group} pursue", f"what shared aim united {group} as a group")
    remarks = (
        "What is told in connection with {p} concerns single persons and single acts, not a purpose shared by a group",
        "The entry on {p} reports individual contributions and draws no picture of the group",
        "Individual contributions are reported here, and no picture of the group is drawn",
    )
    return draft_of(
        analysis, question, subject, remarks, rng, "A group's goal is asked for, individuals are described."
    )
