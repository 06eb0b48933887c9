"""A provider's JSON with fields as attributes. The types of the SDKs offer this too, but are slow to construct."""

import json
from typing import Any


class Decoded:
    """A JSON object whose fields are attributes. A missing field is None, like an optional field of an SDK's type."""

    __slots__ = ("fields",)

    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields = fields

    def __getattr__(self, name: str) -> Any:
        return _within(self.fields.get(name))

    def get(self, name: str) -> Any:
        """Return a field by its name; None if it is missing."""
        return _within(self.fields.get(name))


def decoded(raw: bytes) -> Decoded:
    """Return the JSON object in a body.

    Raises:
        ValueError: the body is not JSON, is not an object, or is nested too deep.
    """
    try:
        found = json.loads(raw)
    except RecursionError as exc:
        raise ValueError(f"the answer is nested too deep: {exc}") from exc
    if not isinstance(found, dict):
        raise ValueError(f"the answer is {type(found).__name__}, not an object")
    return Decoded(found)


def plain(value: Any) -> Any:
    """Return a field as plain JSON, from `Decoded` or any other type."""
    return value.fields if isinstance(value, Decoded) else value


def _within(value: Any) -> Any:
    if isinstance(value, dict):
        return Decoded(value)
    if isinstance(value, list):
        return [_within(one) for one in value]
    return value
