"""Case and closing mark of new questions, as in the base question."""

import re

from demur.rules.edits.grammar import sentence_case
from demur.text.questions import Question


def in_register(question: Question, text: str) -> str:
    """Return the new question `text` with the case and the closing mark of the base question."""
    body = re.sub(r"\s+", " ", text).strip().rstrip("?").rstrip()
    if question.lower_case:
        body = body.lower()
        return body + "?" if question.has_mark else body
    return sentence_case(body) + ("?" if question.has_mark or not question.text.endswith(".") else ".")
