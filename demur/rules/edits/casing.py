"""Moving words between the register of questions (Natural Questions: lower case, no mark) and that of passages."""

import re

from demur.rules.edits.grammar import sentence_case
from demur.text.questions import Question


def in_register(question: Question, text: str) -> str:
    """Return a new question written as the base question is: lower case without a mark, or capital and '?'."""
    body = re.sub(r"\s+", " ", text).strip().rstrip("?").rstrip()
    if question.lower_case:
        body = body.lower()
        return body + "?" if question.has_mark else body
    return sentence_case(body) + ("?" if question.has_mark or not question.text.endswith(".") else ".")
