"""MEDIUM: opinion, forecast, supposition or norm is asked for, where the passages hold facts."""

import random
import re

from demur.programs.rules.edits.remarks import ask
from demur.programs.rules.edits.style import Style, phrase
from demur.programs.rules.recipes.epistemic import wording
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.rules.subjects import (
    WORKS,
    Aspect,
    Subject,
    SubjectKind,
    aspect_of,
    counted,
    doing_of,
    find_subject,
    has_kind,
    is_gone,
    kind_noun,
    kind_nouns,
    passage_subject,
)
from demur.programs.text.analysis import Analysis
from demur.programs.text.answers import AnswerType
from demur.programs.text.quantities import NumberKind

_NOTE = "The passages are untouched; they state facts, from which no such verdict, forecast or supposition follows."
_UNKNOWN = Declined(DeclineReason.NO_TOPIC)


def _draft(analysis: Analysis, question: str, reasoning: str) -> Draft:
    return Draft(ask(analysis, question), reasoning=reasoning, answer_note=_NOTE)


def _kind(subject: Subject) -> SubjectKind:
    """Return the kind whose words fit; people in the plural ('researchers') are spoken of like any matter."""
    return SubjectKind.THING if subject.plural and subject.kind is SubjectKind.PERSON else subject.kind


def _present(analysis: Analysis) -> Subject | None:
    """Return the subject unless the passages speak of it as of something that is no more."""
    subject = find_subject(analysis)
    lasting = subject is not None and (subject.kind in WORKS or subject.kind is SubjectKind.PERSON)
    return subject if subject is not None and (lasting or not is_gone(subject, analysis.signal)) else None


_GONE = Declined(DeclineReason.NO_TOPIC, "no subject, or one that is no more")


def _told_of(template: str, subject: Subject) -> str:
    said = template.replace("{s}", subject.phrase).replace("{n}", kind_noun(subject))
    if subject.plural:
        said = said.replace(f"is {subject.phrase} ", f"are {subject.phrase} ")
    return said


@recipe("epistemic.expensive")
def expensive(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask whether a sum that the passages mention is a high or a fair one."""
    subject = find_subject(analysis)
    if subject is None:
        return _UNKNOWN
    sums = ((p, n) for p in analysis.signal for n in p.numbers if n.kind is NumberKind.MONEY)
    about = re.compile(re.escape(subject.name.removeprefix("the ").removeprefix("The ")), re.IGNORECASE)
    found = next(((p, n) for p, n in sums if about.search(f"{passage_subject(p)} {p.sentence_at(n.span).text}")), None)
    if found is None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "no sentence on the subject mentions a sum of money")
    amount = found[1].whole.of(found[0].text)
    question = phrase(
        style,
        f"is {amount} a lot of money when it comes to {subject.phrase}",
        f"would you call the {amount} mentioned in connection with {subject.phrase} too much, too little or just right",
    )
    return _draft(analysis, question, "A price is to be called high or fair, and no standard is given.")


@recipe("epistemic.good_investment")
def good_investment(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask whether the subject would be a good investment."""
    subject = _present(analysis)
    templates = wording.INVESTMENT.get(_kind(subject)) if subject else None
    if subject is None or templates is None:
        return _GONE
    return _draft(analysis, _told_of(rng.choice(templates), subject), "A verdict on an investment is asked for.")


@recipe("epistemic.next_quarter")
def next_quarter(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for sales or visitors in the coming quarter."""
    subject = _present(analysis)
    template = wording.NEXT_QUARTER.get(_kind(subject)) if subject else None
    if subject is None or template is None:
        return _GONE
    return _draft(analysis, _told_of(template, subject), "Future sales are asked for, only the past is told.")


@recipe("epistemic.ethical_stance")
def ethical_stance(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask whether something reported as a fact is morally right."""
    subject, doing = find_subject(analysis), doing_of(analysis)
    if subject is None:
        return _UNKNOWN
    template = wording.ETHICS.get(_kind(subject), wording.ETHICS[SubjectKind.THING])
    if subject.kind is SubjectKind.EVENT and doing is not None and analysis.answer_type is AnswerType.PERSON:
        template = f"was it morally right to {doing.infinitive}"
    return _draft(analysis, _told_of(template, subject), "A moral verdict is asked for, facts are told.")


@recipe("epistemic.taste")
def taste(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask whether the subject looks, sounds or reads well."""
    subject = _present(analysis)
    templates = wording.TASTE.get(_kind(subject)) if subject else None
    if subject is None or templates is None:
        return _GONE
    return _draft(analysis, _told_of(rng.choice(templates), subject), "A judgement of taste is asked for.")


@recipe("epistemic.should")
def should(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask what ought to be done about the subject."""
    subject = find_subject(analysis)
    if subject is None:
        return _UNKNOWN
    kind = _kind(subject) if _present(analysis) else SubjectKind.THING
    return _draft(analysis, _told_of(rng.choice(wording.SHOULD[kind]), subject), "A norm is asked for, facts are told.")


@recipe("epistemic.quality_ranking")
def quality_ranking(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask where the subject stands in an order of quality among its like."""
    subject = find_subject(analysis)
    if (
        subject is None
        or not has_kind(subject)
        or subject.kind in (SubjectKind.BODY, SubjectKind.ORGANISM, SubjectKind.THING)
    ):
        return _UNKNOWN
    nouns = (
        kind_nouns(subject) if subject.noun or subject.kind is not SubjectKind.PERSON else "people of the same calling"
    )
    question = phrase(
        style,
        f"how good is {subject.phrase} compared with other {nouns}",
        f"which place does {subject.phrase} deserve in a ranking of the best {nouns} of all time",
    )
    return _draft(analysis, question, "An order of quality is asked for, no benchmark is given.")


@recipe("epistemic.short_counterfactual")
def short_counterfactual(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask what would have happened if the fact behind the question had been otherwise."""
    subject, doing = find_subject(analysis), doing_of(analysis)
    person = analysis.answer_type in (AnswerType.PERSON, AnswerType.LIST, AnswerType.TITLE, AnswerType.ORGANISATION)
    if doing is not None and person:
        question = phrase(
            style,
            f"what would be different today if someone else had {doing.participle}",
            f"how would things have turned out if someone else had {doing.participle}",
        )
        return _draft(analysis, question, "The fact behind the question is supposed to be otherwise.")
    if subject is None:
        return _UNKNOWN
    otherwise = _otherwise(analysis, subject)
    if otherwise is None:
        return Declined(DeclineReason.QUESTION_NOT_PARSED, "the fact asked for can't be supposed to be otherwise")
    question = phrase(
        style, f"what would have happened if {otherwise}", f"how would things have turned out if {otherwise}"
    )
    return _draft(analysis, _told_of(question, subject), "The subject is supposed to have been otherwise.")


def _otherwise(analysis: Analysis, subject: Subject) -> str | None:
    """Return how the very fact that is asked for might have been otherwise, None where that can't be put safely."""
    aspect = aspect_of(analysis, subject)
    if subject.kind in (SubjectKind.EVENT, SubjectKind.CONTEST) and aspect in (Aspect.TIME, Aspect.LOCATION):
        other = "a hundred years earlier" if aspect is Aspect.TIME else "somewhere else"
        return None if subject.noun in {"period", "era"} else f"{subject.phrase} had taken place {other}"
    template = wording.OTHERWISE.get(aspect)
    if template is None or (aspect is Aspect.WINNING and subject.kind is not SubjectKind.CONTEST):
        return None
    return template.replace("{c}", counted(analysis) or "").replace("{s}", subject.phrase)


@recipe("epistemic.probability")
def probability(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the probability of an open event that concerns the subject."""
    subject = find_subject(analysis)
    if subject is None:
        return _UNKNOWN
    kind = _kind(subject) if _present(analysis) else SubjectKind.THING
    template = wording.PROBABILITY.get(kind, wording.PROBABILITY[SubjectKind.THING])
    opener = phrase(
        style, "how likely is it that", rng.choice(("what is the probability that", "what are the odds that"))
    )
    return _draft(
        analysis, f"{opener} {_told_of(template, subject)}", "A probability is asked for, no frequencies are given."
    )


@recipe("epistemic.forecast")
def forecast(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask how the subject will develop over the coming years."""
    subject = find_subject(analysis)
    if subject is None:
        return _UNKNOWN
    if _kind(subject) in (SubjectKind.THING, SubjectKind.EVENT) or _present(analysis) is None:
        template = wording.FUTURE_OF_THING
    else:
        template = wording.FUTURE.get(subject.kind, wording.FUTURE_OF_ALL)
    return _draft(analysis, _told_of(template, subject), "A forecast is asked for.")


@recipe("epistemic.recommendation")
def recommendation(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for a personal recommendation about the subject."""
    subject = find_subject(analysis)
    if subject is None:
        return _UNKNOWN
    kind = _kind(subject) if _present(analysis) else SubjectKind.THING
    worth = _told_of(wording.RECOMMENDED[kind], subject)
    question = phrase(style, worth, f"what would you advise me, {worth}")
    return _draft(analysis, question, "Advice is asked for, the passages are a neutral record.")


@recipe("epistemic.mood")
def mood(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask which feeling fits the subject."""
    subject = find_subject(analysis)
    if subject is None:
        return _UNKNOWN
    feeling, other = rng.choice(
        (("sad", "happy"), ("inspiring", "depressing"), ("amusing", "annoying"), ("touching", "boring"))
    )
    question = phrase(
        style,
        f"is it more {feeling} or more {other} to think about {subject.phrase}",
        f"how ought one to feel about {subject.phrase}, rather {feeling} or rather {other}"
        if feeling in {"sad"}
        else f"would you call the thought of {subject.phrase} rather {feeling} or rather {other}",
    )
    return _draft(analysis, question, "A feeling is asked for, the record is neutral.")
