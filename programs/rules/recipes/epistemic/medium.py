"""MEDIUM: opinion, forecast, supposition or norm is asked for, where the passages hold facts."""

import random

from programs.rules.analysis.analysis import Analysis
from programs.rules.analysis.answers import AnswerType
from programs.rules.analysis.quantities import NumberKind
from programs.rules.analysis.questions import WhWord
from programs.rules.edits.remarks import ask
from programs.rules.edits.style import Style, phrase
from programs.rules.recipes.epistemic import wording
from programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from programs.rules.subjects import Subject, SubjectKind, doing_of, find_subject, has_kind, kind_noun, kind_nouns

_NOTE = "The passages are untouched; they state facts, from which no such verdict, forecast or supposition follows."
_UNKNOWN = Declined(DeclineReason.NO_TOPIC)


def _draft(analysis: Analysis, question: str, reasoning: str) -> Draft:
    return Draft(ask(analysis, question), reasoning=reasoning, answer_note=_NOTE)


def _told_of(template: str, subject: Subject) -> str:
    said = template.replace("{s}", subject.phrase).replace("{n}", kind_noun(subject))
    if subject.plural or subject.phrase.lower().startswith(("secondary ",)):
        said = said.replace(f"is {subject.phrase} ", f"are {subject.phrase} ")
    return said


@recipe("epistemic.expensive")
def expensive(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask whether a sum that the passages mention is a high or a fair one."""
    subject = find_subject(analysis)
    found = next(((p, n) for p in analysis.signal for n in p.numbers if n.kind is NumberKind.MONEY), None)
    if subject is None or found is None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the passages mention no sum of money")
    amount = found[1].whole.of(found[0].text)
    question = phrase(
        style,
        f"is {amount} too expensive in the case of {subject.phrase}",
        f"would you call the {amount} mentioned in connection with {subject.phrase} a fair amount of money",
    )
    return _draft(analysis, question, "A price is to be called high or fair, and no standard is given.")


@recipe("epistemic.good_investment")
def good_investment(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask whether the subject would be a good investment."""
    subject = find_subject(analysis)
    templates = wording.INVESTMENT.get(subject.kind) if subject else None
    if subject is None or templates is None:
        return _UNKNOWN
    return _draft(analysis, _told_of(rng.choice(templates), subject), "A verdict on an investment is asked for.")


@recipe("epistemic.next_quarter")
def next_quarter(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for sales or visitors in the coming quarter."""
    subject = find_subject(analysis)
    template = wording.NEXT_QUARTER.get(subject.kind) if subject else None
    if subject is None or template is None:
        return _UNKNOWN
    return _draft(analysis, _told_of(template, subject), "Future sales are asked for, only the past is told.")


@recipe("epistemic.ethical_stance")
def ethical_stance(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask whether something reported as a fact is morally right."""
    subject, doing = find_subject(analysis), doing_of(analysis)
    if subject is None:
        return _UNKNOWN
    template = wording.ETHICS.get(subject.kind)
    if template is None:
        template = phrase(style, "is it ethical to make money with {s}", "are the ways in which people deal with {s} ethical")
    if subject.kind is SubjectKind.EVENT and doing is not None and analysis.answer_type is AnswerType.PERSON:
        template = f"was it morally right to {doing.infinitive}"
    return _draft(analysis, _told_of(template, subject), "A moral verdict is asked for, facts are told.")


@recipe("epistemic.taste")
def taste(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask whether the subject looks, sounds or reads well."""
    subject = find_subject(analysis)
    templates = wording.TASTE.get(subject.kind) if subject else None
    if subject is None or templates is None:
        return _UNKNOWN
    return _draft(analysis, _told_of(rng.choice(templates), subject), "A judgement of taste is asked for.")


@recipe("epistemic.should")
def should(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask what ought to be done about the subject."""
    subject = find_subject(analysis)
    if subject is None:
        return _UNKNOWN
    return _draft(analysis, _told_of(rng.choice(wording.SHOULD[subject.kind]), subject), "A norm is asked for, facts are told.")


@recipe("epistemic.quality_ranking")
def quality_ranking(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask where the subject stands in an order of quality among its like."""
    subject = find_subject(analysis)
    if subject is None or not has_kind(subject) or subject.kind in (SubjectKind.BODY, SubjectKind.ORGANISM, SubjectKind.THING):
        return _UNKNOWN
    nouns = kind_nouns(subject)
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
    supposed, field = wording.NEVER_BEEN[subject.kind]
    later = {WhWord.WHEN: "a hundred years earlier than it did", WhWord.WHERE: "somewhere else"}.get(analysis.question.wh)
    if later is not None and subject.kind in (SubjectKind.EVENT, SubjectKind.CONTEST) and subject.noun != "period":
        question = f"what would have happened if {subject.phrase} had taken place {later.replace(' than it did', '')}"
    else:
        question = phrase(
            style,
            f"what would {field} be like today if {supposed}",
            f"how would {field} have developed if {supposed}",
        )
    return _draft(analysis, _told_of(question, subject), "The subject is supposed to have been otherwise.")


@recipe("epistemic.probability")
def probability(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the probability of an open event that concerns the subject."""
    subject = find_subject(analysis)
    template = wording.PROBABILITY.get(subject.kind, wording.PROBABILITY[SubjectKind.THING]) if subject else None
    if subject is None or template is None:
        return _UNKNOWN
    opener = phrase(style, "how likely is it that", rng.choice(("what is the probability that", "what are the odds that")))
    return _draft(analysis, f"{opener} {_told_of(template, subject)}", "A probability is asked for, no frequencies are given.")


@recipe("epistemic.forecast")
def forecast(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask how the subject will develop over the coming years."""
    subject = find_subject(analysis)
    if subject is None:
        return _UNKNOWN
    other = wording.FUTURE_OF_THING if subject.kind in (SubjectKind.THING, SubjectKind.EVENT) else wording.FUTURE_OF_ALL
    return _draft(analysis, _told_of(wording.FUTURE.get(subject.kind, other), subject), "A forecast is asked for.")


@recipe("epistemic.recommendation")
def recommendation(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for a personal recommendation about the subject."""
    subject = find_subject(analysis)
    if subject is None:
        return _UNKNOWN
    worth = _told_of(wording.RECOMMENDED[subject.kind], subject)
    head, _, rest = worth.partition(" ")
    turned = {"is": "is", "are": "are"}[head]
    question = worth if style is Style.TERSE else f"what would you advise me, {turned} {rest}"
    return _draft(analysis, question, "Advice is asked for, the passages are a neutral record.")


@recipe("epistemic.mood")
def mood(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask which feeling fits the subject."""
    subject = find_subject(analysis)
    if subject is None:
        return _UNKNOWN
    feeling, other = rng.choice((("sad", "happy"), ("inspiring", "depressing"), ("amusing", "annoying"), ("touching", "boring")))
    question = phrase(
        style,
        f"is it more {feeling} or more {other} to think about {subject.phrase}",
        f"how ought one to feel about {subject.phrase}, rather {feeling} or rather {other}"
        if feeling in {"sad"}
        else f"would you call the thought of {subject.phrase} rather {feeling} or rather {other}",
    )
    return _draft(analysis, question, "A feeling is asked for, the record is neutral.")
