"""MEDIUM: a phrase of time, place or agency goes, gives way to an empty circumstance, or is out of date."""

import random
import re

from demur.programs.rules.edits.answer_phrases import Phrase, answer_phrases
from demur.programs.rules.edits.answer_sentences import answer_indices, leaning, swap_sentences
from demur.programs.rules.edits.style import Style, phrase
from demur.programs.rules.edits.text import excise, replace_span
from demur.programs.rules.recipes.missing_info.everywhere import everywhere
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.rules.subjects import is_chained
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.answers import AnswerType
from demur.programs.text.lexicon import PREPOSITIONS, can_be
from demur.programs.text.questions import WhWord
from demur.programs.text.spans import Span

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
_BLURS = {
    "place": "under favourable conditions|in several stages|with some delay|in the usual manner|after long preparation|"
    "on a modest scale|in close cooperation with others",
    "time": "after long preparation|with some delay|in several stages|without much notice|on a modest scale",
    "agent": "with great care|to general approval|in close cooperation|with little outside help|under time pressure",
}
EARLIEST = 1995
"""A text that says of itself that it was last revised long before the web existed would not be believed."""
_CHANGES = re.compile(
    r"\b(?:current(?:ly)?|now|new|newest|latest|most|population|holds?|champions?|captain|coach|president|leader|chair|"
    r"largest|biggest|tallest|last time|how many|how long|next|ceo|head of|mayor|governor)\b"
)


@recipe("missing_info.missing_temporal_adjunct")
def missing_temporal_adjunct(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Delete the phrase of time that answers a question for a date."""
    if analysis.answer_type is not AnswerType.DATE:
        return Declined(DeclineReason.ANSWER_TYPE, analysis.answer_type)
    if not _TIME_ASKED.search(analysis.question.text):
        return Declined(DeclineReason.QUESTION_NOT_PARSED, "the question does not ask when")
    if any(len(_WORKED_OUT.findall(p.text)) > 1 for p in analysis.answering):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "ages in the text may allow the date to be worked out")

    def edit(passage: PassageAnalysis) -> str | None:
        text = passage.text
        for found in reversed(answer_phrases(passage)):
            span = _time_phrase(text, found)
            if span is None:
                return None
            text = excise(text, span)
        return text

    return everywhere(analysis, edit, "The phrase of time that answers was deleted.")


def _time_phrase(text: str, found: Phrase) -> Span | None:
    """Return the span of the whole phrase of time, or of a bare date that describes a noun; None if neither."""
    start, end = found.span.start, found.span.end
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
    """Say whether a date stands before the noun that it describes ('the 1996 General Conference')."""
    after = found.after
    if after is None or not after.is_word:
        return False
    led = found.before is not None and found.before.norm in {"the", "a", "an", "its", "his", "her", "their"}
    noun = after.is_capitalised or can_be(after.norm, "NOUN") or can_be(after.norm, "ADJ")
    return noun and after.norm not in PREPOSITIONS and (led or "century" in found.text.lower())


@recipe("missing_info.adjunct_complement_blur")
def adjunct_complement_blur(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Put a manner or a circumstance where the place, time or person asked for stood."""

    def edit(passage: PassageAnalysis) -> str | None:
        text, used = passage.text, set[str]()
        for found in reversed(answer_phrases(passage)):
            kind, start = _blurred_as(analysis, found)
            if kind is None or not _replaceable(text, found, start):
                return None
            choices = [b for b in _BLURS[kind].split("|") if b not in used]
            if not choices:
                return None
            blur = rng.choice(choices)
            used.add(blur)
            text = replace_span(text, Span(start, found.span.end), blur)
        return text

    return everywhere(analysis, edit, "A circumstance stands where the value asked for stood.")


def _replaceable(text: str, found: Phrase, start: int) -> bool:
    """Say whether the phrase from `start` on is a whole adjunct inside a sentence."""
    opens = not text[:start].strip() or text[:start].rstrip()[-1:] in ".!?"
    after = found.after
    goes_on = after is not None and (after.norm in {"and", "or", "to"} or after.text in {"(", "'", "/", "-", "–"})
    return found.stands_alone and not opens and not goes_on


def _blurred_as(analysis: Analysis, found: Phrase) -> tuple[str | None, int]:
    """Return the kind of circumstance that fits and where the prepositional phrase starts."""
    first = found.text.split()[0].lower()
    start = found.span.start if first in PREPOSITIONS else found.preposition.start if found.preposition else -1
    lead = first if first in PREPOSITIONS else found.preposition.norm if found.preposition else None
    where = analysis.answer_type is AnswerType.PLACE or analysis.question.wh is WhWord.WHERE
    if lead in {"in", "at", "on", "near", "inside", "within"} and where:
        return "place", start
    if lead in {"in", "on", "by", "around", "during"} and analysis.answer_type is AnswerType.DATE:
        return "time", start
    if lead == "by" and analysis.answer_type in (AnswerType.PERSON, AnswerType.ORGANISATION):
        return "agent", start
    return None, start


@recipe("missing_info.temporal_mismatch_outdated_info")
def temporal_mismatch_outdated_info(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Say that the passage was closed before the time in question, in the place of the sentences that answer."""
    asked = [int(y) for y in re.findall(r"\b(1[5-9]\d\d|20\d\d)\b", analysis.question.text)]
    dated = analysis.answer_type is AnswerType.DATE and analysis.question.wh is WhWord.WHEN
    changing = _CHANGES.search(analysis.question.text.lower()) and analysis.question.auxiliary not in {
        "did",
        "was",
        "were",
    }
    sentence = analysis.answer_sentence
    held = [d.year for d in analysis.main.dates if d.year and sentence and sentence.span.covers(d.span)]
    years = (asked if not is_chained(analysis) else []) or (
        [y for y in held if y is not None] if dated or changing else []
    )
    if not years or min(years) < EARLIEST:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "no time is asked for that a text could be too old for")
    year = min(years) - rng.randint(1, 3)
    if analysis.is_answer(str(year)):
        return Declined(DeclineReason.ANSWER_WOULD_REMAIN)
    said = phrase(
        style,
        f"The entry on this point dates from {year}.|On this point the text is as of {year}.|"
        f"This paragraph was last revised in {year}.",
        f"On this point the article was last brought up to date in {year}, and what came after is not covered.|"
        f"The paragraph that stood here was written in {year} and has not been revised for later developments.|"
        f"For this point only the state of {year} is recorded; later changes were not entered.",
    )

    def edit(passage: PassageAnalysis) -> str | None:
        return swap_sentences(passage, leaning(passage, answer_indices(passage)), chosen)

    chosen = rng.choice(said.split("|"))
    return everywhere(analysis, edit, f"What is left speaks as of {year}; the value asked for was removed.")
