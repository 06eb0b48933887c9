"""Cutting out, replacing and adding pieces of a passage."""

from collections.abc import Iterable

from demur.rules.edits.grammar import fix_article_before, sentence_case, tidy_around
from demur.text.spans import Sentence, Span
from demur.text.tokens import sentences


def _at_sentence_start(text: str, position: int) -> bool:
    return any(s.span.start == position for s in sentences(text)) or not text[:position].strip()


def replace_span(text: str, span: Span, replacement: str) -> str:
    """Replace `span`.

    At a sentence start the replacement gets a capital. An 'a' or 'an' before the replacement is made to agree with it.
    """
    opens = _at_sentence_start(text, span.start)
    fitted = sentence_case(replacement) if opens else replacement
    return fix_article_before(text[: span.start] + fitted + text[span.end :], span.start)


def replace_spans(text: str, replacements: Iterable[tuple[Span, str]]) -> str:
    """Replace several spans; the spans must not overlap."""
    for span, replacement in sorted(replacements, key=lambda pair: pair[0].start, reverse=True):
        text = replace_span(text, span, replacement)
    return text


def excise(text: str, span: Span) -> str:
    """Cut `span` out and close the gap: spacing, commas, a/an, capital at a sentence start."""
    opens = _at_sentence_start(text, span.start)
    left = text[: span.start]
    right = text[span.end :]
    if opens:
        right = sentence_case(right.lstrip(" ,;"))
        return left + right
    if left.endswith((" ", "(")) or not left:
        right = right.lstrip(" ") if right[:1] == " " else right
    joined = fix_article_before(left + right, len(left))
    return tidy_around(joined, len(left), len(left))


def excise_sentence(text: str, sentence: Sentence) -> str:
    """Cut a whole sentence out, with the following space."""
    left = text[: sentence.span.start].rstrip(" ")
    right = text[sentence.span.end :].lstrip(" ")
    return f"{left} {right}".strip() if left and not left.endswith("\n") else (left + right).strip()


def excise_sentences(text: str, cut: Iterable[Sentence]) -> str:
    """Cut several sentences out."""
    for sentence in sorted(cut, key=lambda s: s.span.start, reverse=True):
        text = excise_sentence(text, sentence)
    return text
