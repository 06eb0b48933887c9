"""Sentences added to every signal passage, each about that passage's own subject, and a register-true question."""

import random
from collections.abc import Sequence

from demur.programs.rules.edits.casing import in_register
from demur.programs.rules.edits.strategy import apply_to_signal_passages
from demur.programs.rules.edits.text import insert_sentence, lower_opener
from demur.programs.rules.subjects.find import Subject
from demur.programs.rules.subjects.phrases import passage_subject
from demur.programs.text.analysis import Analysis, PassageAnalysis
from demur.programs.text.lexicon import FUNCTION_WORDS


def ask(analysis: Analysis, text: str) -> str:
    """Return a new question in the register of the base question."""
    return in_register(analysis.question, text)


def lead_in(analysis: Analysis, opener: str) -> str:
    """Return the whole base question after an opener: 'in all likelihood, who played stumpy in ...'."""
    return in_register(analysis.question, f"{opener}, {inner_question(analysis)}")


def inner_question(analysis: Analysis) -> str:
    """Return the base question without mark and opening capital, to stand inside another sentence."""
    question = analysis.question
    bare = question.bare
    opens_with_word = question.fronted and question.wh_span is not None
    first = question.tokens[0].norm if question.tokens else ""
    second = question.tokens[1].text if len(question.tokens) > 1 else ""
    if first in {"do", "are", "is"} and any(f"{bare[: len(first)]} {second}" in p.text for p in analysis.signal):
        return bare  # 'Do Lafzon Ki Kahani' is a name
    small = opens_with_word or first in FUNCTION_WORDS | {"besides", "other", "generally", "name", "according"}
    return bare[0].lower() + bare[1:] if small and bare[:2] != "I " else lower_opener(bare)


def spoken_of(passage: PassageAnalysis, subject: Subject | None) -> str | None:
    """Return what a remark at the end of a passage can call the passage's subject, None where nothing is sure."""
    own = passage_subject(passage)
    if own is not None:
        return own
    if subject is not None and subject.name in passage.text and subject.name[:1].isupper():
        return subject.in_text
    return None


def add_remark(passage: PassageAnalysis, remark: str) -> str:
    """Return the passage with a remark at its end, or before it where the passage breaks off in mid-sentence."""
    closed = passage.text.rstrip().endswith((".", "!", "?", '"', "”", ")", "]"))
    return insert_sentence(passage.text, remark, after=None if closed else -1)


def remark_everywhere(
    analysis: Analysis, subject: Subject | None, remarks: Sequence[str], rng: random.Random
) -> dict[int, str] | None:
    """Add a remark to every signal passage, by turns.

    '{p}' in a remark stands for the passage's own subject; remarks without it go to passages that name none first.
    """
    order = list(remarks)
    rng.shuffle(order)
    turn = {p.index: at for at, p in enumerate(analysis.signal)}

    def edit(passage: PassageAnalysis) -> str | None:
        called = spoken_of(passage, subject)
        fitting = [r for r in order if ("{p}" in r) == (called is not None)] or [r for r in order if "{p}" not in r]
        if not fitting:
            return None
        chosen = fitting[turn[passage.index] % len(fitting)]
        return add_remark(passage, chosen.replace("{p}", called or ""))

    return apply_to_signal_passages(analysis, edit)
