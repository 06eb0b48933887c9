"""An extractive reader: finds sentences that bear on a question, and possible answers in them.

The reader never sees accepted answers or the relevance of passages. Respondents answer with the sentences and answers
that the reader finds. Graders use the reader to find values.
"""

from demur.rules.roles.reading.asked import Asked, AskedKind, asked_of
from demur.rules.roles.reading.chain import chained
from demur.rules.roles.reading.polar import yes_or_no
from demur.rules.roles.reading.possible import PossibleAnswer, candidates, values_in
from demur.rules.roles.reading.weigh import PassageEvidence, Text, evidence

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
