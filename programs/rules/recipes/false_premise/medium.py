"""MEDIUM: the question rests on another value than the passages give, or on a change that they do not know."""

import random
import re

from demur.programs.rules.edits.rival_values import is_personal, rival_value, spoken_answer
from demur.programs.rules.edits.style import Style, phrase
from demur.programs.rules.recipes.false_premise.phrasing import WORK_WORDS, asking, fact_of, gerund
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.text.analysis import Analysis
from demur.programs.text.answers import AnswerType, answer_date
from demur.programs.text.asked_fact import AskedFact, FactKind, Role
from demur.programs.text.dates import DatePrecision, find_dates
from demur.programs.text.families import CITIES
from demur.programs.text.lexicon import PLACES, is_known, word_set
from demur.programs.text.questions import WhWord

NOTE = "The passages are untouched and contradict or do not know what the question now depends on."
_LASTING = word_set(
    "plays played sings sang leads led runs ran owns owned hosts hosted teaches taught lives lived works worked makes "
    "made grows grew presides presided performs performed stars starred voices voiced uses used governs governed rules "
    "ruled acts acted coaches coached directs directed produces produced writes wrote presents presented sponsors "
    "sponsored"
)
_TAKES_TURNS = re.compile(
    r"\b(?:capital|captain|president|director|leader|king|queen|governor|mayor|head|chair\w*|secretary|coach|judge|"
    r"speaker|minister|chief|manager|editor|officer|ambassador|host|sponsor|owner|champion|currency|anthem|seat|"
    r"largest|biggest|tallest|longest|oldest|most \w+|language|spouse|wife|husband|girlfriend|boyfriend)\b",
    re.IGNORECASE,
)
"""Heads of descriptions that now one fits and now another."""
_ORDERED = re.compile(
    r"\b(?:first|second|third|last|final|original\w*|current|once|only|start\w*|begin|began)\b", re.IGNORECASE
)


def presumed(analysis: Analysis, fact: AskedFact, rng: random.Random) -> str:
    """Return a statement about the asked fact that the passages contradict."""
    rival = rival_value(analysis, fact, rng)
    if rival is not None and (_PART_OF_NAME.search(analysis.question.bare) or _is_odd_title(analysis, rival)):
        rival = None
    answer = spoken_answer(analysis)
    if _BOUND.match(answer):  # another bound need not contradict it
        rival = None
        answer = min((a for a in analysis.base.answers if _BOUND.match(a)), key=len)
    if rival is None:
        return fact.deny(answer)
    if fact.choices is None and analysis.answer_type is AnswerType.OTHER and not is_personal(analysis):
        common = rival.isalpha() and is_known(rival.lower()) and rival.lower() not in PLACES
        rival = rival.lower() if common else rival  # the answer may have its capital from heading a sentence
    said = fact.state(rival)
    if fact.choices is not None and _COMPARATIVE.search(said):
        said = f"{said} than {next(c for c in fact.choices if c != rival)}"
    return said


_BOUND = re.compile(
    r"(?:more than|less than|fewer than|over|under|at least|at most|up to|nearly|almost)\b", re.IGNORECASE
)
_COMPARATIVE = re.compile(
    r"\b(?:younger|older|taller|larger|bigger|smaller|longer|shorter|higher|earlier|later|closer)$"
)


_PART_OF_NAME = re.compile(r"\b(?:first|last|middle|given|family|maiden) name\b")


def _is_odd_title(analysis: Analysis, rival: str) -> bool:
    """Say whether an invented title would answer a question that is about no work."""
    asks_work = WORK_WORDS & {t.norm for t in analysis.question.tokens} or analysis.answer_type is AnswerType.TITLE
    return re.fullmatch(r"The [A-Z]\w+ [A-Z]\w+", rival) is not None and not asks_work


@recipe("false_premise.factive_verb_contradiction")
def factive_verb_contradiction(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask who realised, or when, what the passages contradict."""
    fact = fact_of(analysis)
    if fact is None:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    ask = rng.choice(
        (
            phrase(style, "who first realised that", "who was the first to realise that"),
            phrase(style, "when did it come to light that", "in which year did it first come to light that"),
            phrase(style, "who first noticed that", "who was the first person to notice that"),
        )
    )
    return asking(analysis, f"{ask} {presumed(analysis, fact, rng)}", "A factive verb embeds a false statement.", NOTE)


@recipe("false_premise.wrong_value_presumed")
def wrong_value_presumed(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for more about a value that the passages contradict."""
    fact = fact_of(analysis)
    if fact is None:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    reasoning = "A wrong value is presupposed and something further is asked about it."
    finer = _finer_date(analysis, fact, rng)
    if finer is not None:
        return asking(analysis, finer, reasoning, NOTE)
    was = "was" if fact.past else "is"
    ask = phrase(style, f"why {was} it that", "how did it come about that")
    false = presumed(analysis, fact, rng)
    if _DENIAL.match(false):
        return Declined(DeclineReason.ANSWER_TYPE, "there is no other value, and its denial would be no value")
    return asking(analysis, f"{ask} {false}", reasoning, NOTE)


_DENIAL = re.compile(r"it (?:is|was) not the case\b")


def _finer_date(analysis: Analysis, fact: AskedFact, rng: random.Random) -> str | None:
    """Return 'in which month of 1974 did ...' for a question that asks when."""
    question, answer = analysis.question, spoken_answer(analysis)
    if fact.role is not Role.WHEN or fact.kind is not FactKind.ADJUNCT or question.auxiliary is None:
        return None
    rival = rival_value(analysis, fact, rng)
    dates = find_dates(rival) if rival else ()
    if rival is None or len(dates) != 1 or answer_date(rival) is None:
        return None
    date = dates[0]
    opening = {
        DatePrecision.YEAR: f"in which month of {date.year}",
        DatePrecision.MONTH: f"on which day of {date.text}",
        DatePrecision.DAY: f"at what hour on {date.text}",
        DatePrecision.DECADE: f"in which year of the {date.text}",
        DatePrecision.CENTURY: f"in which decade of the {date.text}",
    }.get(date.precision)
    return f"{opening} {question.auxiliary} {question.body}" if opening and answer else None


@recipe("false_premise.impossible_geography")
def impossible_geography(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for a detail of the place within another place than the passages give."""
    question = analysis.question
    named = any(c.isupper() for c in spoken_answer(analysis))
    if (
        question.wh is not WhWord.WHERE
        or not named
        or question.auxiliary is None
        or question.body.endswith((" from", " to"))
    ):
        return Declined(DeclineReason.ANSWER_TYPE, "the question does not ask where something named is")
    text = " ".join(p.text for p in analysis.passages) + question.text
    city = rng.choice([c for c in CITIES if c not in text and c.lower() not in text])
    opening = phrase(style, f"in which part of {city}", f"in which quarter of the city of {city}")
    return asking(
        analysis, f"{opening} {question.auxiliary} {question.body}", f"The passages do not place it in {city}.", NOTE
    )


@recipe("false_premise.stopped_never_started")
def stopped_never_started(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask when somebody stopped what, by the passages, somebody else did."""
    fact = fact_of(analysis)
    if fact is None:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    rival = rival_value(analysis, fact, rng)
    if rival is None or fact.choices is not None:
        return Declined(DeclineReason.ANSWER_TYPE, "no other value of this kind can be made")
    ask = phrase(style, "when did", "at what point did")
    reasoning = "The stopping of something that never began is presupposed."
    doing = gerund(fact)
    if fact.kind is FactKind.SUBJECT and fact.verb in _LASTING and doing is not None and is_personal(analysis):
        return asking(analysis, f"{ask} {rival} stop {doing}", reasoning, NOTE)
    if fact.kind is FactKind.EQUATION and fact.role is Role.BARE and not fact.past and fact.before.endswith(" is"):
        subject = fact.before.removesuffix(" is")
        if not _TAKES_TURNS.search(subject.split(" of ")[0]):
            return Declined(DeclineReason.NO_SUITABLE_SPAN, "what is asked for does not change hands")
        in_person = is_personal(analysis) and not re.search(r"\b(?:name|title|character)\b", subject)
        stopped = f"{rival} stop being {subject}" if in_person else f"{subject} stop being {fact.fill(rival)}"
        return asking(analysis, f"{ask} {stopped}", reasoning, NOTE)
    return Declined(DeclineReason.NO_SUITABLE_SPAN, "the question asks for nothing that could go on and stop")


@recipe("false_premise.second_instance")
def second_instance(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for a second time or a second person, where the passages know one."""
    fact = fact_of(analysis)
    if fact is None:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    if not fact.past or _ORDERED.search(analysis.question.bare) or fact.choices is not None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "what is asked for is not one event that could be repeated")
    reasoning = "A second instance is presupposed; the passages know one."
    if fact.kind is FactKind.ADJUNCT and fact.role is Role.WHEN and not fact.before.endswith((" was", " were")):
        return asking(
            analysis,
            f"{analysis.question.bare} {phrase(style, 'for the second time', 'for the second and last time')}",
            reasoning,
            NOTE,
        )
    if fact.kind is FactKind.SUBJECT and is_personal(analysis) and " and " not in spoken_answer(analysis):
        after = phrase(
            style,
            f"the second person after {spoken_answer(analysis)}",
            f"the second person who, after {spoken_answer(analysis)},",
        )
        link = phrase(style, " who ", " ")
        return asking(analysis, f"who was {after}{link}{fact.after}", reasoning, NOTE)
    return Declined(DeclineReason.NO_SUITABLE_SPAN, "what is asked for is not one event that could be repeated")


@recipe("false_premise.phantom_correction")
def phantom_correction(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask about a correction of the asked statement that never took place."""
    fact = fact_of(analysis)
    if fact is None:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    stated = fact.state(spoken_answer(analysis))
    text = rng.choice(
        (
            phrase(
                style,
                f"when was the statement that {stated} withdrawn",
                f"on what date was the statement that {stated} officially withdrawn",
            ),
            phrase(
                style,
                f"who withdrew the statement that {stated}",
                f"who was it that officially withdrew the statement that {stated}",
            ),
        )
    )
    return asking(analysis, text, "A correction is presupposed that the passages do not know.", NOTE)
