"""Regular expressions from alternative wordings, and the wordings that a text has."""

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import yaml

LONGEST_PART: Final = 1_000
"""Largest number of characters of a part: longer than sentences; quadratic work on a part takes a millisecond."""
_ENDS: Final = (". ", "? ", "! ", "\n")
_VISIBLE: Final = re.compile(r"\S")


def spaced(pattern: str) -> str:
    """Return a pattern in which each space matches white space, and ' ?' matches optional white space."""
    return re.sub(r" (?![?*+{])", r"\\s+", pattern.replace(" ?", r"\s*"))


def any_of(*alternatives: str) -> re.Pattern[str]:
    """Return a pattern of whole-word alternatives in which case does not matter and a space stands for white space."""
    return re.compile(rf"(?<!\w)(?:{spaced('|'.join(alternatives))})(?!\w)", re.IGNORECASE)


def parts(text: str) -> tuple[str, ...]:
    """Return a text in parts of bounded length, so that a search takes time in proportion to the length of the text.

    Many patterns look ahead to the end of a sentence, and a long text may have no such end. A text is split after the
    end of a sentence or line if there is one. Each part but the last also has the first visible character of the next
    part. Patterns thus do not take the end of a part for the end of the text.
    """
    return _parts(text) if len(text) > LONGEST_PART else (text,)


@lru_cache(maxsize=256)
def _parts(text: str) -> tuple[str, ...]:
    found: list[str] = []
    start = 0
    while len(text) - start > LONGEST_PART:
        window = text[start : start + LONGEST_PART]
        cut = max((window.rfind(mark) + len(mark) for mark in _ENDS if mark in window), default=0)
        cut = cut or window.rfind(" ") + 1 or LONGEST_PART
        start += cut
        following = _VISIBLE.search(text, start)
        if following is None:  # nothing but white space is left
            return (*found, window[:cut])
        found.append(window[:cut] + following.group())
    return (*found, text[start:])


def shown(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    """Return a pattern's matches in a text, in lower case, each wording once."""
    return frozenset(" ".join(match.group().casefold().split()) for match in pattern.finditer(text))


def read_patterns(path: Path) -> dict[str, Any]:
    """Return the patterns of a file; each '<name>' is replaced by the file's fragment of this name."""
    found: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    fragments: dict[str, str] = found.pop("fragments", {})
    for name, text in fragments.items():
        fragments[name] = _put_in(text, fragments)
    put: dict[str, Any] = _put_in(found, fragments)
    return put


def _put_in(value: Any, fragments: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _put_in(item, fragments) for key, item in value.items()}
    if isinstance(value, list):
        return [_put_in(item, fragments) for item in value]
    for name, text in fragments.items() if isinstance(value, str) else ():
        value = value.replace(f"<{name}>", text)
    return value
