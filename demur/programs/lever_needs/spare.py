"""Predicates for parts of passages that can be removed without touching the answer."""

from collections.abc import Set as AbstractSet
from typing import Final

from demur.programs.lever_needs import found
from demur.text import Analysis, DatePrecision, ModifierKind, NameKind, PassageAnalysis
from demur.text.lexicon import COLOURS
from demur.text.questions import content_words
from demur.text.tokens import tokenise

LEAST_AFTER: Final = 5
"""The fewest words after an answer for a text that breaks off behind it."""


def removable(*kinds: ModifierKind) -> found.Found:
    """Return a predicate that is true if a passage has a removable part of `kinds` that is not in the question."""
    return lambda a: any(not _is_asked(a, m.text) for p in a.signal for m in p.modifiers_of(*kinds))


def _is_asked(a: Analysis, text: str) -> bool:
    return text.strip(" ,()").casefold() in a.question.text.casefold()


def named(a: Analysis, *kinds: NameKind) -> bool:
    """Return whether the passages have a name of `kinds` that is neither in the question nor the answer."""
    question = a.question.text.casefold()
    return any(
        name.text.casefold() not in question and not a.is_answer(name.text) and name.span.start > 0
        for name in found.names(a, *kinds)
    )


def actor(a: Analysis) -> bool:
    """Return whether the passages name a person or organisation that is neither in the question nor the answer."""
    question = a.question.text.casefold()
    known = found.people(a)
    actors = (*(name for name in found.names(a, NameKind.PERSON) if name.norm in known), *found.bodies(a))
    return any(name.text.casefold() not in question and not a.is_answer(name.text) for name in actors)


def colour(a: Analysis) -> bool:
    """Return whether the passages have a colour word that is neither in the question nor in the answer."""
    used = {t.norm for text in (a.question.text, *a.base.answers) for t in tokenise(text)}
    return any(t.text in COLOURS and t.norm not in used for p in a.signal for t in p.tokens)


def day(a: Analysis) -> bool:
    """Return whether the passages give a date with a month, with or without a day, that is not part of an answer."""
    return any(
        date.precision in (DatePrecision.DAY, DatePrecision.MONTH)
        and not any(mention.span.covers(date.span) for mention in p.answers)
        for p in a.signal
        for date in p.dates
    )


def ending(a: Analysis) -> bool:
    """Return whether a passage has a last sentence without the answer, or a phrase after the answer."""
    asked_about = content_words(a.question.text)
    return any(_goes_on(p, asked_about) for p in a.signal if p.sentences)


def _goes_on(p: PassageAnalysis, asked_about: AbstractSet[str]) -> bool:
    """Return whether text can be cut from the end of a passage without losing the answer or words of the question."""
    last = p.sentences[-1].span.start
    if len(p.sentences) > 1 and not any(mention.span.end > last for mention in p.answers):
        return True
    needed = [m.span.end for m in p.answers] + [t.span.end for t in p.tokens if t.norm in asked_about]
    return bool(p.answers) and len(p.text[max(needed) :].split()) >= LEAST_AFTER
