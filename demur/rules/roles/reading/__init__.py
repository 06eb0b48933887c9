"""An extractive reader: finds sentences that bear on a question, and possible answers in them.

The reader never sees accepted answers or the relevance of passages. Respondents answer with the sentences and answers
that the reader finds. Graders use the reader to find values.
"""

from demur.rules.roles.reading.evidence import (
    PassageEvidence,
    PossibleAnswer,
    Text,
    candidates,
    chained,
    evidence,
    values_in,
    yes_or_no,
)
from demur.rules.roles.reading.question_kind import Asked, AskedKind, asked_of

__all__ = [
    "Asked",
    "PossibleAnswer",
    "PassageEvidence",
    "AskedKind",
    "Text",
    "asked_of",
    "candidates",
    "chained",
    "evidence",
    "values_in",
    "yes_or_no",
]
