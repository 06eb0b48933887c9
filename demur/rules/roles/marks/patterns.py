"""Alternatives as one pattern, and how many of them a text shows."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml


def spaced(pattern: str) -> str:
    """Return a pattern in which each space stands for white space, and ' ?' for any or none of it."""
    return re.sub(r" (?![?*+{])", r"\\s+", pattern.replace(" ?", r"\s*"))


def any_of(*alternatives: str) -> re.Pattern[str]:
    """Return a pattern of whole-word alternatives in which case does not matter and a space stands for white space."""
    return re.compile(rf"(?<!\w)(?:{spaced('|'.join(alternatives))})(?!\w)", re.IGNORECASE)


def shown(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    """Return what a pattern finds in a text, in lower case, each wording once."""
    return frozenset(" ".join(match.group().casefold().split()) for match in pattern.finditer(text))


def read_patterns(path: Path) -> dict[str, Any]:
    """Return a file of patterns with its fragments put in where '<name>' stands for one of them."""
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
