"""Perturbed examples beside their originals: which words changed, which passages stayed."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

import pandas as pd

from demur.reports.cells import Row, rows
from demur.reports.worddiff import Change, Stretch, word_diff

_WORD: Final = re.compile(r"\S*\w\S*")
_CONTEXT_WORDS: Final = 30
_WORTH_CUTTING_WORDS: Final = 40


@dataclass(frozen=True, slots=True)
class OmittedWords:
    """So many words that stayed as they were and are left out of a shortened text."""

    words: int
    change: str = "cut"


Pieces = tuple[Stretch | OmittedWords, ...]


def examples(frame: pd.DataFrame) -> list[Row]:
    """Return the examples with the differences of their question and of their `changed` and `unchanged` passages.

    A passage is its number from 1, its stretches, and these with long stretches that stayed cut.
    """
    return [{**row, **_differences(row)} for row in rows(frame)]


def is_changed(stretches: Iterable[Stretch]) -> bool:
    """Return whether anything was taken out or put in."""
    return any(stretch.change is not Change.SAME for stretch in stretches)


def shortened(stretches: tuple[Stretch, ...]) -> Pieces:
    """Return the changes with the words around them; long stretches that stayed are cut."""
    last = len(stretches) - 1
    return tuple(
        piece for place, stretch in enumerate(stretches) for piece in _pieces(stretch, place > 0, place < last)
    )


def _differences(row: Row) -> Row:
    texts = zip_longest(row["original_passages"] or (), row["passages"] or (), fillvalue="")
    found = [(number, word_diff(old or "", new or "")) for number, (old, new) in enumerate(texts, start=1)]
    question = word_diff(row["original_question"] or "", row["question"] or "")
    return {
        "difference": question,
        "question_changed": is_changed(question),
        "changed": [(number, pieces, shortened(pieces)) for number, pieces in found if is_changed(pieces)],
        "unchanged": [(number, pieces) for number, pieces in found if not is_changed(pieces)],
    }


def _pieces(stretch: Stretch, after: bool, before: bool) -> Pieces:
    """Return a stretch without its middle, or the end far from a change, where that leaves out a good deal."""
    words = [match.span() for match in _WORD.finditer(stretch.text)]
    left, right = (_CONTEXT_WORDS if near else 0 for near in (after, before))
    dropped = len(words) - left - right
    if stretch.change is not Change.SAME or not (after or before) or dropped < _WORTH_CUTTING_WORDS:
        return (stretch,)
    head = stretch.text[: words[left - 1][1]] if left else ""
    tail = stretch.text[words[-right][0] :] if right else ""
    parts = (Stretch(Change.SAME, head), OmittedWords(dropped), Stretch(Change.SAME, tail))
    return tuple(part for part in parts if isinstance(part, OmittedWords) or part.text)
