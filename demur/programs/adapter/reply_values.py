"""Values of replies that are written differently from the schema, and mean one thing only.

Each of these is read as what it means: a nullable field that is left out or says "none", another field, names of fields
and choices in other letter case, with other separators, in quotes or marks, with invisible characters, a refusal code
in its short form or without REFUSE, a number as text, or as a share of the largest ("4/5"). Everything else stays as it
is, and the check of the reply's types refuses it.
"""

import math
import re
import unicodedata
from functools import lru_cache
from typing import Any, Final

from demur.programs.adapter.reply_schema import Schema, is_nullable
from demur.programs.refusal_codes import SPELLED

_NOTHING: Final = frozenset({"", "NULL", "NONE", "NA", "NIL"})
_NUMBER: Final = re.compile(r"\s*([-+]?\d+(?:\.\d+)?)\s*(?:(?:/|of|out of)\s*(\d+))?\s*", re.IGNORECASE)


def mended(found: Any, schema: Schema) -> Any:
    """Return a decoded value in the spelling of an inlined schema.

    Raises:
        ValueError: an object names one field twice with different values.
    """
    if "anyOf" in schema:
        options = [option for option in schema["anyOf"] if option.get("type") != "null"]
        if is_nullable(schema) and _says_nothing(found, options):
            return None
        return mended(found, options[0]) if len(options) == 1 else found
    if "enum" in schema:
        return _choice(found, schema["enum"])
    if "properties" in schema and isinstance(found, dict):
        return _fields(found, schema["properties"])
    if "items" in schema and isinstance(found, list):
        return [mended(value, schema["items"]) for value in found]
    if schema.get("type") in ("integer", "number") and isinstance(found, str):
        return _number(found, schema)
    return found


def _fields(found: dict[str, Any], properties: dict[str, Schema]) -> dict[str, Any]:
    """Return the schema's fields of an object. A field that may be null is null if it is left out."""
    by_letters = {_letters(name): name for name in properties}
    named: dict[str, Any] = {}
    for said, value in found.items():
        name = by_letters.get(_letters(said))
        if name is None:
            continue
        read = mended(value, properties[name])
        if name in named and named[name] != read:
            raise ValueError(f"{name} stands there twice, with different values")
        named[name] = read
    if not named:
        return found
    left_out = (name for name in properties if name not in named and is_nullable(properties[name]))
    kept = {name: value for name, value in named.items() if value is not None or is_nullable(properties[name])}
    return {**kept, **dict.fromkeys(left_out)}


def _says_nothing(found: Any, options: list[Schema]) -> bool:
    """Return whether a value means null.

    In a field of texts, only null does. In a field of numbers that begin above 0, so do 0 and NaN.
    """
    if found is None or any(option.get("type") == "string" and "enum" not in option for option in options):
        return found is None
    if isinstance(found, str):
        return _letters(found) in _NOTHING and not _NUMBER.fullmatch(found)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return False
    numbers = [option for option in options if option.get("type") in ("integer", "number")]
    return math.isnan(found) or (found == 0 and any(option.get("minimum", 0) > 0 for option in numbers))


def _choice(found: Any, choices: list[Any]) -> Any:
    """Return the choice that a value spells; the value itself if it spells none or several."""
    if not isinstance(found, str) or found in choices:
        return found
    if all(isinstance(choice, int) for choice in choices):
        return _number(found, {"maximum": max(choices)})
    letters = _letters(found)
    meant = {choice for choice in choices if isinstance(choice, str) and _letters(choice) == letters}
    if not meant:
        codes = {SPELLED[one] for one in (letters, f"REFUSE{letters}") if one in SPELLED}
        meant = {choice for choice in choices if choice in codes}
    return meant.pop() if len(meant) == 1 else found


def _number(said: str, schema: Schema) -> Any:
    match = _NUMBER.fullmatch(_visible(said))
    if match is None or (match[2] is not None and int(match[2]) != schema.get("maximum")):
        return said
    return float(match[1]) if "." in match[1] else int(match[1])


@lru_cache(maxsize=4096)
def _letters(text: str) -> str:
    """Return the letters and digits of a text in capitals; Latin letters of other Unicode forms are plain."""
    return "".join(character for character in _visible(text).upper() if character.isalnum())


def _visible(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text)
    return "".join(character for character in plain if unicodedata.category(character) != "Cf")
