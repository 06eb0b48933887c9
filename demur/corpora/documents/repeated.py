"""Blocks that stand at the beginning or end of most documents of a folder, such as menus, banners and footers."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from demur.corpora.documents.blocks import Block

FEWEST_DOCUMENTS: Final = 5
"""The fewest documents of a format of which most can have a block in common."""
_MOST: Final = 0.5
_BETWEEN: Final = 2
_SHORT: Final = 80
"""The most blocks between two repeated ones at an end of a document, and their most characters, such as its author."""
_TEXT: Final = "+"
"""The end of the name of a longer block or of a heading; at one that is not repeated, the text of a document begins."""


def block_names(blocks: Iterable[Block]) -> list[str]:
    """Return a short digest for each block; blocks that differ in digits and capitals alone have the same one."""
    return [_name(block) for block in blocks]


def _name(block: Block) -> str:
    text = re.sub(r"\d+", "0", block.text.casefold())
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12] + (
        _TEXT if block.level or len(text) > _SHORT else ""
    )


def repeated_names(documents: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return for each document the names of its blocks that most documents have, at either end of the document.

    Args:
        documents: the names of the blocks of each document, for documents of one format.
    """
    if len(documents) < FEWEST_DOCUMENTS:
        return [[] for _ in documents]
    counted = Counter(name for names in documents for name in set(names))
    most = {name for name, number in counted.items() if number > _MOST * len(documents)}
    return [sorted({names[place] for place in _ends(names, most)}) for names in documents]


def without_repeated(blocks: Sequence[Block], repeated: Iterable[str]) -> list[Block]:
    """Return the blocks of a document without the repeated ones at its ends."""
    names = block_names(blocks)
    left_out = _ends(names, set(repeated))
    return [block for place, block in enumerate(blocks) if place not in left_out]


def _ends(names: Sequence[str], repeated: set[str]) -> set[int]:
    """Return the places of repeated blocks at the two ends. A document that has no other block keeps all."""
    places = _from_start(names, repeated)
    places |= {len(names) - 1 - place for place in _from_start(names[::-1], repeated)}
    return places if len(places) < len(names) else set()


def _from_start(names: Sequence[str], repeated: set[str]) -> set[int]:
    places: set[int] = set()
    between = 0
    for place, name in enumerate(names):
        if name in repeated:
            places.add(place)
            between = 0
        elif name.endswith(_TEXT) or (between := between + 1) > _BETWEEN:
            break
    return places
