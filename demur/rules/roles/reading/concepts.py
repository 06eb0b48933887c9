"""Concepts: keys under which words are compared.

All forms of a word have the same key, and so have the usual words for the same relation.
"""

from functools import lru_cache
from typing import Final

from demur.text.lexicon import FUNCTION_WORDS, lemma_of, word_list
from demur.text.tokens import tokenise

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
