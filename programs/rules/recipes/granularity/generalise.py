"""MEDIUM: from one case to its whole kind, to a share of all, to the territory around."""

import random
import re

from demur.programs.rules.edits.grammar import verb_form
from demur.programs.rules.edits.style import Style, phrase
from demur.programs.rules.recipes.granularity import wording
from demur.programs.rules.recipes.granularity.figures import ELSEWHERE_TOO, find_figure
from demur.programs.rules.recipes.granularity.lifting import NO_KIND_RULE, draft_of, filled, is_chained_by_and
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.rules.subjects import (
    WORKS,
    Aspect,
    Subject,
    SubjectKind,
    aspect_of,
    feature_of,
    find_subject,
    has_kind,
    is_chained,
    kind_nouns,
)
from demur.programs.text.analysis import Analysis
from demur.programs.text.dates import DatePrecision, find_dates
from demur.programs.text.lexicon import FUNCTION_WORDS, verb_lemma
from demur.programs.text.questions import WhWord

_LOCATED = frozenset(
    {SubjectKind.BUILDING, SubjectKind.PLACE, SubjectKind.LANDFORM, SubjectKind.COMPANY, SubjectKind.INSTITUTION,
     SubjectKind.TEAM, SubjectKind.EVENT, SubjectKind.CONTEST, SubjectKind.PERSON}
)  # fmt: skip


def _same_way(analysis: Analysis, subject: Subject) -> str | None:
    """Return what all of the kind would do to be like the subject in what is asked, None where that is unclear."""
    if not has_kind(subject) or subject.kind in NO_KIND_RULE:
        return None
    if aspect_of(analysis, subject) is Aspect.LOCATION and subject.kind not in _LOCATED:
        return None
    aspect = aspect_of(analysis, subject)
    if aspect is Aspect.TIME and not _began(analysis, subject):
        return None
    if aspect is Aspect.WINNING and subject.kind is not SubjectKind.CONTEST:
        return None
    dated = [d.precision for d in find_dates(analysis.answer)]
    if aspect is Aspect.RELEASE and not {DatePrecision.DAY, DatePrecision.MONTH} & set(dated):
        return None
    table = wording.SAME_WAY_OF_PERSON if subject.kind is SubjectKind.PERSON else wording.SAME_WAY
    template = table.get(aspect, table[Aspect.NATURE])
    if "{f}" in template and (feature_of(analysis, subject) or "").split(" ")[-1] not in wording.SHARED_FEATURES:
        return None
    if aspect is Aspect.COUNT and subject.kind not in WORKS:
        return None
    return filled(template, analysis, subject)


_BEGINNING = frozenset("found establish introduce build create invent form open write make build pass sign".split())


def _began(analysis: Analysis, subject: Subject) -> bool:
    """Say whether the question asks when its subject came to be ('when was the book of acts written')."""
    began = _BEGINNING & {verb_lemma(t.norm) for t in analysis.question.tokens if t.is_word}
    return bool(began) and analysis.question.body.startswith((subject.phrase, subject.short))


def _asked_of_all(nouns: str, shared: str) -> str:
    """'films', 'are cast as in x' -> 'are all films cast as in x'; other verbs take 'do'."""
    return f"are all {nouns} {shared[4:]}" if shared.startswith("are ") else f"do all {nouns} {shared}"


@recipe("granularity.universal_rule")
def universal_rule(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask whether what one case shows is a rule for all of its kind."""
    subject = find_subject(analysis)
    shared = _same_way(analysis, subject) if subject else None
    if subject is None or shared is None or aspect_of(analysis, subject) in (Aspect.COUNT, Aspect.POPULATION):
        return Declined(DeclineReason.NO_TOPIC, "what is asked is no feature that a known kind could share")
    nouns = kind_nouns(subject)
    question = phrase(style, _asked_of_all(nouns, shared), f"as a general rule, {_asked_of_all(nouns, shared)}")
    remarks = (
        f"This account is limited to {{p}} and makes no claim about {nouns} in general",
        f"No example other than {{p}} is considered here, and nothing is said of other {nouns}",
        f"Only one case is considered here, and no claim is made about {nouns} in general",
    )
    return draft_of(
        analysis, question, subject, remarks, rng, "A rule for the kind is asked for, one case is described."
    )


_SAYING = frozenset("say argue claim state believe think propose suggest note observe".split())


def _saying(analysis: Analysis) -> str | None:
    """Return what somebody is asked to have said, as 'have ...' goes on: 'argued that ...'."""
    text = re.sub(r"^who has ", "who ", analysis.question.bare, flags=re.IGNORECASE)
    found = re.match(r"who (?P<verb>\w+) (?P<rest>.+)$", text, re.IGNORECASE)
    if found is None or verb_lemma(found["verb"].lower()) not in _SAYING or is_chained_by_and(text):
        return None
    return f"{verb_form(found['verb'], 'VBN')} {found['rest']}"


@recipe("granularity.macro_proportion")
def macro_proportion(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the share of a whole population that the cases described make up, or that is like them."""
    subject = find_subject(analysis)
    shared, figure = _same_way(analysis, subject) if subject else None, find_figure(analysis, subject, rng)
    if subject is not None and shared is not None:
        nouns = kind_nouns(subject)
        share = phrase(
            style, "what percentage of all", rng.choice(("what proportion of all", "what share of all the world's"))
        )
        question = f"{share} {nouns} {shared}"
        remarks: tuple[str, ...] = (
            f"The entry is about {{p}} alone, and {nouns} as a whole were not counted",
            f"No count of {nouns} in general goes with this entry on {{p}}",
            f"A single case is described here, and {nouns} as a whole were not counted",
        )
    elif (said := _saying(analysis)) is not None:
        question = phrase(
            style,
            f"what percentage of all scholars have {said}",
            f"how large a share of all those in the field have {said}",
        )
        remarks = (
            "The statement reported in connection with {p} is that of single persons, and no others were asked",
            "Only single voices are quoted here on {p}, and the field as a whole was not asked",
            "Only single voices are quoted here, and the field as a whole was not asked",
        )
    elif figure is not None and figure.noun in ELSEWHERE_TOO:
        question = phrase(
            style,
            f"what percentage of all {figure.noun} worldwide do the {figure.said} {figure.link} make up",
            f"how large a share of all the {figure.noun} in the world do the {figure.said} {figure.link} represent",
        )
        remarks = (
            f"The count made for {{p}} is a local one, and {figure.noun} elsewhere were not added up",
            f"Apart from what is said of {{p}}, no {figure.noun} were counted",
            f"The count given is a local one, and {figure.noun} elsewhere were not added up",
        )
    else:
        return Declined(DeclineReason.NO_TOPIC, "what is asked is no feature of a known kind, and nothing is counted")
    return draft_of(analysis, question, subject, remarks, rng, "A proportion of all is asked for, a few are described.")


_COUNTABLE_IN_A_NATION = frozenset(
    "city town village county river lake mountain district borough municipality suburb school university "
    "college hospital "
    "church".split()
)
_IN_A_COUNTRY = frozenset(
    {
        SubjectKind.PLACE,
        SubjectKind.COUNTRY,
        SubjectKind.LANDFORM,
        SubjectKind.BUILDING,
        SubjectKind.TEAM,
        SubjectKind.COMPANY,
        SubjectKind.INSTITUTION,
    }
)


_OVER_TERRITORY = frozenset({WhWord.WHAT, WhWord.WHICH, WhWord.HOW_MANY, WhWord.HOW_MUCH})
_LARGER = {
    SubjectKind.PLACE: ("the whole country that {s} belongs to", "the entire country of which {s} is a part"),
    SubjectKind.LANDFORM: ("the whole country around {s}", "the entire country around {s}"),
    SubjectKind.COUNTRY: ("the whole continent that {s} belongs to", "the entire continent of which {s} is a part"),
}


def _widened(analysis: Analysis, subject: Subject, style: Style) -> str | None:
    """Return the base question with the place that it asks about widened to the territory around it."""
    larger = _LARGER.get(subject.kind)
    text = analysis.question.bare
    at = text.find(subject.phrase)
    before = text[:at].rstrip().rsplit(" ", 1)[-1].lower() if at > 0 else ""
    ends = at + len(subject.phrase)
    if (
        larger is None
        or before not in {"in", "of", "from", "for", "across", "throughout"}
        or text[ends : ends + 1] in {"'", "’"}
    ):
        return None
    follows = text[ends:].split()[:1]
    if follows and (is_chained(analysis) or follows[0].lower() not in FUNCTION_WORDS):
        return None
    if analysis.question.wh not in _OVER_TERRITORY or re.search(
        r"\b(?:year|date|month|day|first|only)\b", text.lower()
    ):
        return None
    return text[:at] + phrase(style, *larger).replace("{s}", subject.phrase) + text[ends:]


@recipe("granularity.nation_from_place")
def nation_from_place(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the whole nation where the passages speak of one place or body in it."""
    subject = find_subject(analysis)
    if subject is None or subject.kind not in _IN_A_COUNTRY or not subject.is_named:
        return Declined(DeclineReason.NO_TOPIC, "the subject is no place or body within a country")
    nouns = kind_nouns(subject)
    question = _widened(analysis, subject, style)
    if question is None and subject.noun in _COUNTABLE_IN_A_NATION:
        country = phrase(
            style, f"in the whole country that {subject.phrase} belongs to", f"nationwide, judging by {subject.phrase}"
        )
        question = f"how many {nouns} are there {country}"
    if question is None:
        return Declined(DeclineReason.QUESTION_NOT_PARSED, "the place cannot be widened in the question")
    remarks = (
        "Only the local case of {p} is covered here, and nothing is laid down or counted for any larger territory",
        "The entry on {p} is a local one, and findings for a larger territory are not collected",
        "The entry is a local one, and findings for a larger territory are not collected",
    )
    return draft_of(
        analysis, question, subject, remarks, rng, "A larger territory is asked about, one place is described."
    )
