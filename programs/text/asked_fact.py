"""The fact that a question asks for, as a statement with a gap for the answer.

'who played stumpy in the movie rio bravo' asks for '___ played Stumpy in the movie Rio Bravo'.
"""

import re
from dataclasses import replace
from functools import lru_cache

from demur.programs.instances import BaseInstance
from demur.programs.text.analysis import Analysis, analyse
from demur.programs.text.answers import AnswerType
from demur.programs.text.casing import restore_case
from demur.programs.text.clauses import clause_tokens
from demur.programs.text.fact_adjuncts import (
    TIME_FOCUS,
    read_adjunct,
    read_count,
    read_measure,
    read_pied_piped,
)
from demur.programs.text.fact_arguments import read_subject_or_object
from demur.programs.text.fact_unfronted import read_in_place, read_named, read_polar
from demur.programs.text.facts import AskedFact, FactKind, Role
from demur.programs.text.lexicon import AUXILIARIES, PREPOSITIONS, can_be, verb_tags
from demur.programs.text.questions import Question, WhWord, read_question

__all__ = ["AskedFact", "FactKind", "Role", "asked_fact"]

_PUNCTUATED = re.compile(r"[,:] (?P<a>(?:the |an? )?[A-Z\"“][^,?:]*?),? or (?P<b>(?:the |an? )?[A-Z\"“][^,?]*)$")
_EVENTS = re.compile(r" (?P<a>the [a-z]+ of .+?) or (?P<b>the [a-z]+ of .+)$")
_UNPUNCTUATED = re.compile(
    r" (?P<a>(?:the )?[A-Z\"“]\S*(?: (?:[A-Z\"“]|of |the |and )\S*)*) or (?P<b>(?:the )?[A-Z\"“][^,?]*)$"
)
_SECOND_QUESTION = re.compile(
    r"\band (?:how|what|when|where|who|why|which|in what)\b|\bwho (?:is|was) he\b|\w (?:where|when) (?:do|does|did)\b",
    re.IGNORECASE,
)


def asked_fact(analysis: Analysis) -> AskedFact | None:
    """Return the fact that the question asks for, None where the question cannot be turned round surely."""
    return _fact_of(analysis.base)


@lru_cache(maxsize=256)
def _fact_of(base: BaseInstance) -> AskedFact | None:
    analysis = analyse(base)
    text = restore_case(base.question, [p.text for p in analysis.signal or analysis.passages]).rstrip(" ?.")
    text = re.sub(r"\b([Tt]he) [Tt]he\b", r"\1", text)
    last = re.split(r"(?<=[a-z]{3}[.]) (?=[A-Z])", text)[-1]
    if _SECOND_QUESTION.search(last) or not last:
        return None
    choices, body = _choices(last)
    fact = _read(read_question(body), analysis)
    if fact is None or "?" in fact.before + fact.after or fact.role is Role.WHERE and _is_clause(analysis.answer):
        return None
    if _is_statement(analysis.answer):
        return None
    personal = fact.personal and analysis.answer_type in (AnswerType.PERSON, AnswerType.OTHER)
    return replace(fact, choices=choices, before=_lowered(fact.before), personal=personal)


def _is_clause(value: str) -> bool:
    first = clause_tokens(value)[:1]
    return bool(first) and first[0].norm not in PREPOSITIONS and bool(verb_tags(first[0].norm) & {"VBD", "VBN"})


def _is_statement(value: str) -> bool:
    """Return whether an answer is a clause of its own: 'high schools lost their accreditation'."""
    words = clause_tokens(value)
    if any(w.norm in AUXILIARIES - {"am"} and not w.is_capitalised for w in words[1:]):  # '4 May 1962' has no modal
        return True
    finite = [w for w in words[1:] if verb_tags(w.norm) & {"VBD"} and not w.is_capitalised]
    return any(
        not can_be(w.norm, "NOUN") and not can_be(w.norm, "ADJ") and "VBN" not in verb_tags(w.norm) for w in finite
    ) or bool(re.search(r"\b(?:lost|won|made|had|led|glowed) (?:the|their|his|her|even)\b", value))


def _lowered(text: str) -> str:
    first = text.split(" ", 1)[0]
    lower = first in {"The", "A", "An", "This", "In", "From", "If", "At", "On", "Both", "Notable"}
    return text[0].lower() + text[1:] if lower else text


def _choices(text: str) -> tuple[tuple[str, str] | None, str]:
    if not re.match(r"(?:who|which|what)\b", text, re.IGNORECASE):
        return None, text
    found = _PUNCTUATED.search(text) or _EVENTS.search(text) or _UNPUNCTUATED.search(text)
    return ((found["a"].strip(), found["b"].strip()), text[: found.start()].rstrip(" ,:")) if found else (None, text)


def _read(question: Question, analysis: Analysis) -> AskedFact | None:
    if question.wh is WhWord.YES_NO:
        return read_polar(question)
    if question.wh is WhWord.NONE:
        return read_named(question.text)
    if not question.fronted:
        return read_in_place(question, analysis)
    if question.wh in (WhWord.WHY, WhWord.WHOSE):
        return None
    if question.wh in (WhWord.WHEN, WhWord.WHERE):
        role = Role.WHEN if question.wh is WhWord.WHEN else Role.WHERE
        return read_adjunct(question, role, analysis, question.wh.value)
    if question.wh in (WhWord.HOW_MANY, WhWord.HOW_MUCH):
        return read_count(question)
    if question.wh in (WhWord.HOW_OLD, WhWord.HOW_LONG, WhWord.HOW):
        return read_measure(question)
    opening = question.text.split()[0].lower()
    if opening in PREPOSITIONS:
        return read_pied_piped(question, opening, analysis)
    if question.focus and TIME_FOCUS.match(question.focus) and question.auxiliary and len(question.focus.split()) == 1:
        return read_adjunct(question, Role.WHEN, analysis, f"in what {question.focus}")
    return read_subject_or_object(question)
