"""Errors of levers, taxonomy and policies in words: field, value, allowed values and remedy."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import UnionType
from typing import Annotated, Union, get_args, get_origin

from pydantic import BaseModel, Tag, ValidationError
from pydantic_core import ErrorDetails

# Errors of levers, taxonomy and policies.


class LeverError(Exception):
    """A lever catalogue, taxonomy or policy file cannot be used.

    The message gives file, line, field, value, allowed values and remedy.
    """


class FieldFault(ValueError):
    """A fault of one field, found by a rule over several fields; `path` leads from the rule's model to the field."""

    def __init__(self, path: tuple[str | int, ...], message: str) -> None:
        super().__init__(message)
        self.path = path


# Validation errors in words: field, value, allowed values and remedy.


FieldPath = tuple[str | int, ...]

_SHOWN = 60
_SHAPES = {
    "tuple_type": "a list. Write one entry a line, each after a hyphen, or all of them in [ ]",
    "list_type": "a list. Write one entry a line, each after a hyphen, or all of them in [ ]",
    "dict_type": "a mapping. Write `key: value`, one a line",
    "model_type": "a mapping of fields. Write `field: value`, one a line",
    "model_attributes_type": "a mapping of fields. Write `field: value`, one a line",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault at one field of a file."""

    path: FieldPath
    message: str


def explain(error: ValidationError, model: type[BaseModel], at: FieldPath = ()) -> Iterator[Problem]:
    """Yield a problem for each validation error of `model`. `at` is the path of the model's data in the file."""
    errors = error.errors(include_url=False)
    alternatives: dict[FieldPath, list[ErrorDetails]] = {}
    for details in errors:
        if (field := _union_field(details["loc"], model)) is not None:
            alternatives.setdefault(field, []).append(details)
            continue
        if details["type"] == "too_short" and any(_within(other["loc"], details["loc"]) for other in errors):
            continue  # entries with faults of their own were not counted
        if details["type"] == "default_factory_not_called":
            continue  # a default made from other fields, and those have errors of their own
        loc = tuple(part for part in details["loc"] if part != "[key]")
        path = tuple(part for part in loc if not _is_tag(part))
        fault = details.get("ctx", {}).get("error")
        if isinstance(fault, FieldFault):
            path = (*path, *fault.path)
            yield Problem((*at, *path), f"{field_name((*at, *path))} {fault}")
            continue
        yield Problem((*at, *path), _message(details, loc, model, field_name((*at, *path))))
    for path, each in alternatives.items():
        allowed = " nor ".join(one["msg"].removeprefix("Input should be ").partition(",")[0] for one in each)
        yield Problem((*at, *path), f"{field_name((*at, *path))} {shown(each[0]['input'])} is neither {allowed}")


def first_fault(error: ValidationError) -> str:
    """Return the first validation error with its field, for rows that programs wrote."""
    details = error.errors(include_url=False)[0]
    why = details["msg"].removeprefix("Value error, ")
    return f"{field_name(details['loc']) if details['loc'] else 'the whole'}: {why}"


def did_you_mean(value: object, allowed: list[str]) -> str:
    """Return ". Did you mean 'x'?" with the closest allowed name; an empty text if no name is close."""
    if not isinstance(value, str):
        return ""
    by_folded = {name.casefold(): name for name in allowed}
    close = get_close_matches(value.casefold(), by_folded, n=1, cutoff=0.6)
    return f". Did you mean '{by_folded[close[0]]}'?" if close else ""


def field_name(path: FieldPath) -> str:
    """Return a path as text: levers[2].examples[0].question."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{printable(part)}" if text else printable(part)
    return text or "the file"


def printable(name: str) -> str:
    """Return a name on one line, without control characters, of at most 63 characters."""
    clean = "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in name)
    return clean if len(clean) <= _SHOWN else f"{clean[:_SHOWN]}..."


def shown(value: object) -> str:
    """Return a value for messages: quoted, on one line, of at most 63 characters."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _message(details: ErrorDetails, path: FieldPath, model: type[BaseModel], name: str) -> str:
    value = details["input"]
    context: Mapping[str, object] = details.get("ctx", {})
    kind = details["type"]
    if kind == "extra_forbidden":
        allowed = _fields(_bare(_declared(model, path[:-1])))
        suggestion = did_you_mean(path[-1], allowed) or ". Remove it"
        return f"{name} is not a known field; known fields: {', '.join(allowed)}{suggestion}"
    if kind == "missing":
        return f"{name} is missing. Add it"
    if kind in {"enum", "literal_error"}:
        expected = str(context.get("expected", ""))
        quoted = re.findall(r"""'([^']*)'|"([^"]*)\"""", expected)  # in double quotes if the name has an apostrophe
        allowed = [single or double for single, double in quoted] or [expected]
        return f"{name} {shown(value)} is not one of {', '.join(allowed)}{did_you_mean(value, allowed)}"
    if kind == "string_pattern_mismatch":
        pattern = str(context["pattern"])
        remedy = "Write it with those signs alone" if "A-Z" in pattern else "Use lower-case words joined by hyphens"
        return f"{name} {shown(value)} does not match {pattern}. {remedy}"
    if kind == "invalid_key":
        return f"{name}: {shown(value)} is {type(value).__name__}, not text, and no field name. Put it in quotes"
    if kind == "string_too_short":
        return f"{name} is empty. Write a text"
    if kind == "too_short":
        return f"{name} has {context['actual_length']} of at least {context['min_length']} entries. Add what is missing"
    if kind == "string_type":
        return f"{name} {shown(value)} is {type(value).__name__}, not text. Put it in quotes"
    if kind in _SHAPES:
        return f"{name} {shown(value)} is {type(value).__name__}, not {_SHAPES[kind]}"
    if kind == "value_error":
        return f"{name}: {context['error']}"
    return f"{name} {shown(value)}: {details['msg'][:1].lower()}{details['msg'][1:]}. Correct the value"


def _is_tag(part: str | int) -> bool:
    """Return whether a part of a path is the tag of a union. Tags do not occur in files."""
    return isinstance(part, str) and part.startswith("[")


def _tagged(annotation: object) -> dict[str, object]:
    """Return the alternatives of a tagged union by tag; empty for other types."""
    metadata = ((one, tag) for one in get_args(annotation) for tag in get_args(one)[1:] if isinstance(tag, Tag))
    return {tag.tag: one for one, tag in metadata}


def _within(path: FieldPath, ancestor: FieldPath) -> bool:
    return len(path) > len(ancestor) and path[: len(ancestor)] == ancestor


def _union_field(path: FieldPath, model: type[BaseModel]) -> FieldPath | None:
    """Return the path of the untagged union to which an error's path belongs; None if there is none."""
    fields = (path[:length] for length in range(1, len(path)))
    return next((field for field in fields if _alternatives(_declared(model, field)) > 1), None)


def _alternatives(annotation: object) -> int:
    """Return how many types an annotation allows beside None."""
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    union = get_origin(annotation) in (Union, UnionType) and not _tagged(annotation)
    return len([a for a in get_args(annotation) if a is not type(None)]) if union else 1


def _declared(model: type[BaseModel], path: FieldPath) -> object:
    at: object = model
    for part in path:
        at = _tagged(at).get(str(part)) or _bare(at)
        if _is_tag(part):
            continue
        if isinstance(at, type) and issubclass(at, BaseModel):
            fields = at.model_fields
            at = next((f.annotation for key, f in fields.items() if part in (key, f.alias)), None)
        else:
            arguments = [a for a in get_args(at) if a is not Ellipsis]
            at = arguments[-1] if arguments else None
    return at


def _bare(annotation: object) -> object:
    """Return an annotation without `Annotated`; for an optional type, the type itself."""
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            annotation = get_args(annotation)[0]
        elif origin in (Union, UnionType):
            annotation = next(a for a in get_args(annotation) if a is not type(None))
        else:
            return annotation


def _fields(annotation: object) -> list[str]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [field.alias or name for name, field in annotation.model_fields.items()]
    return []
