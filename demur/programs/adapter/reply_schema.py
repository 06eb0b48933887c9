"""JSON Schemas of replies, in words for prompts and in the form for providers.

The code covers the JSON Schema that pydantic writes for types of signatures.
"""

import json
from dataclasses import dataclass
from typing import Any, Final, Self

Schema = dict[str, Any]
"""A JSON Schema."""

MOST_NESTED: Final = 8
MOST_LISTED: Final = 20
"""The largest number of whole numbers that a schema lists in place of their bounds."""


class UnshapedError(TypeError):
    """A signature has a type that this module cannot describe. Users never see this error."""


def inlined(schema: Schema) -> Schema:
    """Return a pydantic schema without references, titles, descriptions and defaults.

    Raises:
        UnshapedError: types refer to each other in a circle.
    """
    return _inline(schema, schema.get("$defs", {}), 0)


def _inline(node: Schema, definitions: dict[str, Schema], depth: int) -> Schema:
    if depth > MOST_NESTED:
        raise UnshapedError(f"a reply's types are nested more than {MOST_NESTED} deep, or in a circle")
    if "$ref" in node:
        return _inline(definitions[node["$ref"].rpartition("/")[2]], definitions, depth + 1)
    if "const" in node:
        return {"type": node["type"], "enum": [node["const"]]}
    plain: Schema = {key: node[key] for key in ("type", "enum", "minimum", "maximum") if key in node}
    if "anyOf" in node:
        plain["anyOf"] = [_inline(option, definitions, depth + 1) for option in node["anyOf"]]
    if "items" in node:
        plain["items"] = _inline(node["items"], definitions, depth + 1)
    if "properties" in node:
        fields = {name: _inline(field, definitions, depth + 1) for name, field in node["properties"].items()}
        plain |= {"properties": fields, "required": list(fields), "additionalProperties": False}
    elif isinstance(node.get("additionalProperties"), dict):
        plain["additionalProperties"] = _inline(node["additionalProperties"], definitions, depth + 1)
    if not plain or plain == {"type": "array"} or plain == {"type": "object"} or "prefixItems" in node:
        raise UnshapedError(f"no words for the JSON Schema {json.dumps(node)[:200]}")
    return plain


@dataclass(frozen=True, slots=True)
class ReplyFormat:
    """The format of a reply as providers get it (`sent`), and the format of which digests are made (`digested`).

    The digested format has all numbers. Bounds repeat what the instructions say, so a reply to a request that was sent
    without them stays a reply to this request.
    """

    sent: dict[str, Any]
    digested: dict[str, Any]

    @classmethod
    def of(cls, name: str, schema: Schema) -> Self:
        """Return the format for an inlined schema."""
        bounded, strict = as_sent(schema)
        free, _ = as_sent(schema, bounded=False)
        return cls(*({"type": "json_schema", "name": name, "schema": one, "strict": strict} for one in (bounded, free)))


def is_nullable(schema: Schema) -> bool:
    """Return whether null is a value of a schema."""
    return any(option.get("type") == "null" for option in schema.get("anyOf", ()))


def as_sent(schema: Schema, *, bounded: bool = True) -> tuple[Schema, bool]:
    """Return an inlined schema in the form for providers, and whether strict modes accept it.

    Strict modes demand that all fields are listed, and accept no maps. Bounds of numbers are left out, since some
    providers refuse them; prompts state them, and reading a reply checks them. Instead, whole numbers between two
    bounds are listed, unless `bounded` is false.
    """
    bare: Schema = {key: schema[key] for key in ("type", "enum", "required") if key in schema}
    if bounded and schema.get("type") == "integer" and {"minimum", "maximum"} <= schema.keys():
        listed = range(schema["minimum"], schema["maximum"] + 1)
        bare |= {"enum": list(listed)} if len(listed) <= MOST_LISTED else {}
    strict = True
    if "anyOf" in schema:
        options = [as_sent(option, bounded=bounded) for option in schema["anyOf"]]
        bare["anyOf"] = [option for option, _ in options]
        strict = all(fits for _, fits in options)
    if "items" in schema:
        bare["items"], strict = as_sent(schema["items"], bounded=bounded)
    if "properties" in schema:
        fields = {name: as_sent(field, bounded=bounded) for name, field in schema["properties"].items()}
        bare["properties"] = {name: field for name, (field, _) in fields.items()}
        bare["additionalProperties"] = False
        strict = all(fits for _, fits in fields.values())
    elif "additionalProperties" in schema:
        bare["additionalProperties"], strict = as_sent(schema["additionalProperties"], bounded=bounded)[0], False
    return bare, strict


def in_words(schema: Schema) -> str:
    """Return the demands of an inlined schema in words."""
    if "enum" in schema:
        values = [json.dumps(value) for value in schema["enum"]]
        return " or ".join(values) if len(values) < 3 else f"one of {', '.join(values)}"
    if "anyOf" in schema:
        return " or ".join(in_words(option) for option in schema["anyOf"])
    if schema["type"] == "array":
        return f"list of {in_words(schema['items'])}"
    if "properties" in schema:
        fields = (f"{json.dumps(name)}: {in_words(field)}" for name, field in schema["properties"].items())
        return "{" + ", ".join(fields) + "}"
    if schema["type"] == "object":
        return f"object whose values are each {in_words(schema['additionalProperties'])}"
    return _SIMPLE[schema["type"]] + _bounds(schema)


_SIMPLE: Final = {
    "string": "string",
    "integer": "integer",
    "number": "number",
    "boolean": "true or false",
    "null": "null",
}


def _bounds(schema: Schema) -> str:
    low = schema.get("minimum")
    high = schema.get("maximum")
    if low is not None and high is not None:
        return f" from {low:g} to {high:g}"
    if low is not None:
        return f" of at least {low:g}"
    return f" of at most {high:g}" if high is not None else ""
