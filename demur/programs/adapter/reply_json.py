"""Reading of JSON objects in models' replies.

This module needs only Python's standard library, since exported tasks hold a copy of it (`scoring.standalone`).
"""

import ast
import json
import math
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

MOST_STARTS: Final = 64
"""The largest number of opening braces at which the start of an object is tried."""
LONGEST_LOOSE: Final = 20_000
"""The most characters of an object that is read though it is not JSON."""
_COMMENT: Final = re.compile(r"(?://|#)[^\"'\n]*$", re.MULTILINE)
_NO_ESCAPE: Final = re.compile(r"\\(?![\"'\\bfnrtu])")
_STRAIGHT: Final = str.maketrans("\u201c\u201d\u201e\u201f", '""""')
_CONSTANTS: Final = {"true": True, "false": False, "null": None, "NaN": math.nan}


def json_objects(text: str) -> Iterator[tuple[int, object]]:
    """Yield the length in characters and the value of each JSON object.

    For an object that cannot be decoded, the value is a ValueError; nothing is raised.
    """
    at = text.find("{")
    for _ in range(MOST_STARTS):
        if at < 0:
            return
        try:
            found, end = _DECODER.raw_decode(text, at)
            yield end - at, found
        except json.JSONDecodeError as exc:
            end = at + 1
            yield exc.pos - at, ValueError(f"the reply is not valid JSON: {exc}")
        except (ValueError, RecursionError) as exc:
            end = at + 1
            yield 0, ValueError(f"the reply is JSON that cannot be read: {exc}")
        at = text.find("{", end)


def is_object(text: str) -> bool:
    """Return whether a text is one JSON object and nothing else."""
    alone = text.strip()
    return any(length == len(alone) and isinstance(found, dict) for length, found in islice(json_objects(alone), 1))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; raise ValueError if it has one name with different values."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found and found[name] != value:
            raise ValueError(f"{name} stands there twice, with different values")
        found[name] = value
    return found


_DECODER: Final = json.JSONDecoder(strict=False, object_pairs_hook=_once)
"""Accepts line breaks inside strings, as models write them."""


def loose_object(text: str) -> dict[str, Any] | None:
    """Return the object from the first opening to the last closing brace, written as in Python or JavaScript.

    Such an object has single quotes or none, curly quotes, a comma behind its last field, or comments. The result is
    None if there is no such object, or something else beside it. Nothing of the text is executed.
    """
    text = text[text.find("{") : text.rfind("}") + 1]
    if not 0 < len(text) <= LONGEST_LOOSE:
        return None
    straight = text if '"' in text else text.translate(_STRAIGHT)
    line = " ".join(_COMMENT.sub("", straight).splitlines())
    try:
        found = _value(ast.parse(_NO_ESCAPE.sub(r"\\\\", line.replace("\\/", "/")), mode="eval").body)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return found if isinstance(found, dict) else None


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Dict():
            return _once([(_name(key), _value(value)) for key, value in zip(node.keys, node.values, strict=True)])
        case ast.List():
            return [_value(each) for each in node.elts]
        case ast.Constant(value=str() | int() | float() | None):
            return node.value
        case ast.Name():
            return _CONSTANTS.get(node.id, node.id)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
    raise ValueError("no value of an object")


def _name(node: ast.expr | None) -> str:
    match node:
        case ast.Constant(value=str() as name) | ast.Name(id=name):
            return name
    raise ValueError("no name of a field")
