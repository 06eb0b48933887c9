"""The kind of answer that a question asks for, and the words of the question."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from demur.rules.roles.reading.concepts import concepts
from demur.text import Question, WhWord
from demur.text.lexicon import word_set
from demur.text.questions import read_question


class AskedKind(StrEnum):
    """Kinds of answers, as far as the question tells."""

    PERSON = "person"
    PLACE = "place"
    DATE = "date"
    NUMBER = "number"
    NAME = "name"
    REASON = "reason"
    MANNER = "manner"
    YES_NO = "yes or no"
    THING = "thing"


_TIME: Final = word_set("year date month day decade century season period era")
_PLACE: Final = word_set(
    "city town country state county continent village place region province island river lake mountain street location "
    "district nation territory venue stadium"
)
_PERSON: Final = word_set(
    "person actor actress singer player author writer director president king queen scientist artist rapper musician "
    "composer politician senator governor playwright inventor man woman child character emperor captain coach"
)
_AMOUNT: Final = word_set(
    "percentage percent number amount population size length height temperature age speed weight distance score rate "
    "depth width area value price cost budget capacity salary duration"
)
_NAMED: Final = word_set(
    "song album film movie book novel band team company organisation organization club school university show series "
    "episode language party religion award prize battle war ship newspaper magazine airline brand game court act law"
)
_BY_WORD: Final = {
    WhWord.WHO: AskedKind.PERSON,
    WhWord.WHOSE: AskedKind.PERSON,
    WhWord.WHERE: AskedKind.PLACE,
    WhWord.WHEN: AskedKind.DATE,
    WhWord.WHY: AskedKind.REASON,
    WhWord.HOW: AskedKind.MANNER,
    WhWord.HOW_MANY: AskedKind.NUMBER,
    WhWord.HOW_MUCH: AskedKind.NUMBER,
    WhWord.HOW_LONG: AskedKind.NUMBER,
    WhWord.HOW_OLD: AskedKind.NUMBER,
    WhWord.YES_NO: AskedKind.YES_NO,
}
_MEASURED = re.compile(
    r"^how (?:far|high|tall|deep|wide|big|large|fast|heavy|often|hot|cold|thick|strong)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A parsed question for a reader: kind of answer, concepts in order, counted noun."""

    question: Question
    kind: AskedKind
    words: tuple[str, ...]
    noun: str | None
    folded: str


@lru_cache(maxsize=2048)
def asked_of(question: str) -> Asked:
    """Return a question parsed for a reader."""
    read = read_question(question)
    head = _head(read)
    return Asked(
        question=read,
        kind=_kind(read, head),
        words=tuple(dict.fromkeys(key for key, _ in concepts(question))),
        noun=head,
        folded=question.casefold(),
    )


def _head(read: Question) -> str | None:
    """Return the noun after 'what', 'which' or 'how many', as 'seasons' in 'how many seasons of the rugrats'.

    None if no noun follows.
    """
    if not read.focus:
        return None
    first = re.split(r"\s+(?:of|in|on|at|for|from|by|to)\b", read.focus.casefold())[0]
    return first.split()[-1] if first.split() else None


def _kind(read: Question, head: str | None) -> AskedKind:
    if _MEASURED.match(read.text):
        return AskedKind.NUMBER
    if read.wh in _BY_WORD:
        return _BY_WORD[read.wh]
    singular = (head or "").rstrip("s")
    for kind, nouns in (
        (AskedKind.DATE, _TIME),
        (AskedKind.PLACE, _PLACE),
        (AskedKind.PERSON, _PERSON),
        (AskedKind.NUMBER, _AMOUNT),
        (AskedKind.NAME, _NAMED),
    ):
        if head in nouns or singular in nouns or re.sub(r"ie$", "y", singular) in nouns:
            return kind
    body = re.match(
        r"what (?:is|was|are|were) the (?:\w+ ){0,2}?(\w+) (?:of|in|on|for|at|from)\b", read.text.casefold()
    )
    if body:
        return _kind_of_noun(body[1])
    return AskedKind.THING


def _kind_of_noun(noun: str) -> AskedKind:
    for kind, nouns in (
        (AskedKind.DATE, _TIME),
        (AskedKind.PLACE, _PLACE | {"capital"}),
        (AskedKind.NUMBER, _AMOUNT),
        (AskedKind.NAME, _NAMED),
    ):
        if noun in nouns:
            return kind
    return AskedKind.THING
