"""Marks of each class of defect in the wording of a question and its passages."""

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import yaml

from demur.text.analysis import read_question
from demur.text.lexicon import AUXILIARIES, PREPOSITIONS, can_be, verb_tags
from demur.text.tokens import words

__all__ = ["ambiguous", "ambiguous_context", "contradicting", "epistemic", "false_premise", "granular", "missing"]


# Regular expressions from alternative wordings, and the wordings that a text has.


LONGEST_PART: Final = 1_000
"""Largest number of characters of a part: longer than sentences; quadratic work on a part takes a millisecond."""
_ENDS: Final = (". ", "? ", "! ", "\n")
_VISIBLE: Final = re.compile(r"\S")


def spaced(pattern: str) -> str:
    """Return a pattern in which each space matches white space, and ' ?' matches optional white space."""
    return re.sub(r" (?![?*+{])", r"\\s+", pattern.replace(" ?", r"\s*"))


def any_of(*alternatives: str) -> re.Pattern[str]:
    """Return a pattern of whole-word alternatives in which case does not matter and a space stands for white space."""
    return re.compile(rf"(?<!\w)(?:{spaced('|'.join(alternatives))})(?!\w)", re.IGNORECASE)


def parts(text: str) -> tuple[str, ...]:
    """Return a text in parts of bounded length, so that a search takes time in proportion to the length of the text.

    Many patterns look ahead to the end of a sentence, and a long text may have no such end. A text is split after the
    end of a sentence or line if there is one. Each part but the last also has the first visible character of the next
    part. Patterns thus do not take the end of a part for the end of the text.
    """
    return _parts(text) if len(text) > LONGEST_PART else (text,)


@lru_cache(maxsize=256)
def _parts(text: str) -> tuple[str, ...]:
    found: list[str] = []
    start = 0
    while len(text) - start > LONGEST_PART:
        window = text[start : start + LONGEST_PART]
        cut = max((window.rfind(mark) + len(mark) for mark in _ENDS if mark in window), default=0)
        cut = cut or window.rfind(" ") + 1 or LONGEST_PART
        start += cut
        following = _VISIBLE.search(text, start)
        if following is None:  # nothing but white space is left
            return (*found, window[:cut])
        found.append(window[:cut] + following.group())
    return (*found, text[start:])


def shown(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    """Return a pattern's matches in a text, in lower case, each wording once."""
    return frozenset(" ".join(match.group().casefold().split()) for match in pattern.finditer(text))


def read_patterns(path: Path) -> dict[str, Any]:
    """Return the patterns of a file; each '<name>' is replaced by the file's fragment of this name."""
    found: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    fragments: dict[str, str] = found.pop("fragments", {})
    for name, text in fragments.items():
        fragments[name] = _put_in(text, fragments)
    put: dict[str, Any] = _put_in(found, fragments)
    return put


def _put_in(value: Any, fragments: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _put_in(item, fragments) for key, item in value.items()}
    if isinstance(value, list):
        return [_put_in(item, fragments) for item in value]
    for name, text in fragments.items() if isinstance(value, str) else ():
        value = value.replace(f"<{name}>", text)
    return value


# Marks in questions: presuppositions, unclear references, words of scale, opinions and forecasts.


_MARKS: Final = read_patterns(Path(__file__).with_name("marks.yaml"))
_PREMISE: Final = any_of(*_MARKS["premise"])
_IMPOSSIBLE: Final = any_of(*_MARKS["impossible"])
_SCALE: Final = any_of(*_MARKS["scale"])
_OPINION: Final = any_of(*_MARKS["opinion"])
_POINTING: Final = any_of(
    r"(?:the|that|this) (?:other )?ones?|the others?|the former|the latter|that(?! \w+ing)|this|these|those|here|"
    r"there|then|it|they|them|he|she|him|her|which of (?:the two|them)",
)
_NEGATION: Final = any_of(r"not|never|none|no|nobody|nothing|neither|nor|fails?|deny|denies|without|unless|hardly")
_QUANTIFIER: Final = any_of(r"all|each|every|always|some|any|both")
_BARE_END: Final = re.compile(r", but (?:who|whose|what|when|where|why|how|which)(?: \w+){0,2}\??$", re.IGNORECASE)
_POINTED_AT: Final = any_of(r"(?:that|this|those|these) (?:one|ones|two|person|place|[a-z]+)")
_STACK_OF: Final = re.compile(r"\b(?:" + "|".join(sorted(PREPOSITIONS)) + r")\b", re.IGNORECASE)
_LEADS_ON: Final = "|".join(sorted(PREPOSITIONS - {"to"}))
_STOPS: Final = "|".join(sorted(AUXILIARIES))
_CHAIN: Final = re.compile(
    rf"(?:\b(?:{_LEADS_ON})\b(?: (?!(?:{_STOPS})\b)[\w'’.-]+){{1,4}}? ?){{5}}\??$", re.IGNORECASE
)
"""A question that ends in five phrases with prepositions, without an auxiliary between them."""
_DANGLING: Final = any_of(
    r"(?:did|was|were|had|has|does|is|would) (?:it|they|he|she|that|those|the others?|the other one)(?:,| when|"
    r" while| and|$|\?)",
    r"(?:had|did|was|were|would|has|have)(?: \w+)? not(?: have)?(?:$|\?)",
)
MANY_NEGATIONS: Final = 3
MANY_PHRASES: Final = 5
CROWDED: Final = 0.28


def false_premise(question: str) -> frozenset[str]:
    """Return the phrases by which a question presupposes something, or asks for the impossible."""
    return shown(_PREMISE, question) | shown(_IMPOSSIBLE, question)


def impossible(question: str) -> frozenset[str]:
    """Return the phrases by which a question contradicts itself."""
    return shown(_IMPOSSIBLE, question)


def granular(question: str) -> frozenset[str]:
    """Return the words of scale in a question: averages, wholes, atoms, milliseconds, trends."""
    return shown(_SCALE, question)


def epistemic(question: str) -> frozenset[str]:
    """Return the words of opinion, duty, forecast, supposition and ultimate meaning in a question."""
    return shown(_OPINION, question)


def ambiguous(question: str) -> frozenset[str]:
    """Return signs of ambiguity: pointing words, negations, many prepositions, no verb or question word, and others."""
    tokens = words(question)
    found: set[str] = set()
    content = [t for t in tokens if t.norm not in AUXILIARIES]
    pointing = shown(_POINTING, question)
    pointed = len(_POINTING.findall(question))
    if pointed >= 3 or pointing and len(content) - pointed <= 4:
        found |= pointing
    if _BARE_END.search(question):
        found.add("a bare question word")
    named = re.search(r"\d|[\"“]", question) or any(t.is_capitalised for t in tokens[1:])
    if not named and any(can_be(p.split()[-1], "NOUN") for p in shown(_POINTED_AT, question)):
        found |= pointing
    negations = len(_NEGATION.findall(question))
    if negations >= 2 and negations + len(_QUANTIFIER.findall(question)) >= MANY_NEGATIONS:
        found |= shown(_NEGATION, question)
    phrases = len(_STACK_OF.findall(question))
    if phrases >= MANY_PHRASES and (phrases >= CROWDED * len(tokens) or _CHAIN.search(question)):
        found.add("a heap of phrases")
    if not any(verb_tags(t.norm) for t in tokens):
        found.add("no verb")
    read = read_question(question)
    if read.wh.value == "none":
        found.add("no question word")
    verbs = [t for t in tokens if verb_tags(t.norm) & {"VBD", "VBN"} and t.norm not in AUXILIARIES]
    if len(verbs) >= 3 and len(verbs) >= len(tokens) / 5:
        found.add("verbs in a row")
    if re.search(r"(?:\bthe \w+ ){3}", question, re.IGNORECASE):
        found.add("subjects in a row")
    if _DANGLING.search(question):
        found.add("an auxiliary without its verb")
    return frozenset(found)


# Marks in passages: a name with two meanings, statements that clash, gaps where a fact should stand.


_TWO_READINGS: Final = any_of(*_MARKS["two_readings"])
_CLASHING: Final = any_of(*_MARKS["clashing"])
_GAPS: Final = any_of(*_MARKS["gaps"])


def ambiguous_context(text: str) -> frozenset[str]:
    """Return the phrases by which a text offers two readings of one thing."""
    return shown(_TWO_READINGS, text)


def contradicting(text: str) -> frozenset[str]:
    """Return the phrases by which a text sets one statement against another."""
    return shown(_CLASHING, text)


def missing(text: str) -> frozenset[str]:
    """Return the gaps of a text: placeholders, pointers to elsewhere, remarks that something is not given."""
    return shown(_GAPS, text)
