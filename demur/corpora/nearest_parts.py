"""Parts of long texts, such as whole web pages, that are nearest to a question."""

from collections.abc import Iterator, Sequence
from typing import Final

from demur.corpora.jsonl import Record

_MOST: Final = 180
"""The largest number of words of a part."""


def nearest_parts(passages: Sequence[Record], question: str, wanted: int, *, html: bool) -> list[Record]:
    """Return the parts of texts that are nearest to a question, at most `wanted`, in the order of the texts.

    A part consists of whole sentences, with 180 words at most. Equal parts are returned once.

    Args:
        passages: The texts, each with its title.
        question: The question.
        wanted: The largest number of parts.
        html: Whether the texts are HTML.
    """
    from demur.corpora.documents.nearest import NearestPassages

    parts: dict[str, Record] = {}
    for passage in passages:
        for text in _parts(str(passage["text"]), html=html):
            parts.setdefault(text, {**passage, "text": text})
    index = NearestPassages((text, text) for text in parts)
    chosen = set(index.nearest(question, wanted, lambda text: True))
    return [part for text, part in parts.items() if text in chosen]


def _parts(text: str, *, html: bool) -> Iterator[str]:
    """Yield parts of whole sentences. Whole pages have too many sentences for the best cuts, as documents have them."""
    words: list[str] = []
    for sentence in _sentences(text, html=html):
        more = sentence.split()
        if words and len(words) + len(more) > _MOST:
            yield " ".join(words)
            words = []
        words += more
        while len(words) > _MOST:  # a table without full stops
            yield " ".join(words[:_MOST])
            words = words[_MOST:]
    if words:
        yield " ".join(words)


def _sentences(text: str, *, html: bool) -> Iterator[str]:
    import sentencex

    blocks = text.split("\n")
    if html and "<" in text:
        from demur.corpora.documents.blocks import LeftOut
        from demur.corpora.documents.readers.html import read

        try:
            blocks = [block.text for block in read(text.encode("utf-8", "replace")).blocks]
        except LeftOut:
            return
    for block in blocks:
        yield from sentencex.segment("en", block)
