"""Rendering of pages, where only templates write markup, and addresses of the explorer's pages."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from demur.reports import names, texts
from demur.reports.tables import formats
from demur.reports.texts import score

# Addresses of the explorer's pages on its server.


PATHS: Final = {
    "rounds": "/",
    "compare_rounds": "/compare",
    "console": "/sql",
    "csv": "/sql.csv",
    "round": "/rounds/{round}",
    "results": "/rounds/{round}/results",
    "questions": "/rounds/{round}/questions",
    "items": "/rounds/{round}/items",
    "item": "/rounds/{round}/items/{id}",
    "read": "/rounds/{round}/read/{id}",
    "differences": "/rounds/{round}/differences",
    "marks": "/rounds/{round}/items/{id}/marks",
    "calls": "/rounds/{round}/calls/{unit}",
    "levers": "/rounds/{round}/levers",
    "lever": "/rounds/{round}/levers/{lever}",
    "compare": "/rounds/{round}/compare",
    "judges": "/rounds/{round}/judges",
    "audit": "/rounds/{round}/audit",
    "report": "/releases/{release}/report.html",
    "file": "/static/{name}",
}
"""The path of every page by name. Values that are not in the path become query parameters."""
VALUE: Final = "p_"
"""Prefix of query parameters with values of a console statement."""

To = Callable[..., str | None]


def to(page: str, /, **values: object) -> str:
    """Return the path and query of a page on the server; None values are omitted."""
    rest = {name: value for name, value in values.items() if value is not None}
    path = PATHS[page]
    for name in list(rest):
        if f"{{{name}}}" in path:
            path = path.replace(f"{{{name}}}", quote(str(rest.pop(name)), safe="/" if name == "release" else ""))
    return f"{path}?{urlencode(rest, doseq=True)}" if rest else path


def within(page: str, /, **values: object) -> None:
    """Return None in place of an address. Self-contained pages use this function, since they have no links."""
    return None


# Rendering of pages: values are escaped as data, only templates write markup.


TEMPLATES: Final = Path(__file__).parent / "templates"
STYLE: Final = "page.css"
SCRIPT: Final = "page.js"
Ends = tuple[float, float]
"""The left and right end of an axis."""


def render(template: str, to: To | None = None, **context: Any) -> str:
    """Return a page as HTML.

    Args:
        template: the name of the template without `.html`.
        to: returns the address of another page by name, or None. Without `to` the page is self-contained, without
            links.
        context: the values of the template.
    """
    return str(environment().get_template(f"{template}.html").render(to=to or within, **context))


def asset(name: str) -> bytes:
    """Return the content of the style sheet (STYLE) or script (SCRIPT) of all pages.

    Raises:
        KeyError: another name.
    """
    return (TEMPLATES / {STYLE: STYLE, SCRIPT: SCRIPT}[name]).read_bytes()


@cache
def environment() -> Environment:
    """Return the Jinja environment of all templates."""
    found = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        finalize=texts.as_data,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = (
        texts.percent, texts.signed, texts.count, texts.small, names.spoken, score, formats.dollars, formats.rate,
        formats.decimal, formats.difference, when, cell, checks_spoken, set_out, step, place, within_sentence,
    )  # fmt: skip
    found.filters.update({function.__name__: function for function in filters})
    found.globals.update(
        names=names,
        console_values=console_values,
        lead=lead,
        style=Markup(asset(STYLE).decode()),
    )
    return found


def console_values(values: Mapping[str, object]) -> dict[str, object]:
    """Return a statement's values as query parameters of the console."""
    return {VALUE + name: value for name, value in values.items()}


def when(value: Any) -> str:
    """Return a time in UTC to the minute. None becomes a dash."""
    return formats.moment(value) if value is not None else texts.EN_DASH


def place(number: float, ends: Ends) -> float:
    """Return the position of a number on an axis, in per cent from the left end."""
    left, right = ends
    return min(100.0, max(0.0, 100 * (number - left) / (right - left)))


def step(share: float | None) -> int:
    """Return the number of the shade, from 0 to 10, for a share in [0, 1]. None has shade 0."""
    return 0 if share is None else round(10 * min(1.0, max(0.0, share)))


def checks_spoken(reason: str) -> str:
    """Return a reason with the name of its check in words: `Lever fidelity: ...` for `lever_fidelity: ...`."""
    return re.sub(r"^([^:]*: )?([a-z]+(?:_[a-z]+)+)(?=: )", lambda it: (it[1] or "") + names.spoken(it[2]), reason)


def within_sentence(said: str) -> str:
    """Return a sentence with a lower-case first letter."""
    return said[:1].lower() + said[1:]


def lead(
    to: To, where: Mapping[str, Any], row: Mapping[str, object], by: Sequence[str] | Mapping[str, str]
) -> str | None:
    """Return the address that a table cell links to, or None if there is no such page.

    Args:
        to: returns addresses of pages.
        where: parameters of the address. Two optional keys are no parameters: `page` is the name of the page (default:
            items), and `by` replaces the argument `by`.
        row: the row of the cell.
        by: columns of the row to pass as parameters, or a mapping from parameter to column.
    """
    values = dict(where)
    columns = values.pop("by", by)
    named = columns if isinstance(columns, Mapping) else dict(zip(columns, columns, strict=True))
    return to(values.pop("page", "items"), **values, **{name: row[column] for name, column in named.items()})


def set_out(said: str) -> str:
    """Return a JSON object as indented JSON, with one line per value. Other text is unchanged."""
    try:
        found = json.loads(said)
    except ValueError:
        return said
    return json.dumps(found, ensure_ascii=False, indent=2) if isinstance(found, dict) else said


def cell(value: Any) -> str:
    """Return a value as text, for columns that no named table declares."""
    if value is None:
        return texts.EN_DASH
    if isinstance(value, datetime):
        return when(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return texts.small(value)
    if isinstance(value, list):
        return ", ".join(cell(one) for one in value)
    return str(value)
