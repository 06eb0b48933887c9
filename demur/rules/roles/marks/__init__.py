"""Marks of each class of defect, as far as they show on the surface of a question and its passages.

A mark is a word or turn that makes a careful reader hesitate; it does not prove a defect. Respondents look for marks in
the given texts, and a verifier looks for the same marks in the changed ones.
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
