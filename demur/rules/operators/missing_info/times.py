"""MEDIUM: the phrase of time that answers goes, wherever it stands."""

import re

from demur.rules.edits.answer_phrases import Phrase, answer_phrases
from demur.rules.edits.text import excise
from demur.rules.operators.missing_info.cutting import everywhere
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, operator
from demur.text.analysis import PassageAnalysis
from demur.text.answers import AnswerType
from demur.text.lexicon import PREPOSITIONS, can_be
from demur.text.spans import Span

_TIME_LEAD = re.compile(
    r"(?:\(|(?:^|(?<=\s))(?:(?:early|late|mid|around|about|circa|as) ?){0,2}"
    r"(?:in|on|by|since|during|until|before|after|from|around|for|of|at)"
    r"(?: (?:the|early|late|mid|around|about|year|summer|winter|fall|spring|of|c\.))*) ?$",
    re.IGNORECASE,
)
_TIME_ASKED = re.compile(
    r"\b(?:when|(?:what|which) (?:\w+ )?(?:time|year|date|month|day|century|decade|season)|year|date)\b", re.IGNORECASE
)
_WORKED_OUT = re.compile(r"\b(?:at|aged?|at the age of) \d{1,2}\b", re.IGNORECASE)


_DATED_BY = re.compile(r"\b(?:during|before|after|when|while|since|until)\b", re.IGNORECASE)
"""Words by which an event is dated by another one."""


@operator("missing_info.missing_temporal_adjunct")
def missing_temporal_adjunct(pull: Pull) -> Draft | Declined:
    """Delete the phrase of time that answers a question for a date."""
    analysis = pull.analysis
    if analysis.answer_type is not AnswerType.DATE:
        return Declined(DeclineReason.ANSWER_TYPE, analysis.answer_type)
    if not _TIME_ASKED.search(analysis.question.text):
        return Declined(DeclineReason.QUESTION_NOT_PARSED, "the question does not ask when")
    stated = [s.text for p in analysis.answering for s in p.answer_sentences]
    if any(len(_WORKED_OUT.findall(p.text)) > 1 for p in analysis.answering) or any(map(_DATED_BY.search, stated)):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "ages in the text may allow the date to be worked out")

    def edit(passage: PassageAnalysis) -> str | None:
        text = passage.text
        for found in reversed(answer_phrases(passage)):
            span = _time_phrase(text, found)
            if span is None:
                return None
            text = excise(text, span)
        return text

    return everywhere(pull, edit, "The phrase of time that answers was deleted.")


def _time_phrase(text: str, found: Phrase) -> Span | None:
    """Return the span of the whole phrase of time, or of a bare date that describes a noun; None if neither."""
    start = found.span.start
    end = found.span.end
    after = text[end : end + 1]
    if after == " " and found.after is not None and _describes(found):
        return Span(start, end + 1)
    lead = _TIME_LEAD.search(text[:start])
    if lead and lead.group().startswith("("):
        return Span(lead.start(), end + 1) if after == ")" else None
    if found.text.split()[0].lower() in PREPOSITIONS | {"between"}:
        begin = start
    elif lead is None:
        return None
    else:
        begin = lead.start()
    joined = found.after is not None and found.after.norm in {"to", "and", "through"}
    if after in {"-", "–"} or joined or (lead is not None and lead.group().strip().lower() == "of"):
        return None
    opens = not text[:begin].strip() or text[:begin].rstrip()[-1:] in ".!?"
    conjoined = re.search(r"\b(?:and|but|that|which) $", text[:begin]) is not None
    if opens or conjoined:
        return Span(begin, end + (2 if after == "," and conjoined else 1 if after == "," else 0))
    if text[:begin].endswith(", ") and after == ",":
        return Span(begin - 2, end)
    if after == "," and re.search(r", \d{4}$", found.text):  # the comma belongs to the year: 'on May 3, 2005, through'
        return Span(begin, end + 1)
    return Span(begin, end)


def _describes(found: Phrase) -> bool:
    """Return whether a date stands before the noun that it describes ('the 1996 General Conference')."""
    after = found.after
    if after is None or not after.is_word:
        return False
    led = found.before is not None and found.before.norm in {"the", "a", "an", "its", "his", "her", "their"}
    noun = after.is_capitalised or can_be(after.norm, "NOUN") or can_be(after.norm, "ADJ")
    return noun and after.norm not in PREPOSITIONS and (led or "century" in found.text.lower())
