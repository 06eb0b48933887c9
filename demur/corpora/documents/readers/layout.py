"""Layout of a text: headings that no style marks, and signs such as raised figures."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from demur.corpora.documents.blocks import Block, names_table_or_figure

# Headings that no style marks: short paragraphs that are bold, larger, or in capitals.


_LONGEST: Final = 100
_FEWEST_LETTERS: Final = 4
_ENDS: Final = re.compile(r"[.,;:!。，；：！…][\"'”’»)\]]*$")
_NUMBERED: Final = re.compile(r"(?:\d{1,2}(?:\.\d{1,2})*|[A-Z]|[IVX]{1,5})[.)]\s")
_NUMBER: Final = re.compile(r"(?:[^\W\d_]{4,} )?\d{1,2}(?:\.\d{1,2})*[.):]?(?=\s)|[A-Z][.)](?=\s)")
_FEWEST_ALIKE: Final = 3
"""A number of a heading, and the fewest headings with a style whose number shows the level."""
_MOST: Final = 0.3
"""The largest share of a document's text that may look like headings; with more, the look means nothing."""
_LARGER: Final = 1.2
_LOWEST: Final = 6


@dataclass(frozen=True, slots=True)
class Look:
    """How a paragraph looks; `size` is that of its letters, 0 if nothing gives one."""

    bold: bool = False
    size: int = 0
    centred: bool = False


def with_headings(blocks: Sequence[Block], looks: Mapping[int, Look]) -> list[Block]:
    """Return blocks in which paragraphs that look like headings are headings.

    Below headings that have a style, they are one level deeper. Without any, larger or centred ones at the beginning
    are the title, and others are below it. Lines of one heading are joined.

    Args:
        blocks: the blocks of a document.
        looks: the looks of paragraphs by the identity of their block.
    """
    sizes: Counter[int] = Counter()
    for block in blocks:
        if not block.level and (look := looks.get(id(block))) is not None:
            sizes[look.size] += len(block.text)
    body = sizes.most_common(1)[0][0] if sizes else 0
    chosen = {
        id(block): looks[id(block)]
        for block in blocks
        if not block.level and _is_one(block, looks.get(id(block)), body)
    }
    of_headings = sum(len(block.text) for block in blocks if id(block) in chosen)
    if of_headings > _MOST * sum(len(block.text) for block in blocks):
        return list(blocks)
    styled, kinds = 0, _levels_by_number(blocks)
    found: list[Block] = []
    before: Look | None = None
    for place, block in enumerate(blocks):
        styled = block.level or styled
        look = chosen.get(id(block))
        follows = place + 1 < len(blocks)
        if look is None or not follows:
            found.append(block)
            before = None
            continue
        is_top = not styled and (look.centred or look.size > body * _LARGER) and all(one.level for one in found)
        level = min(styled + 1 if styled else 1 if is_top else 2, _LOWEST)
        level = kinds.get(_kind_of_number(block.text), level)
        own_number = _NUMBERED.match(block.text) is not None or _kind_of_number(block.text) in kinds
        if before == look and found[-1].level == level and not own_number:
            found[-1] = replace(found[-1], text=f"{found[-1].text} {block.text}")
        else:
            found.append(replace(block, level=level))
        before = look
    return found


def _levels_by_number(blocks: Sequence[Block]) -> dict[str, int]:
    """Return the level of each kind of number that headings with a style have at one level alone."""
    levels: dict[str, Counter[int]] = {}
    for block in blocks:
        if block.level and (kind := _kind_of_number(block.text)):
            levels.setdefault(kind, Counter())[block.level] += 1
    return {
        kind: next(iter(found)) for kind, found in levels.items() if len(found) == 1 and found.total() >= _FEWEST_ALIKE
    }


def _kind_of_number(text: str) -> str:
    """Return how a heading is numbered, such as `chapter 0`, `A.` or `0.0`; empty without a number."""
    found = _NUMBER.match(text)
    return "" if found is None else re.sub(r"\d+", "0", re.sub(r"\b[A-Z](?=[.)])", "A", found[0])).casefold().strip()


def _is_one(block: Block, look: Look | None, body: int) -> bool:
    text = block.text
    letters = sum(letter.isalpha() for letter in text)
    if look is None or names_table_or_figure(text):
        return False
    if block.line or len(text) > _LONGEST or letters < _FEWEST_LETTERS or _ENDS.search(text):
        return False
    return look.bold or (body > 0 and look.size > body * _LARGER) or text == text.upper() != text.lower()


# Signs that stand for the layout of a text: raised figures, fractions and roots in one line.


_RAISED: Final = str.maketrans("0123456789+-−in()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁱⁿ⁽⁾")
_BRACKETED: Final = re.compile(r"\((?:[^()]|\([^()]*\))*\)")
_SIMPLE: Final = " _^.,"
_RAISABLE: Final = frozenset("0123456789+-−in()")


def raised(text: str) -> str:
    """Return a superscript: figures are raised, so that 10 to the sixth is no 106; ordinals such as 1st stay."""
    return text.translate(_RAISED) if text and _RAISABLE.issuperset(text) else text


def power(base: str, sub: str = "", sup: str = "") -> str:
    """Return a base with what stands below and above it, such as "x_i^2"."""
    return _grouped(base, _SIMPLE) + (f"_{_grouped(sub)}" if sub else "") + (f"^{_grouped(sup)}" if sup else "")


def fraction(above: str, below: str) -> str:
    """Return a fraction, such as "a/(b+c)"."""
    return f"{_grouped(above)}/{_grouped(below)}"


def root(base: str, degree: str = "") -> str:
    """Return a root, such as "√x"."""
    return f"{degree}√{_grouped(base)}"


def _grouped(part: str, single: str = "") -> str:
    """Return a part in parentheses, unless it is one sign, one word, or in parentheses already."""
    if len(part) == 1 or all(letter.isalnum() or letter in single for letter in part) or _BRACKETED.fullmatch(part):
        return part
    return f"({part})"
