"""Mappings from the fields of other people's rows to fields of ours, as paths.

A mapping gives a path for each of our fields, such as `question=query,answers=answer.value+answer.aliases`. A path has
these parts:

- `answer.value` is the field `value` inside the field `answer`; `0` is the first entry of a list;
- `evidence[].text` is the field `text` of every entry of the list `evidence`;
- `one+other` are the values of both;
- `one|other` are the values of `one` or, if there are none, of `other`.

A row's field whose name is the whole path comes first, so that names with dots or signs can be mapped too. Null and
empty text count as no value.
"""

import ast
import contextlib
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from demur.corpora.jsonl import Json, Record

EACH: Final = "[]"
_LIST_IN_A_CELL: Final = re.compile(r"""\s*\[\s*(?:["'].*["']\s*)?\]\s*\Z""", re.DOTALL)
"""A list of texts as Python and JSON write it. CSV has no lists, so that writers put such texts into cells."""


def parse_map(given: str, fields: Collection[str], option: str = "--map") -> dict[str, str]:
    """Return the path of each mapped field, from text such as `question=query,context=evidence[].text`.

    Args:
        given: The text, with commas between the fields.
        fields: Our fields that can be mapped.
        option: The option that has the text, for messages.

    Raises:
        ValueError: the text has another form, or names a field that is not one of `fields`, or one field twice.
    """
    paths: dict[str, str] = {}
    for part in given.split(","):
        field, equals, path = (one.strip() for one in part.partition("="))
        if not equals or not field or not path:
            raise ValueError(
                f"{option}: '{part.strip()}' is not a mapping of a field; allowed: field=theirs,…, such as "
                "question=query,answers=answer; remedy: write our field, =, and the path in your rows"
            )
        if field not in fields:
            raise ValueError(
                f"{option}: '{field}' is not one of our fields; allowed: {', '.join(fields)}; "
                "remedy: our field stands before =, and yours behind it"
            )
        if field in paths:
            raise ValueError(
                f"{option}: '{field}' is mapped twice, to '{paths[field]}' and '{path}'; allowed: each field once; "
                f"remedy: {field}={paths[field]}+{path} takes the values of both"
            )
        paths[field] = path
    return paths


def found_at(row: Json, path: str) -> list[Json]:
    """Return the values that a path finds in a row, in their order; null and empty text are left out.

    Lists at the end of a path give their entries. A text that is written as a list of texts gives its entries too.
    """
    return [entry for value in values_at(row, path) for entry in _entries(value)]


def values_at(row: Json, path: str) -> list[Json]:
    """Return the values that a path finds in a row as they are: lists, null and empty text too."""
    if isinstance(row, dict) and path in row:
        return [row[path]]
    for sign in "|+":
        if sign in path:
            found = [values_at(row, one.strip()) for one in path.split(sign)]
            kept = [values for values in found if any(map(_is_there, values))]
            return next(iter(kept), []) if sign == "|" else [value for values in kept for value in values]
    values: list[Json] = [row]
    for step in path.replace(EACH, f".{EACH}").lstrip(".").split("."):
        values = [inner for value in values for inner in _stepped(value, step)]
    return values


def first_at(row: Json, path: str) -> Json:
    """Return the first value that a path finds in a row; None if it finds none."""
    return next(iter(found_at(row, path)), None)


def _stepped(value: Json, step: str) -> Iterator[Json]:
    if step == EACH:
        yield from value if isinstance(value, list) else (value,)
    elif isinstance(value, dict) and step in value:
        yield value[step]
    elif isinstance(value, list):
        if step.isdigit():
            yield from value[int(step) : int(step) + 1]
        else:
            for entry in value:
                yield from _stepped(entry, step)


def _entries(value: Json) -> Iterator[Json]:
    if isinstance(value, str) and _LIST_IN_A_CELL.match(value):
        with contextlib.suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            value = ast.literal_eval(value.strip())
    if isinstance(value, list):
        for entry in value:
            yield from _entries(entry)
    elif _is_there(value):
        yield value


def _is_there(value: Json) -> bool:
    return value is not None and value != "" and value != []


def rows_at(value: Json, path: str) -> Iterator[Record]:
    """Yield the rows that a path finds inside an object or list, with the fields of the objects around them.

    In `data[].paragraphs[].qas[]` every entry of `qas` is a row, with the fields of its paragraph and of its entry of
    `data`. A row's own field comes before a field of an object around it.
    """
    yield from _rows(value, [step for step in path.split(".") if step], {})


def _rows(value: Json, steps: list[str], around: Mapping[str, Json]) -> Iterator[Record]:
    if not steps:
        if isinstance(value, dict):
            yield {**around, **value}
        return
    key = steps[0].removesuffix(EACH)
    if key:
        if not isinstance(value, dict):
            return
        around = {**around, **{name: inner for name, inner in value.items() if name != key}}
        value = value.get(key)
    for entry in value if isinstance(value, list) else [value]:
        yield from _rows(entry, steps[1:], around)
