"""The round's corpus as the rules lane uses it: passages of other base instances."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from demur.levers.instances import BaseInstance
from demur.levers.vocabulary import ENGLISH
from demur.text.questions import content_words

_SCARS: Final = re.compile(r"\(\W*\)|\[\W*\]|\{|\s[,.;]|\n|\"\W*\"(?=\W)|“\W*”")
"""Traces that the extraction of text leaves of lists and brackets."""
MOST_BASES = 400
"""Largest number of base instances of a corpus; reading more takes seconds and brings no better choice."""


@dataclass(frozen=True)
class Corpus:
    """Base instances whose passages can replace the passages of another base instance."""

    bases: tuple[BaseInstance, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, bases: Iterable[BaseInstance]) -> "Corpus":
        """Return a corpus of at most `MOST_BASES` of these base instances. Their order does not change the choice."""
        marked = {hashlib.sha256(base.model_dump_json().encode()).hexdigest(): base for base in bases}
        return cls(tuple(marked[digest] for digest in sorted(marked)[:MOST_BASES]))

    @cached_property
    def digest(self) -> str:
        """The digest of all base instances."""
        shown = "\n".join(base.model_dump_json() for base in self.bases)
        return hashlib.sha256(shown.encode()).hexdigest()[:16]

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The distinct passages in English. Passages with remains of lists or brackets (`_SCARS`) are left out."""
        given = dict.fromkeys(p.text for base in self.bases if base.language == ENGLISH for p in base.passages)
        return tuple(text for text in given if not _SCARS.search(text))

    @cached_property
    def _words(self) -> tuple[frozenset[str], ...]:
        return tuple(content_words(text) for text in self.texts)

    def strange_to(self, base: BaseInstance) -> Iterator[str]:
        """Yield passages of other base instances that have no content word of the question or answers of `base`."""
        asked = content_words(base.question) | frozenset(w for a in base.answers for w in content_words(a))
        own = {p.text for p in base.passages}
        for text, said in zip(self.texts, self._words, strict=True):
            if text not in own and not asked & said:
                yield text


NO_CORPUS = Corpus()
