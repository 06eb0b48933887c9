"""MEDIUM: the question asks for a level, an aggregate or a sub-part that the passages do not reach."""

import random

from programs.rules.analysis.analysis import Analysis
from programs.rules.analysis.answers import AnswerType
from programs.rules.analysis.dates import DatePrecision
from programs.rules.analysis.quantities import find_numbers
from programs.rules.edits.remarks import add_remark, ask, remark_everywhere, spoken_of
from programs.rules.edits.strategy import apply_to_signal_passages
from programs.rules.edits.style import Style, phrase
from programs.rules.recipes.granularity import wording
from programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from programs.rules.subjects import (
    Aspect,
    Subject,
    SubjectKind,
    aspect_of,
    counted,
    feature_of,
    find_subject,
    has_kind,
    kind_nouns,
    like,
)

_NOTE = "The passages still say what they said, on their own level; what is asked for lies on another one."


def _draft(
    analysis: Analysis, question: str, subject: Subject, remarks: tuple[str, ...], rng: random.Random, reasoning: str
) -> Draft | Declined:
    changed = remark_everywhere(analysis, subject, remarks, rng)
    if changed is None:
        return Declined(DeclineReason.STRATEGY)
    return Draft(ask(analysis, question), changed, reasoning, _NOTE)


def _filled(template: str, analysis: Analysis, subject: Subject) -> str | None:
    if "{n}" in template:
        counts = counted(analysis)
        if counts is None:
            return None
        template = template.replace("{n}", counts)
    if "{f}" in template:
        feature = feature_of(analysis, subject)
        if feature is None:
            return None
        template = template.replace("{f}", feature)
    return template.replace("{k}", like(subject)).replace("{s}", subject.short)


def _same_way(analysis: Analysis, subject: Subject) -> str:
    aspect = aspect_of(analysis, subject)
    table = wording.SAME_WAY_OF_PERSON if subject.kind is SubjectKind.PERSON else wording.SAME_WAY
    if aspect is Aspect.PEOPLE and subject.kind in wording.LED:
        return f"are led in the same way as {subject.short}"
    said = _filled(table.get(aspect, table[Aspect.NATURE]), analysis, subject)
    return said or f"have the same characteristics as {subject.short}"


def _asked_of_all(nouns: str, shared: str) -> str:
    """'films', 'are cast as in x' -> 'are all films cast as in x'; other verbs take 'do'."""
    return f"are all {nouns} {shared[4:]}" if shared.startswith("are ") else f"do all {nouns} {shared}"


@recipe("granularity.universal_rule")
def universal_rule(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask whether what one case shows is a rule for all of its kind."""
    subject = find_subject(analysis)
    if subject is None or not has_kind(subject):
        return Declined(DeclineReason.NO_TOPIC, "the subject's kind is not known")
    nouns, shared = kind_nouns(subject), _same_way(analysis, subject)
    question = phrase(style, _asked_of_all(nouns, shared), f"is it a general rule that all {nouns} {shared}")
    remarks = (
        f"This account is limited to {{p}} and makes no claim about {nouns} in general",
        f"No example other than {{p}} is considered here, and nothing is said of other {nouns}",
        f"Only one case is considered here, and no claim is made about {nouns} in general",
    )
    return _draft(analysis, question, subject, remarks, rng, "A rule for the kind is asked for, one case is described.")


@recipe("granularity.macro_proportion")
def macro_proportion(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the share of a whole population that is like the one case described."""
    subject = find_subject(analysis)
    if subject is None or not has_kind(subject):
        return Declined(DeclineReason.NO_TOPIC, "the subject's kind is not known")
    nouns, shared = kind_nouns(subject), _same_way(analysis, subject)
    share = phrase(style, "what percentage of all", rng.choice(("what proportion of all", "what share of all the world's")))
    remarks = (
        f"The entry is about {{p}} alone, and {nouns} as a whole were not counted",
        f"No count of {nouns} in general goes with this entry on {{p}}",
        f"A single case is described here, and {nouns} as a whole were not counted",
    )
    return _draft(
        analysis, f"{share} {nouns} {shared}", subject, remarks, rng, "A proportion of all is asked for, one is described."
    )


_WITH_A_PAST = frozenset({SubjectKind.COUNTRY, SubjectKind.PLACE})


def _trend(analysis: Analysis, subject: Subject) -> str | None:
    """Return a singular noun phrase whose long development can be asked for."""
    aspect = aspect_of(analysis, subject)
    counts = aspect in (Aspect.POPULATION, Aspect.COUNT)
    if subject.kind in _WITH_A_PAST and not counts and not subject.plural:
        return f"life in {subject.phrase}"
    if subject.kind is SubjectKind.PERSON and not subject.plural and not counts:
        return f"the kind of life led by {like(subject)}"
    if has_kind(subject) and subject.kind is not SubjectKind.THING:
        said = _filled(wording.TREND[aspect], analysis, subject)
        if said is not None:
            return said
    return f"public interest in {subject.phrase}"


@recipe("granularity.long_range_trend")
def long_range_trend(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for a development over a century where the passages describe a moment or a short stretch."""
    subject = find_subject(analysis)
    trend = _trend(analysis, subject) if subject else None
    if subject is None or trend is None:
        return Declined(DeclineReason.NO_TOPIC)
    verb = "changed" if not trend.startswith("public interest") else "developed"
    span = phrase(style, "over the past hundred years", "over the course of the past hundred years, taken as a whole")
    remarks = (
        "What is reported about {p} is a snapshot, and no longer stretch of time is followed",
        "This entry on {p} was not written to trace a development over longer periods, and it traces none",
        "The account given here is a snapshot, and no longer stretch of time is followed",
    )
    question = f"how has {trend} {verb} {span}"
    return _draft(analysis, question, subject, remarks, rng, "A long trend is asked for, a moment is described.")


@recipe("granularity.decade_trend")
def decade_trend(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the change from decade to decade where the passages give single days."""
    subject = find_subject(analysis)
    trend = _trend(analysis, subject) if subject else None
    if subject is None or trend is None:
        return Declined(DeclineReason.NO_TOPIC)
    if not any(d.precision is DatePrecision.DAY for p in analysis.signal for d in p.dates):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "no passage dates anything to the day")
    changes = phrase(style, "change from decade to decade", "shift from each decade to the one after it")
    remarks = (
        "For {p} only single days are on record here, with no series from which a longer development could be read",
        "The entry on {p} goes by particular days and keeps no series over the decades",
        "Only particular days are on record here, with no series over the decades",
    )
    question = f"how does {trend} {changes}"
    return _draft(analysis, question, subject, remarks, rng, "A trend over decades is asked for, days are given.")


_NO_SPORT = frozenset({"election", "convention", "ocean", "continent"})


@recipe("granularity.policy_above")
def policy_above(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the policy of the body above the subject where the passages tell one case."""
    subject = find_subject(analysis)
    if subject is None:
        return Declined(DeclineReason.NO_TOPIC)
    authority = None if subject.noun in _NO_SPORT else wording.AUTHORITY.get(subject.kind)
    matter = wording.MATTER.get(aspect_of(analysis, subject))
    said = _filled(matter, analysis, subject) if matter else None
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
    return _draft(analysis, question, subject, remarks, rng, "A policy for the field is asked for, one case is told.")


@recipe("granularity.part_of_part")
def part_of_part(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for a detail two levels below what the passages describe."""
    subject = find_subject(analysis)
    templates = wording.PARTS_OF_PARTS.get(subject.kind) if subject else None
    if subject is None or templates is None:
        return Declined(DeclineReason.NO_TOPIC, "parts of parts are not known for the subject's kind")
    question = rng.choice(templates).replace("{s}", subject.phrase)
    remarks = (
        "The description of {p} stays at the level of the whole and goes into no smaller parts",
        "Nothing below the level of the whole is recorded here about {p}",
        "The description stays at the level of the whole and goes into no smaller parts",
    )
    return _draft(analysis, question, subject, remarks, rng, "A part of a part is asked for, the whole is described.")


@recipe("granularity.collective_goal")
def collective_goal(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the shared aim of everybody involved where single persons and acts are reported."""
    subject = find_subject(analysis)
    involved = wording.INVOLVED.get(subject.kind) if subject else None
    if subject is None or involved is None:
        return Declined(DeclineReason.NO_TOPIC, "no group stands behind the subject")
    group = involved.replace("{s}", subject.phrase)
    question = phrase(style, f"what common goal did {group} pursue", f"what shared aim united {group} as a group")
    remarks = (
        "What is told in connection with {p} concerns single persons and single acts, not a purpose shared by a group",
        "The entry on {p} reports individual contributions and draws no picture of the group",
        "Individual contributions are reported here, and no picture of the group is drawn",
    )
    return _draft(analysis, question, subject, remarks, rng, "A group's goal is asked for, individuals are described.")


_COUNTABLE_IN_A_NATION = frozenset(
    "city town village county river lake mountain district borough municipality suburb school university college hospital "
    "church".split()
)
_IN_A_COUNTRY = frozenset(
    {SubjectKind.PLACE, SubjectKind.BUILDING, SubjectKind.TEAM, SubjectKind.COMPANY, SubjectKind.INSTITUTION}
)


@recipe("granularity.nation_from_place")
def nation_from_place(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the whole nation where the passages speak of one place or body in it."""
    subject = find_subject(analysis)
    if subject is None or subject.kind not in _IN_A_COUNTRY or (
        subject.kind in (SubjectKind.PLACE, SubjectKind.INSTITUTION) and subject.noun not in _COUNTABLE_IN_A_NATION
    ):
        return Declined(DeclineReason.NO_TOPIC, "the subject is no place or body within a country")
    nouns, counts = kind_nouns(subject), counted(analysis)
    country = phrase(style, f"in the whole country that {subject.phrase} belongs to", f"nationwide, judging by {subject.phrase}")
    question = {
        Aspect.POPULATION: f"what is the average population of {nouns} {country}",
        Aspect.COUNT: f"how many {counts} do {nouns} have on average {country}",
        Aspect.TIME: f"how old are {nouns} on average {country}",
        Aspect.LOCATION: f"where are most {nouns} to be found {country}",
    }.get(aspect_of(analysis, subject), f"how many {nouns} are there {country}")
    remarks = (
        f"Only the local case of {{p}} is covered, and nothing is laid down or counted here for the nation's {nouns}",
        "The entry on {p} is a local one, and figures for the nation as a whole are not collected",
        "The entry is a local one, and figures for the nation as a whole are not collected",
    )
    return _draft(analysis, question, subject, remarks, rng, "The nation is asked about, one place is described.")


@recipe("granularity.median_missing")
def median_missing(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for a median over three where two of the values are unrecorded."""
    subject = find_subject(analysis)
    if subject is None:
        return Declined(DeclineReason.NO_TOPIC)
    measure = _measure(analysis, subject)
    if measure is None:
        return Declined(DeclineReason.ANSWER_TYPE, "no count is asked for")
    mean = phrase(style, "median", rng.choice(("average", "mean")))
    peers = rng.choice(("its two closest counterparts", "the two others most like it"))
    remarks = (
        "For the two counterparts closest to {p} the figure was never recorded",
        "No such figure has been kept for the two others most like {p}",
        "For the two closest counterparts the figure was never recorded",
    )
    question = f"what is the {mean} {measure} over {subject.phrase} and {peers}"
    return _draft(analysis, question, subject, remarks, rng, "A statistic over three is asked for, one value is given.")


def _measure(analysis: Analysis, subject: Subject) -> str | None:
    aspect = aspect_of(analysis, subject)
    if aspect is Aspect.POPULATION and subject.kind in (SubjectKind.PLACE, SubjectKind.COUNTRY):
        return "population"
    return f"number of {counted(analysis)}" if aspect is Aspect.COUNT else None


@recipe("granularity.breakdown_cut")
def breakdown_cut(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """End the passage with the announcement of a breakdown that is cut off, and ask for its lines."""
    subject = find_subject(analysis)
    found = wording.BREAKDOWN.get(subject.kind) if subject else None
    if subject is None or found is None:
        return Declined(DeclineReason.NO_TOPIC)
    question, announced = found[0].replace("{s}", subject.phrase), found[1]
    main = analysis.main.index

    def cut(text: str) -> str:
        return f"{text.rstrip()} {announced}: [...]"

    changed = apply_to_signal_passages(
        analysis,
        lambda p: cut(p.text)
        if p.index == main
        else add_remark(p, f"No figures on {spoken_of(p, subject) or 'this'} are broken down here"),
    )
    if changed is None or not analysis.main.text.rstrip().endswith((".", '"', "”", ")")):
        return Declined(DeclineReason.STRATEGY, "the passage breaks off already")
    return Draft(ask(analysis, question), changed, "A breakdown is asked for that the passage announces and cuts.", _NOTE)


@recipe("granularity.merged_cell")
def merged_cell(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Say that the figure stands in a cell merged over two rows, and ask for the subject's own share of it."""
    subject, counts = find_subject(analysis), counted(analysis)
    numbers = find_numbers(analysis.answer)
    if subject is None:
        return Declined(DeclineReason.NO_TOPIC)
    if analysis.answer_type is not AnswerType.NUMBER or counts is None or len(numbers) != 1 or numbers[0].value < 2:
        return Declined(DeclineReason.ANSWER_TYPE, "no plain count is asked for")
    figure = numbers[0].text
    question = phrase(
        style,
        f"how many of the {figure} {counts} are due to {subject.phrase} alone",
        f"of the {figure} {counts}, how many fall to {subject.phrase} itself and not to the entry listed beside it",
    )
    remarks = (
        "In the source table the figure is a single cell merged over two rows, {p} and the entry beside it, "
        "and no split between them is given",
        "In the source table {p} shares one merged cell with the entry beside it, so that figures there count for both",
        "In the source table the figure is a single cell merged over two rows, and no split between them is given",
    )
    return _draft(analysis, question, subject, remarks, rng, "One row's share is asked for, a merged cell covers two.")
