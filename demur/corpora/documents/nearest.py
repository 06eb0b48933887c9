"""Search for the passages nearest to a question, by BM25.

The search terms are words. In scripts without spaces, the terms are pairs of characters.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

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
