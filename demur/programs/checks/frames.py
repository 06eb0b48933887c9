"""Frames of planted text. In a frame, blanks replace names, numbers, and words of the base instance.

Items with equal frames look alike to readers of a benchmark, whatever their subject.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from demur.levers.instances import BaseInstance, Perturbation
from demur.programs.checks.diff import compare
from demur.text.lexicon import FUNCTION_WORDS
from demur.text.support import TextPart, supports
from demur.text.tokens import Token, tokenise

BLANK: Final = "_"
GRAM_WORDS: Final = 3
"""Words of a gram: two coincide too often by chance, four miss frames with one exchanged word."""


def frame_grams(base: BaseInstance, perturbation: Perturbation) -> list[str]:
    """Return the distinct grams of the planted text's frame in sorted order. An example is `according to _`.

    A gram is three adjoining words of the frame. Blanks replace names, numbers, and words of the base instance, except
    function words. Adjoining blanks become one blank. A gram has at least two words besides blanks, and at least one of
    these words is not a function word.

    Function words are known for English only. In other languages, blanks replace all words of the base instance. In
    scripts without spaces, each character is a word.
    """
    text = "\n".join((base.question, *(passage.text for passage in base.passages)))
    kept = FUNCTION_WORDS if supports(base.language, TextPart.WORDS) else frozenset()
    known = {token.norm for token in tokenise(text)} - kept
    pieces = (span.of(part.new) for _, part in compare(base, perturbation).parts for span in part.added)
    return sorted({gram for piece in pieces for gram in _grams(list(_frame(piece, known)))})


def _frame(piece: str, known: set[str]) -> Iterator[str]:
    words = [token for token in tokenise(piece) if token.is_word]
    masked = [BLANK if _is_content(word, first=n == 0, known=known) else word.norm for n, word in enumerate(words)]
    for before, word in pairwise([None, *masked]):
        if word is not None and not word == before == BLANK:
            yield word


def _is_content(word: Token, *, first: bool, known: set[str]) -> bool:
    """Return whether a blank replaces this word: a word of the base instance, a number or a name."""
    return word.norm in known or word.text[0].isdigit() or (word.is_capitalised and not first)


def _grams(frame: list[str]) -> Iterator[str]:
    for start in range(len(frame) - GRAM_WORDS + 1):
        words = [word for word in frame[start : start + GRAM_WORDS] if word != BLANK]
        if len(words) >= 2 and any(word not in FUNCTION_WORDS for word in words):
            yield " ".join(frame[start : start + GRAM_WORDS])
