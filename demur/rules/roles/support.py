"""Support of claims by texts. The texts must have most words of a claim, and all names and numbers of the claim."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from demur.text.analysis import content_words
from demur.text.lexicon import FUNCTION_WORDS
from demur.text.tokens import sentences, words

LEAST_OF_ONE: Final = 0.7
LEAST_OF_ALL: Final = 0.85
LEAST_COPIED: Final = 3
"""Sentences of a copy. A person who quotes one or two sentences answers with them."""
CITATION = re.compile(r"(?<!\s)\s*\[\d+(?:\s*,\s*\d+)*\]")
_NOTHING_SAID: Final = frozenset(
    {"yes", "no", "sure", "answer", "passage", "passages", "according", "text", "question"}
)


@dataclass(frozen=True, slots=True)
class Support:
    """The first claim without support; empty if all claims are supported."""

    unsupported: str


def supported(claims: str, texts: Sequence[str], granted: str = "") -> Support:
    """Return the first sentence of `claims` without support.

    A sentence has support if one text has its values and 70 % of its content words, or if all texts together have its
    values and 85 % of these words. Values are numbers, and capitalised words that do not open the sentence. Words of
    `granted`, such as the question, need no support.
    """
    held = [content_words(text) for text in texts]
    together = frozenset().union(*held)
    given = content_words(granted) | _NOTHING_SAID
    known = _norms(granted)
    for sentence in sentences(claims):
        wanted = content_words(sentence.text) - given
        if not wanted:
            continue
        values = _values(sentence.text) - known
        one = any(
            len(wanted & own) >= LEAST_OF_ONE * len(wanted) and values <= _norms(text)
            for own, text in zip(held, texts, strict=True)
        )
        whole = len(wanted & together) >= LEAST_OF_ALL * len(wanted)
        if not (one or (whole and values <= frozenset().union(*map(_norms, texts)))):
            return Support(sentence.text)
    return Support("")


def copies(claim: str, texts: Sequence[str]) -> bool:
    """Return whether a claim of several sentences says nothing but sentences of the texts, in their words.

    Such a copy may hold an answer, and answers nothing.
    """
    said = [_said(sentence.text) for sentence in sentences(claim)]
    held = [_said(text) for text in texts]
    return len(said) >= LEAST_COPIED and all(any(sentence in text for text in held) for sentence in said)


def without_citations(text: str) -> str:
    """Return a text without citations (numbers of passages in square brackets)."""
    return CITATION.sub("", text)


@lru_cache(maxsize=4096)
def _said(text: str) -> str:
    """Return the words of a text alone, with a blank around each."""
    return f" {' '.join(token.norm for token in words(text))} "


@lru_cache(maxsize=4096)
def _norms(text: str) -> frozenset[str]:
    return frozenset(t.norm for t in words(text))


def _values(sentence: str) -> frozenset[str]:
    return frozenset(
        t.norm
        for number, t in enumerate(words(sentence))
        if t.norm[:1].isdigit() or (number and t.is_capitalised and t.norm not in FUNCTION_WORDS)
    )
