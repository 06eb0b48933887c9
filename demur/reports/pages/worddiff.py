"""Differences of two texts word by word: unchanged, removed and inserted words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import takewhile
from typing import Final

_TOKEN: Final = re.compile(r"(\s*)(\w+(?:['’\-.,]\w+)*|[^\w\s]|\Z)")
_COINCIDENCE_WORDS: Final = 2
_COMPARED_PAIRS: Final = 4_000_000
"""Largest product of lengths in words for matching, which is quadratic; longer middles count as rewritten."""


class Change(StrEnum):
    """Kinds of change of a stretch."""

    SAME = "same"
    DELETED = "del"
    INSERTED = "ins"


@dataclass(frozen=True, slots=True)
class Stretch:
    """An unchanged, removed or inserted piece of text. `named` is True if a code check names the piece."""

    change: Change
    text: str
    named: bool = False


@dataclass(frozen=True, slots=True)
class _Word:
    """A word or punctuation mark, `text`, with the white space before it. At the end of a text `text` is empty."""

    space: str
    text: str

    @property
    def whole(self) -> str:
        return self.space + self.text


@dataclass(frozen=True, slots=True)
class _Block:
    """Words of the old text and their replacement. `same` is True if only white space differs."""

    same: bool
    old: Sequence[_Word]
    new: Sequence[_Word]


def word_diff(old: str, new: str) -> tuple[Stretch, ...]:
    """Return the difference of two texts by words.

    The joined texts of SAME and DELETED stretches are exactly `old`. The joined texts of SAME and INSERTED stretches
    are exactly `new`. One or two equal words between two longer changes are treated as changed.
    """
    if old == new:
        return (Stretch(Change.SAME, old),) if old else ()
    stretches: list[Stretch] = []
    for block in _without_coincidences(_blocks(_words(old), _words(new))):
        for stretch in _stretches(block):
            if stretches and stretches[-1].change is stretch.change:
                stretches[-1] = Stretch(stretch.change, stretches[-1].text + stretch.text)
            else:
                stretches.append(stretch)
    return tuple(stretches)


def _words(text: str) -> list[_Word]:
    return [_Word(match[1], match[2]) for match in _TOKEN.finditer(text) if match[0]]


def _blocks(old: Sequence[_Word], new: Sequence[_Word]) -> list[_Block]:
    a = [word.text for word in old]
    b = [word.text for word in new]
    start = _shared(a, b)
    end = _shared(a[start:][::-1], b[start:][::-1])
    a_end = len(a) - end
    b_end = len(b) - end
    middle: list[_Block] = []
    if (a_end - start) * (b_end - start) > _COMPARED_PAIRS:
        middle.append(_Block(False, old[start:a_end], new[start:b_end]))
    else:
        matcher = SequenceMatcher(None, a[start:a_end], b[start:b_end], autojunk=False)
        for tag, i, j, k, m in matcher.get_opcodes():
            middle.append(_Block(tag == "equal", old[start + i : start + j], new[start + k : start + m]))
    ends = (_Block(True, old[:start], new[:start]), *middle, _Block(True, old[a_end:], new[b_end:]))
    return [block for block in ends if block.old or block.new]


def _shared(a: Sequence[str], b: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))


def _without_coincidences(blocks: Sequence[_Block]) -> Iterator[_Block]:
    """Yield the blocks. A short unchanged block between two longer changes becomes part of one change."""
    merged: list[_Block] = []
    for place, block in enumerate(blocks):
        between = merged and not merged[-1].same and place + 1 < len(blocks)
        if between and block.same and _is_coincidence(block, merged[-1], blocks[place + 1]):
            block = _Block(False, block.old, block.new)
        if merged and not merged[-1].same and not block.same:
            block = _Block(False, [*merged[-1].old, *block.old], [*merged[-1].new, *block.new])
            merged.pop()
        merged.append(block)
    yield from merged


def _is_coincidence(block: _Block, before: _Block, after: _Block) -> bool:
    length = _length(block.old)
    rewritten = all(change.old and change.new for change in (before, after))
    return (
        rewritten
        and length <= _COINCIDENCE_WORDS
        and all(max(_length(change.old), _length(change.new)) >= max(length, 1) for change in (before, after))
    )


def _length(words: Sequence[_Word]) -> int:
    return sum(1 for word in words if word.text[:1].isalnum())


def _stretches(block: _Block) -> Iterator[Stretch]:
    if not block.same:
        old_text, new_text = ("".join(word.whole for word in words) for words in (block.old, block.new))
        space = block.old[0].space if block.old and block.new and block.old[0].space == block.new[0].space else ""
        for change, text in (
            (Change.SAME, space),
            (Change.DELETED, old_text[len(space) :]),
            (Change.INSERTED, new_text[len(space) :]),
        ):
            if text:
                yield Stretch(change, text)
        return
    for old, new in zip(block.old, block.new, strict=True):
        if old.space == new.space:
            yield Stretch(Change.SAME, old.whole)
            continue
        if old.space:
            yield Stretch(Change.DELETED, old.space)
        if new.space:
            yield Stretch(Change.INSERTED, new.space)
        if old.text:
            yield Stretch(Change.SAME, old.text)
