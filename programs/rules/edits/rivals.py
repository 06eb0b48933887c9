"""Sentences that say something else than the passage does about what is asked."""

import random

from programs.rules.analysis.analysis import Analysis
from programs.rules.analysis.lexicon import word_set
from programs.rules.analysis.tokens import tokenise
from programs.rules.edits.answers import answer_spans
from programs.rules.edits.pools import alternative
from programs.rules.edits.statements import state
from programs.rules.edits.text import replace_spans

_PRONOUNS = word_set("he she it they this these his her its their")


def restated(analysis: Analysis, value: str) -> str | None:
    """Return the passage's own answer sentence with `value` for the answer; a pronoun that opens it becomes the topic.

    None where the sentence leans on another in a way that can't be mended.
    """
    sentence = analysis.answer_sentence
    if sentence is None:
        return None
    spans = [s for s in answer_spans(analysis.main) if sentence.span.covers(s)]
    text = replace_spans(analysis.main.text, [(s, value) for s in spans])
    end = sentence.span.end + len(text) - len(analysis.main.text)
    said = text[sentence.span.start : end]
    first = next((t for t in tokenise(said) if t.is_word), None)
    if first is None or first.norm not in _PRONOUNS:
        return said
    if first.norm in {"he", "she", "it", "they"} and analysis.topic is not None and first.start == 0:
        return analysis.topic.name + said[first.end :]
    return None


def rival_statement(analysis: Analysis, rng: random.Random) -> tuple[str, str] | None:
    """Return a full sentence that gives another answer, and that answer; None where no rival can be made.

    The question's own words are preferred, the passage's sentence is the fallback.
    """
    value = alternative(analysis, rng)
    if value is None:
        return None
    said = state(analysis, value) or restated(analysis, value)
    return (said, value) if said else None
