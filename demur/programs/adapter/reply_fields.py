"""Fields of replies: JSON Schemas, values that are written otherwise, log-probabilities."""

import json
import math
import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Self

from dspy.lm15 import Response

from demur.programs.errors import ReplyError
from demur.programs.replies.refusal_codes import SPELLED

# JSON Schemas of replies, in words for prompts and in the form for providers.
#
# The code covers the JSON Schema that pydantic writes for types of signatures.


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
    plain: Schema = {key: node[key] for key in ("type", "enum", "minimum", "maximum", "maxLength") if key in node}
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
    without them stays a reply to this request. `longest` has the greatest length of texts, by field. Strict modes of
    providers refuse lengths in a schema; a server of this machine takes them.
    """

    sent: dict[str, Any]
    digested: dict[str, Any]
    longest: dict[str, int]

    @classmethod
    def of(cls, name: str, schema: Schema) -> Self:
        """Return the format for an inlined schema."""
        bounded, strict = as_sent(schema)
        free, _ = as_sent(schema, bounded=False)
        shape = {"type": "json_schema", "name": name, "strict": strict}
        longest = {field: one["maxLength"] for field, one in schema["properties"].items() if "maxLength" in one}
        return cls({**shape, "schema": bounded}, {**shape, "schema": free}, longest)


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


# Reading of JSON objects in models' replies.
#
# This module needs only Python's standard library, since exported tasks hold a copy of it (`scoring.standalone`).


# Values of replies that are written differently from the schema, and mean one thing only.
#
# Each of these is read as what it means: a nullable field that is left out or says "none", another field, names of
# fields and choices in other letter case, with other separators, in quotes or marks, with invisible characters, a
# refusal code in its short form or without REFUSE, a number as text, or as a share of the largest ("4/5"). Everything
# else stays as it is, and the check of the reply's types refuses it.


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


# Log-probabilities of replies' first tokens, and the probability of a yes.


ALTERNATIVES: Final = 5
"""The number of requested first tokens; every server allows this many."""

FirstToken = tuple[tuple[str, float], ...]
"""The likeliest first tokens of a reply with natural log-probabilities, likeliest first."""


@dataclass(frozen=True, slots=True)
class YesNo:
    """The probability of yes in a reply of yes or no.

    `mass` is the probability that the reply is yes or no. `probability` is the share of yes in `mass`.
    """

    probability: float
    mass: float


@dataclass(slots=True)
class LogprobCapture:
    """The newest reply and its likeliest first tokens. While a capture is active, requests ask for these tokens."""

    alternatives: int
    first_token: FirstToken | None = None
    reply: str = ""


_CAPTURE: ContextVar[LogprobCapture | None] = ContextVar("demur_logprob_capture", default=None)


@contextmanager
def capture_logprobs(alternatives: int = ALTERNATIVES) -> Iterator[LogprobCapture]:
    """Request log-probabilities of first tokens inside the block."""
    capture = LogprobCapture(alternatives)
    token = _CAPTURE.set(capture)
    try:
        yield capture
    finally:
        _CAPTURE.reset(token)


def current_capture() -> LogprobCapture | None:
    """Return the active capture; None if no capture is active."""
    return _CAPTURE.get()


def record_logprobs(response: Response, text: str) -> None:
    """Store a reply and its first tokens in the active capture."""
    capture = current_capture()
    if capture is not None:
        first = response.logprobs[0] if response.logprobs else None
        capture.first_token = None if first is None else tuple((option.token, option.logprob) for option in first.top)
        capture.reply = text


def yes_no(capture: LogprobCapture) -> YesNo:
    """Return the probability of a yes in the newest reply.

    Raises:
        ReplyError: no log-probabilities came, or neither yes nor no is among the likeliest first tokens.
    """
    if capture.first_token is None:
        raise ReplyError("the reply came without log-probabilities, though they were asked for", reply=capture.reply)
    shares = {"yes": 0.0, "no": 0.0}
    for token, logprob in capture.first_token:
        said = token.strip().strip(".,'\"*").lower()
        if said in shares:
            shares[said] += math.exp(logprob)
    mass = shares["yes"] + shares["no"]
    if mass <= 0:
        likeliest = ", ".join(repr(token) for token, _ in capture.first_token)
        raise ReplyError(f"neither yes nor no is among the likeliest first tokens {likeliest}", reply=capture.reply)
    return YesNo(shares["yes"] / mass, min(1.0, mass))
