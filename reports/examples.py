"""Perturbed examples beside their originals: which words changed, which passages stayed."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

import pandas as pd

from demur.reports.frames import records
from demur.reports.names import CLASSES, CODES, INTENSITIES
from demur.reports.text import plain
from demur.reports.worddiff import Change, Stretch, word_diff

_WORD: Final = re.compile(r"\S*\w\S*")
_CONTEXT_WORDS: Final = 30
_WORTH_CUTTING_WORDS: Final = 40


@dataclass(frozen=True, slots=True)
class Cut:
    """So many words that stayed as they were and are left out of a shortened text."""

    words: int

    @property
    def change(self) -> str:
        """The word by which a template tells it from a stretch of text."""
        return "cut"


@dataclass(frozen=True, slots=True)
class PassageChange:
    """A passage by its number from 1, and what changed in it."""

    number: int
    stretches: tuple[Stretch, ...]

    @property
    def shortened(self) -> tuple[Stretch | Cut, ...]:
        """The changes with the words around them; long stretches that stayed are cut."""
        last = len(self.stretches) - 1
        pieces: list[Stretch | Cut] = []
        for place, stretch in enumerate(self.stretches):
            pieces.extend(_shortened(stretch, place > 0, place < last))
        return tuple(pieces)


@dataclass(frozen=True, slots=True)
class Example:
    """A perturbed instance with word-level differences from its base instance."""

    lever_class: str
    intensity: str
    lever: str
    generator: str
    expected: str
    question: tuple[Stretch, ...]
    changed: tuple[PassageChange, ...]
    unchanged: tuple[PassageChange, ...]
    reasoning: str

    @property
    def question_changed(self) -> bool:
        """True if the question is not the original one."""
        return is_changed(self.question)


def examples(frame: pd.DataFrame) -> tuple[Example, ...]:
    """Return the examples in the order of the frame."""
    return tuple(_example(row) for row in records(frame))


def is_changed(stretches: Iterable[Stretch]) -> bool:
    """Return whether anything was taken out or put in."""
    return any(stretch.change is not Change.SAME for stretch in stretches)


def _example(row: Mapping[str, object]) -> Example:
    texts = zip_longest(_texts(row["original_passages"]), _texts(row["passages"]), fillvalue="")
    passages = [PassageChange(number, word_diff(old, new)) for number, (old, new) in enumerate(texts, start=1)]
    lever_class, intensity, expected = (plain(row[name]) for name in ("class", "intensity", "expected"))
    return Example(
        CLASSES.get(lever_class, lever_class),
        INTENSITIES.get(intensity, intensity),
        plain(row["lever"]),
        plain(row["generator"]),
        "Answer correctly" if expected == "ANSWER_CORRECTLY" else f"Refuse: {CODES.get(expected, expected)}",
        word_diff(plain(row["original_question"]), plain(row["question"])),
        tuple(passage for passage in passages if is_changed(passage.stretches)),
        tuple(passage for passage in passages if not is_changed(passage.stretches)),
        plain(row["reasoning"]),
    )


def _shortened(stretch: Stretch, after: bool, before: bool) -> Iterable[Stretch | Cut]:
    """Return a stretch without its middle, or the end far from a change, where that leaves out a good deal."""
    words = [match.span() for match in _WORD.finditer(stretch.text)]
    left, right = (_CONTEXT_WORDS if near else 0 for near in (after, before))
    dropped = len(words) - left - right
    if stretch.change is not Change.SAME or not (after or before) or dropped < _WORTH_CUTTING_WORDS:
        return (stretch,)
    head = stretch.text[: words[left - 1][1]] if left else ""
    tail = stretch.text[words[-right][0] :] if right else ""
    parts = (Stretch(Change.SAME, head), Cut(dropped), Stretch(Change.SAME, tail))
    return tuple(part for part in parts if isinstance(part, Cut) or part.text)


def _texts(value: object) -> Sequence[str]:
    if value is None or isinstance(value, str) or not isinstance(value, Iterable):
        return [value] if isinstance(value, str) else []
    return [plain(text) for text in value]
