"""Words for what is not said: general descriptions, pointers to notes, amounts withheld, indirect questions."""

import re

from programs.rules.analysis.analysis import Analysis
from programs.rules.analysis.answers import AnswerType
from programs.rules.analysis.dates import DatePrecision, find_dates
from programs.rules.analysis.lexicon import SCALE_WORDS, verb_lemma, word_set
from programs.rules.analysis.questions import WhWord
from programs.rules.edits.casing import recase
from programs.rules.edits.grammar import is_plural
from programs.rules.edits.statements import state_clause

_ROLE_OF_VERB: dict[str, str] = {
    "play": "performer", "sing": "singer", "write": "writer", "compose": "composer", "direct": "director",
    "invent": "inventor", "discover": "discoverer", "found": "founder", "win": "winner", "paint": "painter",
    "lead": "leader", "create": "creator", "design": "designer", "voice": "voice actor", "coach": "coach",
    "produce": "producer", "own": "owner", "conduct": "conductor", "perform": "performer", "star": "performer",
    "record": "musician", "build": "builder", "start": "founder", "host": "host", "portray": "performer",
}  # fmt: skip
_KINDS = {
    AnswerType.PERSON: "person",
    AnswerType.PLACE: "place",
    AnswerType.ORGANISATION: "organisation",
    AnswerType.TITLE: "work",
    AnswerType.DATE: "date",
    AnswerType.NUMBER: "number",
    AnswerType.MONEY: "amount",
    AnswerType.LIST: "entry",
    AnswerType.OTHER: "entry",
}
_LABELS = {
    AnswerType.PERSON: "Name",
    AnswerType.PLACE: "Place",
    AnswerType.ORGANISATION: "Body",
    AnswerType.TITLE: "Title",
    AnswerType.DATE: "Date",
    AnswerType.NUMBER: "Figure",
    AnswerType.MONEY: "Amount",
}
_FOCUS_NOUNS = word_set(
    "actor actress singer author writer director player film movie song book novel album show series band team city "
    "country state county town region place river lake island street school university college company organisation "
    "organization party language museum building instrument character animal title award league club church tribe "
    "continent province village magazine newspaper currency hotel airport stadium"
)
NAMED = (AnswerType.PERSON, AnswerType.PLACE, AnswerType.ORGANISATION, AnswerType.TITLE)
"""Types of answer that are proper names."""
_NUMBER_WORDS = frozenset(SCALE_WORDS) | {
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "twenty",
    "about", "around", "over", "more", "than", "nearly", "approximately", "additional", "times",
    "estimated", "countries",
}  # fmt: skip
GAP = "Qzxv"
"""Stands for the value in a statement that `with_gap` returns."""


def asked_type(analysis: Analysis) -> AnswerType:
    """Return the type of the answer with the question word heard: who asks for a person, small letters name nothing."""
    kind, answer = analysis.answer_type, analysis.answer
    named = answer[:1].isupper() or answer[:4] == "the " and answer[4:5].isupper()
    if analysis.question.wh is WhWord.WHO and kind in (AnswerType.PLACE, AnswerType.OTHER, AnswerType.TITLE) and named:
        return AnswerType.PERSON
    if kind in (AnswerType.PERSON, AnswerType.PLACE, AnswerType.ORGANISATION) and not named:
        return AnswerType.OTHER
    return kind


def kind_noun(analysis: Analysis) -> str:
    """Return a plain noun for what is asked: 'city' for which city, 'singer' for who sings, else the type's."""
    question = analysis.question
    if question.focus:
        words = [w.strip(",'\"").lower() for w in re.split(r" of | in | from | for ", question.focus)[0].split()]
        for word in reversed(words):
            if word in _FOCUS_NOUNS:
                return str(word)
    kind = asked_type(analysis)
    if kind is AnswerType.PERSON:
        subject = question.auxiliary is None and question.verb is not None
        lemma = verb_lemma(question.verb.lower()) if subject and question.verb else None
        return _ROLE_OF_VERB.get(lemma or "", "person")
    if kind is AnswerType.DATE:
        return date_noun(analysis.answer)
    return _KINDS.get(kind, "entry")


def date_noun(text: str) -> str:
    """Return 'year', 'date', 'month', 'decade', 'century' or 'season' for how precisely a date is written."""
    dates = find_dates(text)
    if len(dates) != 1:
        return "period" if dates else "date"
    return {
        DatePrecision.DAY: "date",
        DatePrecision.MONTH_DAY: "date",
        DatePrecision.MONTH: "month",
        DatePrecision.YEAR: "year",
        DatePrecision.SEASON: "season",
        DatePrecision.DECADE: "decade",
        DatePrecision.CENTURY: "century",
    }[dates[0].precision]


def column_label(analysis: Analysis) -> str:
    """Return the heading of the table column in which the answer would stand."""
    noun = kind_noun(analysis)
    if noun in _FOCUS_NOUNS or asked_type(analysis) is AnswerType.DATE:
        return noun.capitalize()
    return _LABELS.get(asked_type(analysis), "Details")


def with_gap(analysis: Analysis) -> str | None:
    """Return the statement of the asked fact with a marked gap for the value, None where it can't be phrased."""
    question = analysis.question
    owned = re.search(r"['’]s (\w+)", question.body)
    if question.auxiliary in {"do", "does", "did"} and owned and owned[1] == question.verb:
        return None
    value = "1900" if question.wh is WhWord.WHEN else GAP
    clause = state_clause(analysis, value)
    if clause is None and question.focus:
        value = "1900"
        clause = state_clause(analysis, value)
    return clause.replace(value, GAP) if clause else None


def indirect_question(analysis: Analysis) -> str | None:
    """Return the question as a clause that can be a subject: 'when the house was opened', 'who plays Poppy'."""
    question = analysis.question
    if question.wh in (WhWord.NONE, WhWord.YES_NO) or not question.fronted or "," in question.bare:
        return None
    if question.auxiliary is None:
        made = recase(question.bare, analysis) if question.verb else None
        return _small(made) if made else None
    gapped = with_gap(analysis)
    if gapped is None or question.wh_span is None:
        return None
    if question.focus:
        gapped = re.sub(rf"{GAP} {re.escape(recase(question.focus, analysis))}\b", GAP, gapped)
    rest = re.sub(rf"\s*\b(?:(?:in|on|at) )?{GAP}\b", "", gapped, count=1).strip()
    focus = f" {recase(question.focus, analysis)}" if question.focus else ""
    opening = question.wh_span.of(question.text).lower()
    if GAP in rest or not rest:
        return None
    return f"{opening}{focus} {rest}"


def _small(text: str) -> str:
    return text[:1].lower() + text[1:]


def pointer(analysis: Analysis, text: str, note: str) -> str:
    """Return a noun phrase that points to a note instead of giving the answer: 'the year given in note 3'."""
    if find_dates(text):
        return f"the {date_noun(text)} given in {note}"
    noun = kind_noun(analysis)
    if noun == "entry":
        return f"what is listed in {note}"
    return f"the {noun} {'named' if asked_type(analysis) in NAMED else 'given'} in {note}"


_TIMES = re.compile(r"\b(?:second|minute|hour|day|week|month|year|decade|centur)(?:s|y|ies)?\b")
_LENGTHS = re.compile(
    r"\b(?:m|cm|mm|km|ft|in|metres?|meters?|feet|foot|inch(?:es)?|miles?|kilomet(?:re|er)s?|yards?)\b"
)
_PEOPLE_LEFT = re.compile(r"[a-z]{3,}")


def withheld_amount(analysis: Analysis, text: str, counted: bool) -> str | None:
    """Return words for an amount that is not given, None for one that describes a noun ('17-year-old').

    `counted` says that the thing counted follows: 'an unstated number of'.
    """
    lowered = text.lower()
    if "-" in lowered and re.search(r"\d-[a-z]", lowered):
        return None
    if "%" in text or "percent" in lowered or "per cent" in lowered:
        return "an unstated share"
    if lowered.endswith(" ago"):
        return "at an unstated time"
    if analysis.answer_type is AnswerType.MONEY or re.search(r"[$£€]|dollars|pounds|euros", lowered):
        return "an undisclosed amount"
    if _TIMES.search(lowered):
        return "an unstated time"
    if _LENGTHS.search(lowered):
        return "an unstated length"
    left = [w for w in _PEOPLE_LEFT.findall(lowered) if w not in _NUMBER_WORDS]
    if left and is_plural(left[-1]):
        return f"an unstated number of {left[-1]}"
    return "an unstated number of" if counted else "an unstated number"
