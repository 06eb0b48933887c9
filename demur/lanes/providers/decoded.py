"""A provider's JSON with fields as attributes. The types of the SDKs offer this too, but are slow to construct."""

import codecs
import json
from collections.abc import Mapping
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


def decoded(text: str) -> Decoded | None:
    """Return the JSON object in a text; None if the text is not a JSON object, or is nested too deep."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return Decoded(found) if isinstance(found, dict) else None


def text_of_body(raw: bytes, headers: Mapping[str, str]) -> str:
    """Return a body as text: in UTF-8, or else in the encoding that its headers name, without a byte order mark."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        named = headers.get("content-type", "").lower().partition("charset=")[2].partition(";")[0].strip(" \"'")
        try:
            codecs.lookup(named)
        except LookupError:
            named = "utf-8"
        return raw.decode(named, "replace")


def plain(value: Any) -> Any:
    """Return a field as plain JSON, from `Decoded` or any other type."""
    return value.fields if isinstance(value, Decoded) else value


def _within(value: Any) -> Any:
    if isinstance(value, dict):
        return Decoded(value)
    if isinstance(value, list):
        return [_within(one) for one in value]
    return value
