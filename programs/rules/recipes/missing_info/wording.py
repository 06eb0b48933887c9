"""Words for what is not said: general descriptions, pointers to notes, amounts withheld, indirect questions."""

import re

from demur.programs.rules.edits.date_words import date_noun
from demur.programs.rules.edits.grammar import is_plural
from demur.programs.rules.edits.statements import state_clause
from demur.programs.text.analysis import Analysis
from demur.programs.text.answers import AnswerType
from demur.programs.text.asked_fact import FactKind, asked_fact
from demur.programs.text.dates import find_dates
from demur.programs.text.lexicon import SCALE_WORDS, can_be, verb_lemma, word_set
from demur.programs.text.questions import WhWord

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
_LONG = 10
MOST_WORDS = 16
"""A longer clause would not be written into a table or a link."""
NAMED = (AnswerType.PERSON, AnswerType.PLACE, AnswerType.ORGANISATION, AnswerType.TITLE)
"""Types of answer that are proper names."""
_NUMBER_WORDS = frozenset(SCALE_WORDS) | {
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "twenty",
    "about", "around", "over", "more", "than", "nearly", "approximately", "additional", "times",
    "estimated", "countries",
}  # fmt: skip
_EMPTY_HEADS = word_set(
    "body kind type sort form part amount number name meaning origin job purpose age term word level percentage place "
    "date year time thing one first last second same other abbreviation acronym instance way reason use basis length"
)
GAP = "Qzxv"
"""Stands for the value in a statement that `with_gap` returns."""


def asked_type(analysis: Analysis) -> AnswerType:
    """Return the type of the answer with the question word heard: who asks for a person, small letters name nothing."""
    kind, answer = analysis.answer_type, analysis.answer
    words = re.findall(r"[^\W\d_]{4,}", re.sub(r"^(?:the|actor|actress|singer|conquistador) ", "", answer))
    named = bool(words) and all(w[0].isupper() for w in words)
    if analysis.question.wh is WhWord.WHO and kind in (AnswerType.PLACE, AnswerType.OTHER, AnswerType.TITLE) and named:
        return AnswerType.PERSON
    if kind in (AnswerType.PERSON, AnswerType.PLACE, AnswerType.ORGANISATION) and not named:
        return AnswerType.OTHER
    return kind


_LEADS_ON = re.compile(r" (?:of|in|from|for|on|with) ")


def kind_noun(analysis: Analysis) -> str:
    """Return a plain noun for what is asked: 'city' for which city, 'singer' for who sings, else the type's."""
    question, kind = analysis.question, asked_type(analysis)
    if question.focus:
        words = [str(w).strip(",'\"").lower() for w in _LEADS_ON.split(question.focus)[0].split()]
        for word in reversed(words):
            if word in _FOCUS_NOUNS:
                return word
    if kind is AnswerType.DATE:
        return date_noun(analysis.answer)
    named = kind in NAMED or kind is AnswerType.OTHER and analysis.answer[:1].isupper()
    head = _head(analysis) if named else None
    if kind is AnswerType.PERSON and (head is None or head == "person"):
        subject = question.auxiliary is None and question.verb is not None
        lemma = verb_lemma(question.verb.lower()) if subject and question.verb else None
        return _ROLE_OF_VERB.get(lemma or "", "person")
    return head or _KINDS.get(kind, "entry")


_HEAD = re.compile(
    r"^(?:the|an?|another) (?P<lead>.+?)(?: (?:of|that|in|on|where|who|whom|which|whose|for|at|to|by|from|with)\b|$)"
)


def _head(analysis: Analysis) -> str | None:
    """Return the noun by which the question calls what it asks for ('waterfall'), None where it has none."""
    fact = asked_fact(analysis)
    if fact is None or not fact.noun:
        return None
    named = re.match(r"the names? of (?:the|an?) (?P<rest>.+)", fact.noun)
    found = _HEAD.match(f"the {named['rest']}" if named else fact.noun)
    word = found["lead"].split()[-1] if found else ""
    if not word.islower() or not word.isalpha() or word in _EMPTY_HEADS or not can_be(word, "NOUN") or is_plural(word):
        return None
    return word


def column_label(analysis: Analysis) -> str:
    """Return the heading of the table column in which the answer would stand."""
    noun = kind_noun(analysis)
    if noun in _FOCUS_NOUNS or asked_type(analysis) is AnswerType.DATE:
        return noun.capitalize()
    if analysis.question.wh is WhWord.WHO:
        return "Name"
    label = _LABELS.get(asked_type(analysis))
    return label or (_head(analysis) or "details").capitalize()


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


_BROKEN = re.compile(
    r"\b(?:will|can|could|would|should|may|might|must) (?:was|were|is|are|did|does|has|had)\b"
    r"|^(?:when|where) (?:last|first) |\bbeing (?:was|were|is|are)\b"
)
"""What is left of a question that was not understood."""


def indirect_question(analysis: Analysis) -> str | None:
    """Return the question as a clause that can be an object: 'when the house was opened', 'who plays Poppy'.

    None where it can't be phrased in a few words.
    """
    fact = asked_fact(analysis)
    if fact is None or fact.kind is FactKind.POLAR:
        return None
    clumsy = fact.kind is FactKind.EQUATION and analysis.question.wh is WhWord.WHICH or fact.choices is not None
    clumsy = clumsy or _BROKEN.search(fact.asked or "") is not None
    clumsy = clumsy or len((fact.asked or "").split()) > _LONG and (fact.asked or "").endswith((" is", " was", " are"))
    return fact.asked if fact.asked and not clumsy and len(fact.asked.split()) <= MOST_WORDS else None


def asked_noun(analysis: Analysis) -> str | None:
    """Return what is asked as a noun phrase ('the person who plays Poppy'), None where there is no short one."""
    fact = asked_fact(analysis)
    usable = fact is not None and fact.choices is None and not _BROKEN.search(fact.noun or "")
    return fact.noun if fact and usable and fact.noun and len(fact.noun.split()) <= MOST_WORDS else None


def pointer(analysis: Analysis, text: str, note: str) -> str:
    """Return a noun phrase that points to a note instead of giving the answer: 'the year given in note 3'."""
    if find_dates(text):
        return f"the {date_noun(text)} given in {note}"
    noun = kind_noun(analysis)
    if noun == "entry" and analysis.question.wh is WhWord.WHO:
        return f"those named in {note}"
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
