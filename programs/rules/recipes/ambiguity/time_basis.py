"""MEDIUM in context: a date or a figure stands on two time bases, and the question names neither."""

import random
import re

from demur.programs.rules.edits.spoken_fact import spoken_fact
from demur.programs.rules.edits.style import Style, pick
from demur.programs.rules.recipes.ambiguity.material import in_bearing_passages, rivalry
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.rules.subjects.find import find_subject
from demur.programs.rules.subjects.kinds import SubjectKind
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.answers import AnswerType, answer_date
from demur.programs.text.dates import DateMention, DatePrecision, moved
from demur.programs.text.lexicon import verb_lemma, word_set


@recipe("ambiguity.unstated_time_basis")
def unstated_time_basis(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """State the asked date or figure on two time bases that are in equal use."""
    date = answer_date(analysis.answer)
    if date is not None and analysis.answer_type is AnswerType.DATE:
        added = _date_bases(date, analysis)
        if added is None:
            return Declined(DeclineReason.ANSWER_TYPE, "there is no second basis for such a date")
        step = {DatePrecision.DAY: {"days": 1}, DatePrecision.MONTH: {"months": 1}}.get(date.precision, {"years": 1})
        if added == _CALENDARS:
            step = {"days": next(days for until, days in _DAYS_APART if (date.year or 0) < until)}
        value = moved(date, **step)
        noun = "date" if date.precision is DatePrecision.DAY else date.precision.value
    elif _kept_by_year(analysis):
        made = rivalry(analysis, rng)
        if isinstance(made, Declined):
            return made
        value, noun, added = made.value, "figure", ("calendar year", "fiscal year")
    else:
        return Declined(DeclineReason.ANSWER_TYPE, analysis.answer_type)
    fact = spoken_fact(analysis)
    if fact is None:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    first, second = added if rng.random() < 0.5 else added[::-1]
    given, other = fact.state(analysis.answer), fact.state(value)
    if len(given.split()) > _LONGEST:
        return Declined(DeclineReason.QUESTION_NOT_PARSED, "the statement would be too long to repeat")
    remark = pick(
        style,
        rng,
        (
            f"By {first}, {given}; by {second}, {other}. Both ways of counting are in use.",
            f"Two ways of counting are in use: by {first}, {given}, and by {second}, {other}.",
        ),
        (
            f"The {noun} is given on two bases that are equally usual: by {first}, {given}, and by {second}, {other}.",
            f"Sources go by two bases, both of them usual: by {first}, {given}; by {second}, {other}.",
        ),
    )

    def edit(passage: PassageAnalysis) -> str | None:
        sentence = passage.answer_sentences[-1] if passage.answer_sentences else None
        if sentence is None:
            return None
        end = sentence.span.end
        return f"{passage.text[:end]} {remark}{passage.text[end:]}"

    return in_bearing_passages(analysis, edit, f"The {noun} now stands on two time bases, and the question names none.")


_UNCOUNTED = re.compile(r"\b(?:year|week|day|hour|minute|month|season|m|km|ft|feet|miles|inch\w*)s?\b|-old|\bago\b")
_BUSINESS = word_set(
    "open close establish introduce found release begin adopt acquire approve build launch dissolve add make"
)
_YEARLY = re.compile(
    r"\b(?:revenues?|sales|sells?|employ\w*|members?|students?|passengers?|visitors?|cases|budget|stores|customers|"
    r"subscribers?|profits?|earn\w*|makes?|produces?|flights|patients)\b",
    re.IGNORECASE,
)
_LONGEST = 16
_TIMED = word_set(
    "release come air land launch begin end start happen occur premiere hold take play open crash explode"
)
_CALENDARS = ("the old calendar", "the new calendar")
_REFORM = 1583
_DAYS_APART = ((1700, 10), (1800, 11), (1900, 12), (1918, 13))
"""Before which year the old calendar is how many days from the new."""
_BOOKKEEPERS = (
    SubjectKind.COMPANY,
    SubjectKind.INSTITUTION,
    SubjectKind.BUILDING,
    SubjectKind.PRODUCT,
    SubjectKind.TEAM,
)
_RECORDED = 1900
"""Nobody keeps fiscal years or universal time for events before this year."""


def _kind_asked_about(analysis: Analysis) -> SubjectKind | None:
    """Return the kind of what the question is about, None where it is about nothing known."""
    subject = find_subject(analysis)
    return subject.kind if subject is not None else None


def _kept_by_year(analysis: Analysis) -> bool:
    """Say whether the figure asked for is one that offices count anew every year: a sum, a share, a present number."""
    if analysis.answer_type is AnswerType.MONEY:
        return _YEARLY.search(analysis.question.text) is not None
    present = analysis.question.auxiliary not in {"did", "was", "were"} and analysis.question.verb not in {"died"}
    counted = _YEARLY.search(analysis.question.text) is not None
    old = re.search(r"\b1[0-8]\d\d\b", analysis.question.text) is not None
    return (
        analysis.answer_type is AnswerType.NUMBER
        and present
        and counted
        and not old
        and not (_UNCOUNTED.search(analysis.answer))
    )


def _date_bases(date: DateMention, analysis: Analysis) -> tuple[str, str] | None:
    """Return two time bases on which a date of this precision can differ, None where there is no usual pair."""
    verb = analysis.question.verb
    lemma = verb_lemma(verb.lower()) if verb else None
    asked = analysis.question.text.lower()
    if date.precision is DatePrecision.DAY and date.year and _REFORM <= date.year < _DAYS_APART[-1][0]:
        return _CALENDARS
    if (date.year or _RECORDED) < _RECORDED:
        return None
    if date.precision is DatePrecision.DAY and (lemma in _TIMED or re.search(r"\b(?:end|start|final)\b", asked)):
        return "local time", "coordinated universal time"
    if date.precision is DatePrecision.YEAR and lemma in _BUSINESS and _kind_asked_about(analysis) in _BOOKKEEPERS:
        return "calendar year", "fiscal year"
    return None
