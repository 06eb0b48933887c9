"""Comparison of texts with their originals: changed words, unchanged passages, and spans that code checks name."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, Final

from demur.reports.pages.worddiff import Change, Stretch, word_diff

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
