"""Passages of a document, sentences joined until they have 120 to 220 words, and the search for the nearest ones."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from demur.corpora.documents.blocks import Block

# Passages of a document: sentences that are joined until they have 120 to 220 words.
#
# If a section is long enough, its sentences are not joined with sentences of other sections.


LEAST: Final = 120
MOST: Final = 220
"""The largest number of words of a passage. A document with fewer than LEAST words is one passage."""
SHORTEST_DOCUMENT: Final = 20
"""The fewest words of a document."""
BETWEEN_HEADINGS: Final = " > "
_WORD: Final = re.compile(r"[^\W_]+(?:['’.,:/-][^\W_]+)*")
_IDEOGRAPH: Final = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_SYLLABLE: Final = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_WORDS_AN_IDEOGRAPH: Final = 0.6
_WORDS_A_SYLLABLE: Final = 0.22
"""English words per character.

Chinese and Japanese need about five characters for three words; Thai, Lao, Burmese and Khmer need nine for two.
"""
_ABBREVIATED: Final = re.compile(r"\b[A-Z][a-z]{0,3}\.\s*$")
_NOTES: Final = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹]+\s*")
_GOES_ON: Final = re.compile(r"\s*\(?(?:[a-zà-öø-ÿ]{2}|\d)")
_MISFIT: Final = 8.0
_MISFIT_A_SHARE: Final = 20.0
_LONG_A_WORD: Final = 0.05
_WITHIN_BLOCK: Final = 1.0
_AT_BLOCK: Final = 0.3
_WITHIN_SENTENCE: Final = 4.0
_OVER_HEADING: Final = 1.5
"""Costs of passages and cuts: length counts most, then whole sections, then whole paragraphs."""


@dataclass(frozen=True, slots=True)
class SplitPassage:
    """A passage and its place.

    `start` and `end` give the passage's characters in the document's text, from 0. `page` is the passage's first page,
    from 1; None if the document has no pages.
    """

    text: str
    start: int
    end: int
    title: str | None
    page: int | None
    words: int


@dataclass(frozen=True, slots=True)
class SplitDocument:
    """A document's text and its length in words, with its passages."""

    text: str
    words: int
    passages: tuple[SplitPassage, ...]


@dataclass(slots=True)
class _Piece:
    """A sentence, or a part of a long sentence.

    `lead` is the number of words in the headings between the previous piece and this piece. `after` is the cost of a
    passage that ends with this piece. No passage goes on into a piece that begins a document.
    """

    start: int
    end: int
    words: float
    lead: float
    title: tuple[str, ...]
    page: int | None
    after: float = _WITHIN_BLOCK
    begins_document: bool = False


def measure(text: str) -> float:
    """Return the number of words in a text.

    In scripts without spaces, a character is a fraction of a word, so that passages have the same length as in English.
    """
    if text.isascii():
        return float(len(_WORD.findall(text)))
    ideographs = len(_IDEOGRAPH.findall(text))
    syllables = len(_SYLLABLE.findall(text))
    spaced = _SYLLABLE.sub(" ", _IDEOGRAPH.sub(" ", text))
    return len(_WORD.findall(spaced)) + _WORDS_AN_IDEOGRAPH * ideographs + _WORDS_A_SYLLABLE * syllables


def split(blocks: Sequence[Block], language: str | None, title: str | None = None) -> SplitDocument:
    """Return the passages of a document in their order.

    A passage ends at the end of a sentence. A passage has sentences of several sections only if a section is shorter
    than a passage. The title of a passage consists of the headings above the first sentence, and of the header
    row if the passage begins below it in a table. The headings of later sections are in the text of the passage.

    Args:
        blocks: the document's blocks from a reader.
        language: the code of the language, which decides where sentences end; None if unknown.
        title: the document's title, placed before the headings.
    """
    text = ""
    pieces: list[_Piece] = []
    headings: dict[int, str] = {0: title} if title else {}
    lead = 0.0
    begins = False
    previous: Block | None = None
    parts: list[str] = []
    length = 0
    for block in blocks:
        if block.begins_document:
            headings = {0: title} if title else {}
            begins = True
        gap = _gap(previous, block)
        parts += [gap, block.text]
        start, length = length + len(gap), length + len(gap) + len(block.text)
        previous = block
        if block.level:
            headings = {level: name for level, name in headings.items() if level < block.level}
            if block.text != title:
                headings[block.level] = block.text
            lead += measure(block.text)
            if pieces:
                pieces[-1].after = 0.0
            continue
        if pieces and pieces[-1].after == _WITHIN_BLOCK:
            pieces[-1].after = _AT_BLOCK
        path = tuple(headings[level] for level in sorted(headings))
        if block.header is not None:
            path = (*path, block.header)
        for first, last, after in _sentences(block.text, language):
            words = measure(block.text[first:last])
            pieces.append(_Piece(start + first, start + last, words, lead, path, block.page, after, begins))
            lead, begins = 0.0, False
    text = "".join(parts)
    passages = tuple(_passage(text, pieces[first:last]) for first, last in _cuts(pieces))
    return SplitDocument(text, round(sum(piece.words for piece in pieces)), passages)


def _passage(text: str, pieces: Sequence[_Piece]) -> SplitPassage:
    first = pieces[0]
    own = text[first.start : pieces[-1].end]
    title = BETWEEN_HEADINGS.join(first.title) or None
    return SplitPassage(own, first.start, pieces[-1].end, title, first.page, round(measure(own)))


def _gap(previous: Block | None, block: Block) -> str:
    if previous is None:
        return ""
    if previous.level or block.level or previous.line or block.line or block.begins_document:
        return "\n"
    return "" if _IDEOGRAPH.match(block.text) else " "


def _sentences(text: str, language: str | None) -> Iterator[tuple[int, int, float]]:
    """Yield start and end of each sentence of a block, and the cost of a passage that ends there."""
    import sentencex

    start = 0
    for sentence in _whole(sentencex.segment(_segmenter(language), text)):
        bare = sentence.strip()
        first = start + len(sentence) - len(sentence.lstrip())
        start += len(sentence)
        if bare and measure(bare) <= MOST:
            yield first, first + len(bare), _WITHIN_BLOCK
        elif bare:
            yield from _parts(bare, first)


def _whole(sentences: Iterable[str]) -> Iterator[str]:
    """Yield sentences with the raised numbers of notes behind them.

    One that goes on in small letters behind an abbreviation is joined with it.
    """
    held = ""
    for sentence in sentences:
        if held and (notes := _NOTES.match(sentence)) is not None:
            held += notes.group()
            sentence = sentence[notes.end() :]
        if held and not (_ABBREVIATED.search(held) and _GOES_ON.match(sentence)):
            yield held
            held = ""
        held += sentence
    if held:
        yield held


def _parts(sentence: str, offset: int) -> Iterator[tuple[int, int, float]]:
    """Yield parts of a sentence that is longer than a passage, such as a table without full stops."""
    start, end, words = 0, 0, 0.0
    for token in re.finditer(r"\s*(?:[^\s\u3040-\u9fff]+|[\u3040-\u9fff])", sentence):
        size = measure(token.group())
        if words + size > LEAST and end > start:
            yield offset + start, offset + end, _WITHIN_SENTENCE
            start, words = token.end() - len(token.group().lstrip()), 0.0
        end, words = token.end(), words + size
    yield offset + start, offset + end, _WITHIN_BLOCK


@lru_cache(maxsize=64)
def _segmenter(language: str | None) -> str:
    return language or "en"


def _cuts(pieces: Sequence[_Piece]) -> list[tuple[int, int]]:
    """Choose the passages with the least total cost, and return the start and exclusive end of each in `pieces`."""
    best = [0.0]
    came_from = [0]
    for end in range(1, len(pieces) + 1):
        words, over = 0.0, 0
        least, origin = float("inf"), end - 1
        for start in range(end - 1, -1, -1):
            if start < end - 1 and pieces[start + 1].begins_document:
                break
            if start < end - 1 and pieces[start + 1].lead:
                words += pieces[start + 1].lead
                over += 1
            words += pieces[start].words
            if words > 2 * MOST and start < end - 1:
                break
            cost = best[start] + _misfit(words) + _OVER_HEADING * over + pieces[end - 1].after
            if cost < least:
                least, origin = cost, start
        best.append(least)
        came_from.append(origin)
    cuts: list[tuple[int, int]] = []
    end = len(pieces)
    while end:
        cuts.append((came_from[end], end))
        end = came_from[end]
    return cuts[::-1]


def _misfit(words: float) -> float:
    if words < LEAST:
        return _MISFIT + _MISFIT_A_SHARE * (LEAST - words) / LEAST
    if words > MOST:
        return _MISFIT + _MISFIT_A_SHARE * (words - MOST) / MOST
    return _LONG_A_WORD * (words - LEAST)


def heading_of(document: str | None, headings: str | None) -> str:
    """Return a document's title and the headings above a passage in one line; empty if there are none."""
    above = headings or ""
    title = document or ""
    parts = [title] if title and not above.casefold().startswith(title.casefold()) else []
    return BETWEEN_HEADINGS.join([*parts, above] if above else parts)


def shown_text(document: str | None, headings: str | None, text: str) -> str:
    """Return a passage below its heading, as models and readers see it."""
    heading = heading_of(document, headings)
    return f"{heading}\n{text}" if heading else text


# Search for the passages nearest to a question, by BM25.
#
# The search terms are words. In scripts without spaces, the terms are pairs of characters.


_RUN: Final = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+"
    r"|[^\W_]+"
)
_FIRST_UNSPACED: Final = "\u0e00"


def terms(text: str) -> list[str]:
    """Return the search terms of a text: words in lower case, or pairs of characters in scripts without spaces."""
    found: list[str] = []
    for run in _RUN.findall(unicodedata.normalize("NFKC", text).casefold()):
        if run[0] < _FIRST_UNSPACED or _is_spaced(run[0]):
            found.append(run)
        else:
            found.extend(run[at : at + 2] for at in range(max(1, len(run) - 1)))
    return found


def _is_spaced(letter: str) -> bool:
    return not (
        "\u0e00" <= letter <= "\u0eff" or "\u1000" <= letter <= "\u109f" or "\u1780" <= letter <= "\u17ff"
    ) and not ("\u3040" <= letter <= "\u9fff" or "\uf900" <= letter <= "\ufaff" or letter >= "\U00020000")


class NearestPassages:
    """A search index of passages by id."""

    def __init__(self, passages: Iterable[tuple[str, str]]) -> None:
        """Build the index from ids and texts; texts are not kept."""
        import bm25s

        self._ids: list[str] = []
        numbers: dict[str, int] = {}

        def numbered() -> Iterator[list[int]]:
            for passage_id, text in passages:
                self._ids.append(passage_id)
                yield [numbers.setdefault(term, len(numbers)) for term in terms(text)]

        numbered_terms = list(numbered())
        self._numbers = numbers
        self._index = bm25s.BM25() if any(numbered_terms) else None
        if self._index is not None:
            self._index.index((numbered_terms, numbers), show_progress=False)

    def nearest(self, query: str, wanted: int, suits: Callable[[str], bool]) -> list[str]:
        """Return the ids of at most `wanted` passages, the passage nearest to the query first.

        Passages that share no word with the query are last, in the order of the index. Only ids are returned for which
        `suits` returns true.
        """
        if wanted <= 0:
            return []
        found: list[str] = []
        for place in self._order(query):
            if suits(self._ids[place]):
                found.append(self._ids[place])
                if len(found) == wanted:
                    break
        return found

    def _order(self, query: str) -> Sequence[int]:
        import numpy as np

        known = [term for term in terms(query) if term in self._numbers]
        if self._index is None or not known:
            return range(len(self._ids))
        order: list[int] = np.argsort(-self._index.get_scores(known), kind="stable").tolist()
        return order
