"""The kind of answer that a question asks for, and concepts: keys under which words are compared."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from demur.text import Question, WhWord
from demur.text.analysis import read_question
from demur.text.lexicon import FUNCTION_WORDS, lemma_of, word_list, word_set
from demur.text.tokens import tokenise

# Concepts: keys under which words are compared.
#
# All forms of a word have the same key, and so have the usual words for the same relation.


_RELATIONS: Final = (
    "play portray star cast role act actor actress perform performer portrayal starring character",
    "sing singer vocal vocals record recording song single track cover",
    "write writer wrote written author pen novel compose composer songwriter lyric",
    "release premiere debut air broadcast launch issue publish publication",
    "make film shoot shot produce production producer filming",
    "found founder establish establishment start begin create creation creator introduce set origin originate",
    "locate location situate lie stand place site",
    "die death dead kill pass",
    "bear born birth birthplace native",
    "win won winner victory champion defeat beat title award",
    "mean meaning stand denote refer definition signify abbreviation",
    "invent invention inventor discover discovery discoverer",
    "lead led leader head command commander president chief director chair direct",
    "build built construct construction erect builder complete",
    "live inhabit reside home resident dwell habitat",
    "big large largest great greatest biggest",
    "many number total amount count",
    "old age oldest aged",
    "name call known title nickname dub",
    "marry wife husband spouse marriage wed",
    "get obtain receive gain earn",
    "happen occur event take",
    "buy acquire purchase acquisition own owner",
    "sell sale sold",
    "fight battle war conquest conquer",
    "movie film picture",
    "show series programme program episode season television tv",
    "team club side squad",
    "law act bill statute amendment",
    "reason because cause due result",
    "money cost price fund pay worth",
    "city town capital municipality",
    "country nation state",
    "usa america american states us",
    "uk britain british england english",
    "measure measurement survey record gauge",
    "design designer architect plan draw",
    "teach teacher study student school education educate degree graduate",
    "grow growth increase rise",
    "end finish stop close",
    "long length last duration take",
    "high height tall",
    "wide width broad",
    "deep depth",
    "far distance",
    "heavy weigh weight",
    "fast speed quick",
)
_ENDINGS: Final = word_list(
    "ization isation ational ements ement ments ment ations ation itions ition tions tion sions sion ances ance "
    "ences ence ically ities ity iest ier ings ing ers ors er or ists ist ism als al ive ous ful ness ly ed es s e y"
)
_LEAST_STEM: Final = 4


@lru_cache(maxsize=32768)
def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
            return word[: -len(ending)]
    return word


_OF_RELATION: Final = {_stem(w): relation.split()[0] for relation in reversed(_RELATIONS) for w in relation.split()}


@lru_cache(maxsize=32768)
def concept(norm: str) -> str:
    """Return the key under which a lower-case word is compared: 'invented' and 'discoverer' have the same key."""
    stem = _stem(lemma_of(norm))
    return _OF_RELATION.get(stem, stem)


@lru_cache(maxsize=8192)
def concepts(text: str) -> tuple[tuple[str, int], ...]:
    """Return the concepts of `text` in order, each with the index of its token; function words have no concept."""
    return tuple(
        (concept(t.norm), number)
        for number, t in enumerate(tokenise(text))
        if t.is_word and t.norm not in FUNCTION_WORDS and (len(t.norm) > 1 or t.norm.isdigit())
    )


@lru_cache(maxsize=8192)
def concept_set(text: str) -> frozenset[str]:
    """Return the concepts of `text` as a set."""
    return frozenset(key for key, _ in concepts(text))


# The kind of answer that a question asks for, and the words of the question.


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
