"""Marks in questions: presuppositions, unclear references, words of scale, opinions and forecasts."""

import re
from pathlib import Path
from typing import Final

from demur.rules.roles.marks.patterns import any_of, read_patterns, shown
from demur.text.lexicon import AUXILIARIES, PREPOSITIONS, can_be, verb_tags
from demur.text.questions import read_question
from demur.text.tokens import words

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
