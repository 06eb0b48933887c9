"""Whether texts bear out what is claimed: most words of each claim, and every name and number of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from programs.rules.analysis.lexicon import FUNCTION_WORDS
from programs.rules.analysis.questions import content_words
from programs.rules.analysis.tokens import fold, sentences, words

LEAST_OF_ONE: Final = 0.7
LEAST_OF_ALL: Final = 0.85
_NOTHING_SAID: Final = frozenset(
    {"yes", "no", "sure", "answer", "passage", "passages", "according", "text", "question"}
)


@dataclass(frozen=True, slots=True)
class Support:
    """The first claim that nothing bears out; empty where all are supported."""

    unsupported: str


def supported(claims: str, texts: Sequence[str]) -> Support:
    """Check each sentence of `claims`: one text has 70 % of its content words, or all together 85 %, and its values.

    Values are numbers and capitalised words that do not open the sentence; each must stand in the same text or texts.
    """
    held = [content_words(text) for text in texts]
    together = frozenset().union(*held)
    for sentence in sentences(claims):
        wanted = content_words(sentence.text) - _NOTHING_SAID
        if not wanted:
            continue
        values = _values(sentence.text)
        one = any(
            len(wanted & own) >= LEAST_OF_ONE * len(wanted) and _said(values, text)
            for own, text in zip(held, texts, strict=True)
        )
        whole = len(wanted & together) >= LEAST_OF_ALL * len(wanted) and _said(values, " ".join(texts))
        if not (one or whole):
            return Support(sentence.text)
    return Support("")


def _values(sentence: str) -> frozenset[str]:
    tokens = words(sentence)
    return frozenset(
        t.norm
        for number, t in enumerate(tokens)
        if t.norm[:1].isdigit() or (number and t.is_capitalised and t.norm not in FUNCTION_WORDS)
    )


def _said(values: frozenset[str], text: str) -> bool:
    if not values:
        return True
    known = {t.norm for t in words(text)}
    low = fold(text)
    return all(value in known or value in low for value in values)
