"""Cutting answer sentences out of every passage, or putting one sentence in their place."""

from programs.rules.analysis.analysis import Analysis, PassageAnalysis, leans_back
from programs.rules.analysis.lexicon import word_set
from programs.rules.analysis.tokens import tokenise
from programs.rules.edits.strategy import Edit, remove_answer_everywhere
from programs.rules.edits.text import excise_sentences
from programs.rules.recipes.registry import Declined, DeclineReason, Draft

_BACK = word_set("he she it they this that these those such his her its their")


def everywhere(analysis: Analysis, edit: Edit, reasoning: str) -> Draft | Declined:
    """Make one edit in every passage that gives the answer."""
    if not analysis.answering:
        return Declined(DeclineReason.NO_ANSWER_IN_PASSAGES)
    changed = remove_answer_everywhere(analysis, edit)
    if changed is None:
        return Declined(DeclineReason.NO_SUITABLE_SPAN)
    return Draft(analysis.question.text, changed, reasoning, "No passage gives an accepted answer any more.")


def leaning(passage: PassageAnalysis, gone: set[int]) -> set[int]:
    """Return `gone` with the sentences that open with a pronoun for something in the sentence cut before them."""
    wider = set(gone)
    for sentence in passage.sentences:
        first = next((t.norm for t in tokenise(sentence.text) if t.is_word), "")
        if sentence.index - 1 in wider and leans_back(sentence.text) and first in _BACK:
            wider.add(sentence.index)
    return wider


def swap_sentences(passage: PassageAnalysis, gone: set[int], instead: str | None = None) -> str | None:
    """Return the passage without the sentences `gone`, `instead` where the first of them stood.

    None when fewer than eight words of it remain and nothing is put in.
    """
    cut = [s for s in passage.sentences if s.index in gone]
    if not cut:
        return None
    if instead is None:
        left = excise_sentences(passage.text, cut)
        return left if len(left.split()) >= 8 else None
    first, rest = cut[0], cut[1:]
    text = excise_sentences(passage.text, rest)
    return text[: first.span.start] + instead + text[first.span.end :]


def answer_indices(passage: PassageAnalysis) -> set[int]:
    """Return the numbers of the sentences that hold an accepted answer."""
    return {s.index for s in passage.answer_sentences}
