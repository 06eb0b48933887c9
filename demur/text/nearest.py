"""Texts of a corpus nearest to another text: those that share most content words with it, less where they are long."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Set

from demur.text.questions import content_words


def likeness(words: Set[str], said: Set[str]) -> float:
    """Return how many words of a text are among others, divided by the root of how many it has."""
    return len(words & said) / math.sqrt(len(words) or 1)


class NearestTexts:
    """Texts by their content words, each text once; the same whatever the order in which they were given."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = tuple(sorted(set(texts)))
        self._sizes: list[int] = []
        self._holding: defaultdict[str, list[int]] = defaultdict(list)
        for number, text in enumerate(self.texts):
            words = content_words(text)
            self._sizes.append(len(words))
            for word in words:
                self._holding[word].append(number)

    def to(self, near: str) -> Iterator[str]:
        """Yield all texts, the nearest one to `near` first; equally near ones by their letters."""
        shared = Counter(number for word in content_words(near) for number in self._holding.get(word, ()))
        ranks = range(len(self.texts))
        for number in sorted(ranks, key=lambda n: (-shared[n] / math.sqrt(self._sizes[n] or 1), n)):
            yield self.texts[number]
