"""Moving words between a question's register (NQ: lower case, no mark) and that of passages."""

import re

from programs.rules.analysis.analysis import Analysis
from programs.rules.analysis.lexicon import MONTHS, PLACES
from programs.rules.analysis.questions import Question
from programs.rules.analysis.tokens import tokenise
from programs.rules.edits.grammar import sentence_case


def recase(text: str, analysis: Analysis) -> str:
    """Return words of a lower-case question with the capitals that the passages give them.

    Names of the passages, months, countries and 'I' are restored; a text that has capitals is returned as it is.
    """
    if any(c.isupper() for c in text):
        return text
    forms: dict[tuple[str, ...], str] = {}
    for passage in analysis.passages:
        for name in passage.names:
            forms.setdefault(tuple(name.norm.split()), name.text)
    tokens = [t for t in tokenise(text) if t.is_word]
    longest = max((len(k) for k in forms), default=0)
    out, position, at = [], 0, 0
    while at < len(tokens):
        size = next(
            (
                n
                for n in range(min(longest, len(tokens) - at), 0, -1)
                if tuple(t.norm for t in tokens[at : at + n]) in forms
            ),
            0,
        )
        token = tokens[at]
        if size:
            last = tokens[at + size - 1]
            shown = forms[tuple(t.norm for t in tokens[at : at + size])]
            end = last.end - 2 if last.text.endswith(("'s", "’s")) and not shown.endswith(("'s", "’s")) else last.end
            out += [text[position : token.start], shown]
            position, at = end, at + size
            continue
        if token.norm in MONTHS and token.norm not in {"may", "march"} or token.norm in PLACES or token.norm == "i":
            out += [
                text[position : token.start],
                token.text.upper() if len(token.text) <= 2 else token.text.capitalize(),
            ]
            position = token.end
        at += 1
    return "".join(out) + text[position:]


def in_register(question: Question, text: str) -> str:
    """Return a new question written as the base question is: lower case without a mark, or capital and '?'."""
    body = re.sub(r"\s+", " ", text).strip().rstrip("?").rstrip()
    if question.lower_case:
        body = body.lower()
        return body + "?" if question.has_mark else body
    return sentence_case(body) + ("?" if question.has_mark or not question.text.endswith(".") else ".")
