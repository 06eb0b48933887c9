"""Differences of two texts word by word, and comparison of texts with their originals."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import takewhile, zip_longest
from typing import Any, Final

# Differences of two texts word by word: unchanged, removed and inserted words.


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


# Comparison of texts with their originals: changed words, unchanged passages, and spans that code checks name.


_WORD: Final = re.compile(r"\S*\w\S*")
CONTEXT_WORDS: Final = 30
"""Words that stay on each side of a change in a shortened text."""
_WORTH_CUTTING_WORDS: Final = 10


@dataclass(frozen=True, slots=True)
class OmittedWords:
    """A number of unchanged words omitted from a shortened text."""

    words: int
    change: str = "cut"


Pieces = tuple[Stretch | OmittedWords, ...]
Spans = Mapping[int | None, list[tuple[int, int]]]
"""Character spans (start, end) named by code checks, by index of the passage; None is the question."""


def is_changed(stretches: Iterable[Stretch]) -> bool:
    """Return whether any stretch was removed or inserted."""
    return any(stretch.change is not Change.SAME for stretch in stretches)


def compared(old: str | None, new: str | None, spans: Iterable[tuple[int, int]] = ()) -> dict[str, Any]:
    """Return the difference of two texts.

    `stretches` has all of both texts, `short` omits long unchanged parts, and `changed` is True if the texts differ.
    `spans` are character spans of the new text. Stretches inside these spans have `named` set to True.
    """
    stretches = tuple(_with_evidence(word_diff(old or "", new or ""), sorted(spans)))
    return {"stretches": stretches, "short": shortened(stretches), "changed": is_changed(stretches)}


def passages(
    old: Iterable[Mapping[str, Any]], new: Iterable[Mapping[str, Any]], spans: Spans | None = None
) -> list[dict[str, Any]]:
    """Return one dict per pair of passages, in order: the fields of `compared`, number, title and relevance."""
    found = []
    for number, (before, after) in enumerate(zip_longest(old, new), start=1):
        either = before or after or {}
        index = int(either.get("index", number - 1))
        shown = compared((before or {}).get("text"), (after or {}).get("text"), (spans or {}).get(index, ()))
        found.append({**shown, "number": number, "title": either.get("title"), "relevant": either.get("relevant")})
    return found


def beside(shown: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the template values `changed_passages`, `unchanged_passages` and `passage_count`.

    A single passage is among the changed passages, even if its text is unchanged.
    """
    return {
        "changed_passages": [one for one in shown if one["changed"] or len(shown) == 1],
        "unchanged_passages": [one for one in shown if not one["changed"] and len(shown) > 1],
        "passage_count": len(shown),
    }


def shortened(stretches: tuple[Stretch, ...], context_words: int = CONTEXT_WORDS) -> Pieces:
    """Return the stretches. A long unchanged stretch keeps only `context_words` words beside each change."""
    last = len(stretches) - 1
    return tuple(
        piece
        for place, stretch in enumerate(stretches)
        for piece in _pieces(stretch, place > 0, place < last, context_words)
    )


def _with_evidence(stretches: Iterable[Stretch], spans: list[tuple[int, int]]) -> Iterator[Stretch]:
    """Yield stretches, split at the ends of `spans`. Pieces inside spans have `named` set to True."""
    place = 0
    for one in stretches:
        if one.change is Change.DELETED or not spans:
            yield one
            continue
        end = place + len(one.text)
        cuts = sorted({place, end, *(cut for span in spans for cut in span if place < cut < end)})
        for start, stop in zip(cuts, cuts[1:], strict=False):
            named = any(first <= start and stop <= last for first, last in spans)
            yield replace(one, text=one.text[start - place : stop - place], named=named)
        place = end


def _pieces(stretch: Stretch, after: bool, before: bool, context_words: int) -> Pieces:
    """Return the pieces of a stretch. A long unchanged stretch loses the words that are far from changes.

    `after` is True if the stretch follows a change. `before` is True if a change follows the stretch.
    """
    words = [match.span() for match in _WORD.finditer(stretch.text)]
    left, right = (context_words if near else 0 for near in (after, before))
    dropped = len(words) - left - right
    if stretch.change is not Change.SAME or stretch.named or not (after or before) or dropped < _WORTH_CUTTING_WORDS:
        return (stretch,)
    head = stretch.text[: words[left - 1][1]] if left else ""
    tail = stretch.text[words[-right][0] :] if right else ""
    parts = (Stretch(Change.SAME, head), OmittedWords(dropped), Stretch(Change.SAME, tail))
    return tuple(part for part in parts if isinstance(part, OmittedWords) or part.text)
