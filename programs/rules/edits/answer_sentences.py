"""Cutting answer sentences out of a passage, or putting one sentence in their place."""

from programs.rules.analysis.analysis import PassageAnalysis, leans_back
from programs.rules.analysis.lexicon import word_set
from programs.rules.analysis.tokens import tokenise
from programs.rules.edits.text import excise_sentences

_BACK = word_set("he she it they this that these those such his her its their")


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
