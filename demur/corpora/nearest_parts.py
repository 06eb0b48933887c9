"""Parts of long texts, such as whole web pages, that are nearest to a question."""

from collections.abc import Iterator, Sequence

from demur.corpora.jsonl import Record


def nearest_parts(passages: Sequence[Record], question: str, wanted: int, *, html: bool) -> list[Record]:
    """Return the parts of texts that are nearest to a question, at most `wanted`, in the order of the texts.

    A part has 120 to 220 words, as passages of documents have; a shorter text is one part. Equal parts are returned
    once.

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
    from demur.corpora.documents.blocks import Block, LeftOut
    from demur.corpora.documents.passages import split

    blocks: Sequence[Block] = [Block(" ".join(part.split())) for part in text.split("\n") if part.strip()]
    if html and "<" in text:
        from demur.corpora.documents.readers.html import read

        try:
            blocks = read(text.encode("utf-8", "replace")).blocks
        except LeftOut:
            return
    for passage in split(blocks, None).passages:
        yield passage.text
