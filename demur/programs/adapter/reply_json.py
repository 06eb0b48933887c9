"""Reading of JSON objects in models' replies, and descriptions of their faults."""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

MOST_STARTS: Final = 64
"""The largest number of opening braces at which the start of an object is tried."""
MOST_PROBLEMS: Final = 5


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


def problems(error: ValidationError) -> str:
    """Return a validation error as one line that a model can act on."""
    found = error.errors(include_url=False, include_context=False)
    more = f"; and {len(found) - MOST_PROBLEMS} more" if len(found) > MOST_PROBLEMS else ""
    return "; ".join(_problem(detail) for detail in found[:MOST_PROBLEMS]) + more


def _problem(detail: ErrorDetails) -> str:
    place = ".".join(map(str, detail["loc"])) or "the reply"
    if detail["type"] == "missing":
        return f"{place} is missing"
    if detail["type"] == "extra_forbidden":
        return f"{place} is not one of the fields"
    got = " ".join(repr(detail["input"]).split())
    return f"{place}: {detail['msg']}, got {got[:80]}{'...' if len(got) > 80 else ''}"
