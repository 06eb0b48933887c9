"""A reader that looks for the marks of defects in a question and its passages before answering."""

from collections.abc import Callable, Sequence
from typing import Final

from demur.levers.vocabulary import PRECEDENCE, Code
from demur.rules.roles import marks
from demur.rules.roles.marks import impossible
from demur.rules.roles.reading import AskedKind, PassageEvidence, asked_of, evidence
from demur.rules.roles.reading.evidence import Text
from demur.rules.roles.reading.question_kind import concept_set

READ: Final = 3
LEAST_KNOWN: Final = 0.34
FAINT: Final = frozenset(
    {"that", "this", "it", "will", "would", "if", "all", "culture", "purpose", "taste", "best", "again"}
)
"""Marks that ordinary questions often have; alone they mean nothing."""


def spot(question: str, passages: Sequence[Text]) -> Code | None:
    """Return the code of the class whose marks are found; None if no marks are found.

    If marks of several classes are found, the first of these classes in PRECEDENCE is returned.
    """
    found = evidence(question, passages)
    if not found:
        return Code.MISSING
    read = found[: READ if len(passages) == 1 else 2 * READ]
    return next((code for code in PRECEDENCE if _SPOTTERS[code](question, passages, read)), None)


def _telling(found: frozenset[str]) -> frozenset[str]:
    return found - FAINT


def _known(passages: Sequence[Text]) -> frozenset[str]:
    return frozenset().union(*(concept_set(p.text) for p in passages))


def _premise(question: str, passages: Sequence[Text], read: Sequence[PassageEvidence]) -> bool:
    """Return whether the question contradicts itself, or presupposes something that the passages may not bear out.

    A presupposing phrase is ignored if the passages have all concepts of the question, or if the question has a mark of
    scale or opinion.
    """
    if _telling(impossible(question)):
        return True
    strange = concept_set(question) - _known(passages)
    foreign = marks.granular(question) | marks.epistemic(question)
    return bool(_telling(marks.false_premise(question))) and bool(strange) and not foreign


def _ambiguous(question: str, passages: Sequence[Text], read: Sequence[PassageEvidence]) -> bool:
    around = "\n".join({e.passage.index: e.passage.text for e in read[:READ]}.values())
    return bool(marks.ambiguous(question)) or len(marks.ambiguous_context(around)) >= 2


def _granular(question: str, passages: Sequence[Text], read: Sequence[PassageEvidence]) -> bool:
    """Return whether the question has a word of scale, such as 'average' or 'milliseconds', that no passage has."""
    text = " ".join(p.text.casefold() for p in passages)
    return any(mark not in text for mark in _telling(marks.granular(question)))


def _contradictory(question: str, passages: Sequence[Text], read: Sequence[PassageEvidence]) -> bool:
    """Return whether a sentence of the evidence opposes two statements, or two similar sentences differ in a value."""
    if any(marks.contradicting(e.sentence.text) for e in read):
        return True
    if asked_of(question).kind is AskedKind.THING or len(read) < 2:
        return False
    first = read[0]
    second = read[1]
    alike = concept_set(first.sentence.text) & concept_set(second.sentence.text)
    close = len(alike) >= 0.6 * min(len(concept_set(first.sentence.text)), len(concept_set(second.sentence.text)))
    ours = {c.text for c in first.candidates if c.sure}
    theirs = {c.text for c in second.candidates if c.sure}
    return close and bool(ours) and bool(theirs) and not ours & theirs


def _nonfactual(question: str, passages: Sequence[Text], read: Sequence[PassageEvidence]) -> bool:
    return bool(_telling(marks.epistemic(question)))


def _missing(question: str, passages: Sequence[Text], read: Sequence[PassageEvidence]) -> bool:
    """Return whether the passages seem not to answer the question.

    There are three signs: the passages have few words of the question, a sentence of the evidence says that something
    is not known, or the evidence has no value of the kind that is asked for.
    """
    asked = asked_of(question)
    words = set(asked.words)
    if words and len(words & _known(passages)) < LEAST_KNOWN * len(words):
        return True
    if any(marks.missing(e.sentence.text) and words & concept_set(e.sentence.text) for e in read):
        return True
    typed = asked.kind in (AskedKind.DATE, AskedKind.NUMBER, AskedKind.PERSON)
    return typed and not any(e.candidates for e in read)


_SPOTTERS: Final[dict[Code, Callable[[str, Sequence[Text], Sequence[PassageEvidence]], bool]]] = {
    Code.FALSE_PREMISE: _premise,
    Code.AMBIGUOUS: _ambiguous,
    Code.GRANULARITY: _granular,
    Code.CONTRADICTORY: _contradictory,
    Code.NONFACTUAL: _nonfactual,
    Code.MISSING: _missing,
}
