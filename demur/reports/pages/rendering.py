"""Renders pages. Values are escaped as data; only templates write markup."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from demur.reports import names, text
from demur.reports.pages.links import VALUE, To, within
from demur.reports.scores import score
from demur.reports.tables import formats

TEMPLATES: Final = Path(__file__).parent / "templates"
STYLE: Final = "page.css"
SCRIPT: Final = "page.js"
OUTCOMES: Final = {
    "right": "Right",
    "wrong": "Wrong",
    "answered": "Answered",
    "refused": "Refused",
    **names.KINDS,
    "ungraded_answer": "Answer without a grade",
}
STATUSES: Final = {
    "sampled": "Item",
    "accepted": "Accepted, not sampled",
    "candidate": "Waiting for verdicts",
    "rejected by verifiers": "Rejected by verifiers",
    "duplicate": "Duplicate",
    "rejected by check": "Rejected by a code check",
    "declined": "Declined by the generator",
    "control": "Control",
    "imported": "Imported",
}
STATUS_NOTES: Final = {
    "sampled": "accepted by all verifiers, and drawn for the benchmark",
    "accepted": "accepted by all verifiers, and not drawn: its stratum has enough items",
    "candidate": "passed the code checks, and lacks verdicts",
    "rejected by verifiers": "at least one verifier said no",
    "duplicate": "says the same as another one",
    "rejected by check": "code found a fault before any verifier was asked",
    "declined": "the generator said that the lever cannot be pulled here",
    "control": "the original question without a defect, asked as well",
    "imported": "known from its responses alone",
}
LIST_NOTES: Final = {
    "Stratum": "A class of defect at one intensity.",
    "Lever": "The way in which a defect was planted.",
    "Generator": "The model that planted it.",
    "Passed by verifiers": "Verdicts that found the defect as it should be, of all verdicts.",
    "Right": "Right responses, of those judged. Models are language models; rules are respondents that answer by a "
    "fixed rule, such as always to refuse, to compare with.",
    "Difficulty": "The share of judged responses that are wrong, fixed rules too.",
    "Cost": "Of all calls for it.",
}
"""The meaning of the columns of a list of items."""
Ends = tuple[float, float]
"""The ends of an axis."""
VIEWS: Final = {
    "All items": {"status": "sampled"},
    "All models wrong": {"status": "sampled", "right": "no model"},
    "Models and fixed rules all wrong": {"status": "sampled", "right": "none"},
    "Models and fixed rules all right": {"status": "sampled", "right": "all"},
    "Hardest first": {"status": "sampled", "sort": "difficulty"},
    "Respondents differ most": {"status": "sampled", "sort": "disagreement"},
    "Rejected by verifiers": {"status": "rejected by verifiers"},
    "Rejected by code": {"status": "rejected by check"},
    "Verifiers differ most": {"sort": "verifiers"},
    "Everything, also controls and what was rejected": {},
}
"""Lists of items that people ask for most, by what their addresses say."""
SORTS: Final = {
    "stratum": "class and intensity",
    "difficulty": "hardest first",
    "easiest": "easiest first",
    "disagreement": "respondents disagree most",
    "verifiers": "verifiers disagree most",
    "cost": "dearest first",
    "lever": "lever",
    "generator": "generator",
    "status": "status",
}


def render(template: str, to: To | None = None, **context: Any) -> str:
    """Return a page; `to` gives the address of another by its name, None where there is none to go to.

    Without `to` the page is one file that needs nothing else and leads nowhere.
    """
    return str(environment().get_template(f"{template}.html").render(to=to or within, **context))


def asset(name: str) -> bytes:
    """Return the style or the script of all pages.

    Raises:
        KeyError: there is no other file.
    """
    return (TEMPLATES / {STYLE: STYLE, SCRIPT: SCRIPT}[name]).read_bytes()


@cache
def environment() -> Environment:
    """Return the environment of all templates."""
    found = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        finalize=text.as_data,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = (
        text.percent, text.signed, text.count, text.small, names.spoken, score, formats.dollars, formats.rate,
        formats.decimal, formats.difference, when, cell, checks_spoken, set_out, step, place, within_sentence,
    )  # fmt: skip
    found.filters.update({function.__name__: function for function in filters})
    found.globals.update(
        names=names,
        OUTCOMES=OUTCOMES,
        STATUSES=STATUSES,
        STATUS_NOTES=STATUS_NOTES,
        LIST_NOTES=LIST_NOTES,
        SORTS=SORTS,
        VIEWS=VIEWS,
        console_values=console_values,
        lead=lead,
        style=Markup(asset(STYLE).decode()),
    )
    return found


def console_values(values: Mapping[str, object]) -> dict[str, object]:
    """Return a statement's values as the query of the console names them."""
    return {VALUE + name: value for name, value in values.items()}


def when(value: Any) -> str:
    """Return a time in UTC to the minute; a dash where there is none."""
    return formats.moment(value) if value is not None else text.EN_DASH


def place(number: float, ends: Ends) -> float:
    """Return where a number lies on an axis, in per cent from its left end."""
    left, right = ends
    return min(100.0, max(0.0, 100 * (number - left) / (right - left)))


def step(share: float | None) -> int:
    """Return a share as one of eleven shades, 0 to 10."""
    return 0 if share is None else round(10 * min(1.0, max(0.0, share)))


def checks_spoken(reason: str) -> str:
    """Return a reason with the check that it begins with, after who gave it, in words: `Lever fidelity: ...`."""
    return re.sub(r"^([^:]*: )?([a-z]+(?:_[a-z]+)+)(?=: )", lambda it: (it[1] or "") + names.spoken(it[2]), reason)


def within_sentence(said: str) -> str:
    """Return a sentence as part of another one: its first letter small."""
    return said[:1].lower() + said[1:]


def lead(
    to: To, where: Mapping[str, Any], row: Mapping[str, object], by: Sequence[str] | Mapping[str, str]
) -> str | None:
    """Return where a cell leads: to the page that `where` names, else to items, with its values and those of the row.

    `by` are columns of the row, or columns by the names that the address has for them; `where` may have its own.
    """
    values = dict(where)
    columns = values.pop("by", by)
    named = columns if isinstance(columns, Mapping) else dict(zip(columns, columns, strict=True))
    return to(values.pop("page", "items"), **values, **{name: row[column] for name, column in named.items()})


def set_out(said: str) -> str:
    """Return a JSON object with a line for every value, and any other text as it is."""
    try:
        found = json.loads(said)
    except ValueError:
        return said
    return json.dumps(found, ensure_ascii=False, indent=2) if isinstance(found, dict) else said


def cell(value: Any) -> str:
    """Return a cell of a table whose columns are not known beforehand."""
    if value is None:
        return text.EN_DASH
    if isinstance(value, datetime):
        return when(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return text.small(value)
    if isinstance(value, list):
        return ", ".join(cell(one) for one in value)
    return str(value)
