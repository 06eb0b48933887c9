"""The JSON Schemas that strict modes of providers refuse."""

from typing import Any

Body = dict[str, Any]


class BadRequestError(Exception):
    """A request that a real provider would answer with 400."""


_KEYWORDS = frozenset(
    {"type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "description"}
)


def check_strict(schema: Body) -> None:
    """Refuse schemas that strict modes refuse: other keywords, optional or free fields.

    Raises:
        BadRequestError: as a provider would answer.
    """
    unknown = schema.keys() - _KEYWORDS
    if unknown:
        raise BadRequestError(f"schema: {sorted(unknown)} is not permitted")
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            raise BadRequestError("schema: additionalProperties must be false")
        if set(schema["required"]) != set(schema["properties"]):
            raise BadRequestError("schema: every field must be required")
    children = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    for child in [*children, *([schema["items"]] if "items" in schema else [])]:
        check_strict(child)
