"""Operators on every accepted answer in a passage: take it out, hide it, put something else in its place."""

from programs.rules.analysis.analysis import PassageAnalysis, analyse_passage, leans_back
from programs.rules.analysis.answers import find_answers
from programs.rules.analysis.spans import Span
from programs.rules.edits.text import excise_sentences, redact, replace_spans


def answer_spans(passage: PassageAnalysis) -> tuple[Span, ...]:
    """Return the spans of all mentions of accepted answers, surnames included."""
    return tuple(m.span for m in passage.answers)


def redact_answers(passage: PassageAnalysis, placeholder: str) -> str:
    """Return the passage with a placeholder for every mention of an accepted answer."""
    return redact(passage.text, answer_spans(passage), placeholder)


def replace_answers(passage: PassageAnalysis, replacement: str) -> str:
    """Return the passage with `replacement` for every mention; grammar around it is made to agree."""
    return replace_spans(passage.text, [(span, replacement) for span in answer_spans(passage)])


def excise_answer_sentences(passage: PassageAnalysis, answers: tuple[str, ...]) -> str | None:
    """Return the passage without the sentences that hold an answer, and without those that lean on them.

    None when nothing readable would remain (fewer than eight words) or an answer would still stand.
    """
    gone = {s.index for s in passage.answer_sentences}
    for sentence in passage.sentences:
        if sentence.index - 1 in gone and sentence.index not in gone and leans_back(sentence.text):
            first = sentence.text.split()[0].lower()
            if first in {"he", "she", "it", "they", "this", "that", "these", "those", "such"}:
                gone.add(sentence.index)
    left = excise_sentences(passage.text, [s for s in passage.sentences if s.index in gone])
    if len(left.split()) < 8 or find_answers(left, answers):
        return None
    return left


def still_answers(text: str, answers: tuple[str, ...]) -> bool:
    """Say whether a text still gives an accepted answer."""
    return bool(analyse_passage(0, text, True, answers).answers)
