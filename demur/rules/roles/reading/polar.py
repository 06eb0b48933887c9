"""Answers to yes/no questions.

The answer is 'No' if the evidence denies, or if the question is about two subjects and is true of only one.
"""

import re
from collections.abc import Sequence
from typing import Final

from demur.rules.roles.reading.asked import asked_of
from demur.rules.roles.reading.chain import subject_of
from demur.rules.roles.reading.concepts import concept_set
from demur.rules.roles.reading.weigh import PassageEvidence
from demur.text.tokens import fold

_DENIAL: Final = re.compile(
    r"\b(?:not|no|never|none|without|neither|nor|cannot|only later|ceased|lacks?)\b|n['’]t\b", re.IGNORECASE
)
_BOTH: Final = re.compile(r"\b(?:both|same|also)\b", re.IGNORECASE)


def yes_or_no(question: str, found: Sequence[PassageEvidence]) -> str:
    """Return 'Yes' or 'No'; `found` is the evidence, best first."""
    if _BOTH.search(question):
        return _shared(question, found)
    denied = bool(_DENIAL.search(found[0].sentence.text)) != bool(_DENIAL.search(question))
    return "No" if denied else "Yes"


def _shared(question: str, found: Sequence[PassageEvidence]) -> str:
    """Return 'Yes' if the passages of both subjects in the question have the question's predicate, else 'No'."""
    asked = fold(question)
    passages = {e.passage.index: e.passage for e in found}.values()
    named = [p for p in passages if len(subject_of(p)) > 2 and subject_of(p) in asked][:2]
    if len(named) < 2:
        return "Yes"
    predicate = set(asked_of(question).words) - {w for p in named for w in concept_set(subject_of(p))}
    wanted = predicate - {"both", "same"}
    return "Yes" if all(len(wanted & concept_set(p.text)) >= 0.5 * len(wanted) for p in named) else "No"
