"""Marks of each class of defect, as far as they show on the surface of a question and its passages.

A mark is a word or turn that a careful reader stumbles over; that a mark is there does not prove a defect. Respondents
and a verifier look for the same marks: the one in what they are given, the other in what was changed.
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
