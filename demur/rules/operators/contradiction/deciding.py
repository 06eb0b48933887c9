"""What decides a comparison of two things: a nationality, a kind or a year in one of their entries, and another one."""

import random
import re
from dataclasses import dataclass
from typing import Final

from demur.rules.edits.text import replace_spans
from demur.rules.operators.contradiction.copying import LONGEST_PASSAGE, Original, places
from demur.text.analysis import Analysis, PassageAnalysis
from demur.text.answers import AnswerType
from demur.text.kinds import entry_name
from demur.text.spans import Span
from demur.text.tokens import fold, words
from demur.text.word_families import NATIONALITIES, relatives

_CHOICE: Final = re.compile(r" or (?:the )?[\"A-Z]")
_BY_TIME: Final = re.compile(r"\b(?:older|younger|earlier|later|first|before|after)\b", re.IGNORECASE)
_BY_COUNTRY: Final = re.compile(r"\b(?:nationality|nationalities|country|countries)\b", re.IGNORECASE)
_FURTHEST: Final = 30
"""Years between two things up to which the order of their years can be turned round."""


@dataclass(frozen=True, slots=True)
class DecidedContradiction:
    """An entry that decides a comparison, once more with the deciding value exchanged."""

    original: Original
    copy: str
    old: str
    new: str


def compares(analysis: Analysis) -> bool:
    """Return whether the question compares two things by their entries: with yes or no, or by choosing one."""
    asked = analysis.question.text
    return analysis.answer_type is AnswerType.YES_NO or _CHOICE.search(asked) is not None


def decided(analysis: Analysis, rng: random.Random) -> DecidedContradiction | None:
    """Return an entry with another value where it decides the comparison; None where no value surely does."""
    entries = [p for p in analysis.signal if _is_entry(p)]
    if len(entries) != 2 or len(analysis.signal) != 2:
        return None
    found = _turned_round(analysis, entries, rng) if _BY_TIME.search(analysis.question.text) else []
    found += [pair for entry in entries for pair in _reworded(analysis, entry, rng)]
    for entry, spans, new in found:
        room = places(analysis, entry)
        old = spans[0].of(entry.text)
        if room:
            copy = replace_spans(entry.text, [(span, new) for span in spans])
            return DecidedContradiction(Original(entry.text, entry, rng.choice(room)), copy, old, new)
    return None


def _is_entry(passage: PassageAnalysis) -> bool:
    """Return whether a passage is an entry that can be copied whole."""
    text = passage.text
    whole = re.search(r"[.!?][\"”)]*$", text) is not None and "\n" not in text and len(text.split()) <= LONGEST_PASSAGE
    return whole and entry_name(text) is not None


def _reworded(
    analysis: Analysis, entry: PassageAnalysis, rng: random.Random
) -> list[tuple[PassageAnalysis, list[Span], str]]:
    """Return where an entry's first sentence has a word that the question compares by, with another of its family."""
    asked = {t.norm.removesuffix("s") for t in words(analysis.question.text)}
    first = entry.sentences[0]
    by_country = _BY_COUNTRY.search(analysis.question.text) is not None
    others = fold(" ".join(p.text for p in analysis.signal))
    found = []
    if _is_other(analysis, entry):
        return []
    if analysis.answer_type is AnswerType.YES_NO and fold(analysis.answer) != "yes":
        return _made_alike(entry, asked)
    for token in words(first.text):
        compared = token.norm in asked or by_country and token.norm in NATIONALITIES
        related = NATIONALITIES if token.norm in NATIONALITIES else relatives(token.norm)
        family = [w for w in related if not re.search(rf"\b{w}", others)]
        spans = [Span(m.start(), m.end()) for m in re.finditer(rf"\b{re.escape(token.text.strip())}\b", entry.text)]
        joined = any(re.match(r"-|/", entry.text[s.end :]) or re.search(r"[-/]$", entry.text[: s.start]) for s in spans)
        again = len(re.findall(rf"\b{re.escape(token.norm)}", fold(entry.text))) > len(spans)
        if compared and family and spans and not joined and not again:
            new = rng.choice(family)
            found.append((entry, spans, new.capitalize() if token.is_capitalised else new))
    return found


def _made_alike(entry: PassageAnalysis, asked: set[str]) -> list[tuple[PassageAnalysis, list[Span], str]]:
    """Return where an entry's first sentence has another nationality than the one by which the question compares."""
    wanted = asked & set(NATIONALITIES)
    found = [t for t in words(entry.sentences[0].text) if t.norm in NATIONALITIES]
    if len(wanted) != 1 or len(found) != 1 or found[0].norm in wanted:
        return []
    old = found[0].text.strip()
    spans = [Span(m.start(), m.end()) for m in re.finditer(rf"\b{re.escape(old)}\b", entry.text)]
    return [(entry, spans, next(iter(wanted)).capitalize())] if len(spans) == 1 else []


def _is_other(analysis: Analysis, entry: PassageAnalysis) -> bool:
    """Return whether the question chooses a thing and the entry is on the one that is not chosen."""
    name = entry_name(entry.text) or ""
    return analysis.answer_type is not AnswerType.YES_NO and not analysis.is_answer(name)


def _turned_round(
    analysis: Analysis, entries: list[PassageAnalysis], rng: random.Random
) -> list[tuple[PassageAnalysis, list[Span], str]]:
    """Return the year of one entry moved to the other side of the year of the other one."""
    firsts = [next((d for d in p.dates if d.year and p.sentences[0].span.covers(d.span)), None) for p in entries]
    if firsts[0] is None or firsts[1] is None:
        return []
    one = firsts[0].year or 0
    other = firsts[1].year or 0
    if not 0 < abs(one - other) <= _FURTHEST:
        return []
    number = rng.choice((0, 1))
    entry = entries[number]
    own = (one, other)[number]
    against = (other, one)[number]
    new = against + (rng.randint(2, 5) if own < against else -rng.randint(2, 5))
    others = [d.year for d in entry.dates if d.year and d.year != own]
    spans = [Span(m.start(), m.end()) for m in re.finditer(rf"\b{own}\b", entry.text)]
    if any(new >= year for year in others) or len(spans) != 1:
        return []
    return [(entry, spans, str(new))]
