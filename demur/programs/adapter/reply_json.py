"""Reading JSON from replies of models: objects among other text, and what is wrong with those that do not fit."""

import json
from collections.abc import Iterator
from typing import Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

MOST_STARTS: Final = 64
"""At how many opening braces of a reply an object is looked for."""
MOST_PROBLEMS: Final = 5


def json_objects(text: str) -> Iterator[tuple[int, object]]:
    """Yield each JSON object with its length; a ValueError stands for what begins like one and cannot be decoded."""
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


_DECODER: Final = json.JSONDecoder(strict=False)
"""Takes line breaks within strings, which models write."""


def problems(error: ValidationError) -> str:
    """Return what is wrong, in one line that a model can act on."""
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
