"""The round's corpus as the rules lane uses it: values of a kind, and passages, taken from other base instances."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from demur.levers.frames import Kind
from demur.levers.instances import BaseInstance
from demur.programs.checks.foreign import is_foreign
from demur.text.analysis import analyse
from demur.text.dates import find_dates
from demur.text.kinds import NAMED, introduced, is_full_name, kind_of_answer, kind_of_form, kind_of_last_word
from demur.text.lexicon import lemma_of
from demur.text.names import NamedMention, NameKind, find_names
from demur.text.nearest import likeness
from demur.text.questions import content_words
from demur.text.tokens import fold, sentences

_SCARS: Final = re.compile(r"\(\W*\)|\[\W*\]|\{|\s[,.;]|\n|\"\W*\"(?=\W)|“\W*”")
"""What extraction leaves of lists and brackets."""
_RECENT: Final = 1940
"""From this year on, a name of which no time is told can be of the time."""
_ERA: Final = 40
"""Years within which people and things are of one time."""
MOST_BASES = 400
"""Base instances of which a corpus consists at most: reading more takes seconds and brings no better choice."""

_PLAYER: Final = re.compile(r" \((?:played by )?[A-Z][\w.]+(?: [A-Z][\w.]+){1,2}\)")
"""The player behind a part."""


@dataclass(frozen=True, slots=True)
class Value:
    """A name, with the words and the last year of the passage in which it stands."""

    name: str
    words: frozenset[str]
    year: int | None = None

    def is_of(self, year: int | None) -> bool:
        """Return whether nothing tells that its time is another than that year's."""
        if self.year is None or year is None:
            return year is None or year >= _RECENT
        return abs(self.year - year) <= _ERA

    def likeness(self, said: frozenset[str]) -> float:
        """Return how many words its passage shares with others, less where it is long."""
        return likeness(self.words, said)


@dataclass(frozen=True)
class Corpus:
    """Base instances, from whose questions, answers and passages other values and texts are taken."""

    bases: tuple[BaseInstance, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, bases: Iterable[BaseInstance]) -> "Corpus":
        """Return the corpus of these base instances: at most `MOST_BASES`, the same ones whatever their order."""
        marked = {hashlib.sha256(base.model_dump_json().encode()).hexdigest(): base for base in bases}
        return cls(tuple(marked[digest] for digest in sorted(marked)[:MOST_BASES]))

    @cached_property
    def digest(self) -> str:
        """The digest of all base instances."""
        shown = "\n".join(base.model_dump_json() for base in self.bases)
        return hashlib.sha256(shown.encode()).hexdigest()[:16]

    @cached_property
    def _values(self) -> dict[Kind, tuple[Value, ...]]:
        found: dict[Kind, dict[str, Value]] = {}
        for base in self.bases:
            for kind, value, text in _named_in(base):
                found.setdefault(kind, {}).setdefault(fold(value), Value(value, content_words(text), last_year(text)))
        return {kind: tuple(values[key] for key in sorted(values)) for kind, values in found.items()}

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The passages in plain English, each once, without those that have scars of extraction."""
        given = dict.fromkeys(p.text for base in self.bases for p in base.passages)
        return tuple(t for t in given if not _SCARS.search(t) and not any(is_foreign(s.text) for s in sentences(t)))

    @cached_property
    def _words(self) -> tuple[frozenset[str], ...]:
        return tuple(content_words(text) for text in self.texts)

    @cached_property
    def _ranked(self) -> dict[tuple[Kind, str, int | None], list[str]]:
        """What `values` returned before: every lever of a stratum asks for the same."""
        return {}

    def values(self, kind: Kind, near: str, year: int | None = None) -> list[str]:
        """Return all names of a kind, those first whose passage shares most words with the text `near`.

        Where a year is given, the passage of a name must be of its time.
        """
        key = kind, near, year
        if key not in self._ranked:
            said = content_words(near)
            usable = [v for v in self._values.get(kind, ()) if v.is_of(year)]
            found = sorted(usable, key=lambda value: (-value.likeness(said), value.name))
            self._ranked[key] = [value.name for value in found]
        return self._ranked[key]

    def strange_to(self, base: BaseInstance) -> Iterator[str]:
        """Yield passages that share no name and next to no word with question and passages of a base instance."""
        asked = content_words(base.question) | frozenset(w for a in base.answers for w in content_words(a))
        own = {p.text for p in base.passages}
        for text, said in zip(self.texts, self._words, strict=True):
            if text not in own and not asked & said:
                yield text


def last_year(text: str) -> int | None:
    """Return the last year that a text tells."""
    return max((date.year for date in find_dates(text) if date.year), default=None)


NO_CORPUS = Corpus()


def _named_in(base: BaseInstance) -> Iterator[tuple[Kind, str, str]]:
    """Yield names with their kind and the text in which they stand."""
    analysis = analyse(base)
    kind = kind_of_answer(analysis)
    if kind in NAMED and kind is not None:
        yield kind, analysis.answer.strip(), analysis.main.text
    for passage in base.passages:
        if entry := introduced(passage.text):
            yield entry[1], entry[0], passage.text
        if passage.relevant:
            for name in find_names(passage.text):
                if (kind := _kind_of_name(name)) is not None and not _is_character(passage.text, name):
                    yield kind, name.text, passage.text


def _is_character(text: str, name: NamedMention) -> bool:
    """Return whether a person is somebody's part: 'Ada Brandt as Mara Quill', 'Mara Quill (Ada Brandt)'."""
    before = text[: name.span.start]
    after = text[name.span.end :]
    return before.endswith((" as ", " character ", " role of ")) or _PLAYER.match(after) is not None


def _kind_of_name(name: NamedMention) -> Kind | None:
    """Return the kind of a name within a text where its form leaves no doubt."""
    if name.kind is NameKind.PERSON:
        last = name.last_word
        crowd = last.endswith("s") and lemma_of(last) != last  # 'Charlotte Hornets'
        return Kind.PERSON if is_full_name(name.text) and not crowd else None
    return kind_of_last_word(name.text) or (kind_of_form(name.text) if name.kind is NameKind.PLACE else None)
