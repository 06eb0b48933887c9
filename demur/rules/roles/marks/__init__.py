"""Marks of each class of defect in the wording of a question and its passages.

A mark is a word or phrase that makes a careful reader hesitate; it does not prove a defect. The respondent
`defect-spotter` looks for marks.
"""

from demur.rules.roles.marks.context import ambiguous_context, contradicting, missing
from demur.rules.roles.marks.question import ambiguous, epistemic, false_premise, granular

__all__ = [
    "ambiguous",
    "ambiguous_context",
    "contradicting",
    "epistemic",
    "false_premise",
    "granular",
    "missing",
]
