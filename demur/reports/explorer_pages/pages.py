"""Renders the explorer's pages. Whatever they print is data unless a template wrote it as markup."""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment

from demur.reports import names, text
from demur.reports.environment import TEMPLATES, environment_of
from demur.reports.explorer_pages import charts
from demur.reports.explorer_pages.links import VALUE, To
from demur.reports.worddiff import Change, Stretch, word_diff

OWN: Final = Path(__file__).parent / "templates"
STYLE: Final = "explorer.css"
SCRIPT: Final = "explorer.js"
OUTCOMES: Final = {
    "right": "Right",
    "wrong": "Wrong",
    "answered": "Answered",
    "refused": "Refused",
    **names.KINDS,
    "ungraded_answer": "Answer without a grade",
}
STATUSES: Final = {
    "sampled": "Sampled",
    "accepted": "Accepted, not sampled",
    "candidate": "Waiting for verdicts",
    "rejected by verifiers": "Rejected by verifiers",
    "duplicate": "Duplicate",
    "rejected by check": "Rejected by a code check",
    "declined": "Declined by the generator",
    "control": "Control",
    "imported": "Imported",
}
HEADINGS: Final = {
    "p_value": "p",
    "p_value_holm": "p, Holm",
    "mcnemar_p_value": "p, McNemar",
    "mcnemar_p_value_holm": "p, McNemar, Holm",
    "minimum_detectable": "Least that could be detected",
    "calibrated_refusal_score": "Score",
    "crs_low": "Low",
    "crs_high": "High",
    "cost_usd": "Cost, USD",
    "counted_usd": "Counted, USD",
    "unsure_usd": "Of it unsure, USD",
    "stage_max_usd": "Cap of the stage, USD",
    "round_max_usd": "Cap of the round, USD",
    "usd_per_response": "USD per response",
    "last_loaded_at": "Last loaded (UTC)",
    "published_pass_rate": "Published pass rate",
}
"""Columns of plain tables whose names are no heading."""
VALUES: Final = {
    "class": names.CLASSES_AND_ALL,
    "intensity": names.INTENSITIES,
    "metric": names.METRICS,
    "criterion": {**names.CRITERIA, "overall": "All five"},
    "coefficient": {**names.COEFFICIENTS, "cohen": "Pair, Cohen's kappa"},
}
"""Columns of plain tables whose values have a name."""
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


def render(template: str, to: To, **context: Any) -> str:
    """Return a page; `to` gives the address of another by its name, None where there is none to go to."""
    return str(_environment().get_template(f"{template}.html").render(to=to, **context))


def asset(name: str) -> bytes:
    """Return the style or the script of all pages; the style begins with that of the reports.

    Raises:
        KeyError: there is no other file.
    """
    if name == STYLE:
        return (TEMPLATES / "page.css").read_bytes() + (OWN / STYLE).read_bytes()
    return (OWN / {SCRIPT: SCRIPT}[name]).read_bytes()


@cache
def _environment() -> Environment:
    return environment_of(
        OWN,
        filters=(usd, when, cell, heading, set_out),
        OUTCOMES=OUTCOMES,
        STATUSES=STATUSES,
        SORTS=SORTS,
        charts=charts,
        console_values=console_values,
        of_row=of_row,
    )


def console_values(values: Mapping[str, object]) -> dict[str, object]:
    """Return a statement's values as the query of the console names them."""
    return {VALUE + name: value for name, value in values.items()}


def usd(value: object) -> str:
    """Return dollars, to the cent above a dollar, else to three significant digits; a dash where nothing is known."""
    if not text.is_known(value):
        return text.EN_DASH
    amount = float(value)
    return f"${amount:,.2f}" if amount >= 1 or amount == 0 else f"${amount:.3g}"


def when(value: Any) -> str:
    """Return a time in UTC to the minute; a dash where there is none."""
    return f"{value:%Y-%m-%d %H:%M}" if value is not None else text.EN_DASH


def heading(column: str) -> str:
    """Return the heading of a column of a plain table."""
    return HEADINGS.get(column) or names.spoken(column)


def of_row(row: Mapping[str, object], columns: Iterable[str]) -> dict[str, object]:
    """Return what an address says of a row, by the columns that decide it."""
    return {column: row[column] for column in columns}


def set_out(said: str) -> str:
    """Return a JSON object with a line for every value, and any other text as it is."""
    try:
        found = json.loads(said)
    except ValueError:
        return said
    return json.dumps(found, ensure_ascii=False, indent=2) if isinstance(found, dict) else said


def cell(value: Any, column: str = "") -> str:
    """Return a cell of a table whose columns are not known beforehand."""
    if value is None:
        return text.EN_DASH
    if column in VALUES and isinstance(value, str):
        return VALUES[column].get(value, value)
    if isinstance(value, datetime):
        return when(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return text.small(value)
    if isinstance(value, list):
        return ", ".join(cell(one) for one in value)
    return str(value)


def compared(old: str | None, new: str | None, spans: Iterable[tuple[int, int]] = ()) -> dict[str, Any]:
    """Return what a text became: its stretches word by word, and which characters of the new text checks point at."""
    stretches = word_diff(old or "", new or "")
    return {
        "stretches": list(_with_evidence(stretches, sorted(spans))),
        "changed": any(one.change is not Change.SAME for one in stretches),
    }


def _with_evidence(stretches: Iterable[Stretch], spans: list[tuple[int, int]]) -> Iterable[tuple[str, str, bool]]:
    """Yield stretches as change, text, and whether a code check names the text as its evidence."""
    place = 0
    for one in stretches:
        if one.change is Change.DELETED:
            yield one.change.value, one.text, False
            continue
        end = place + len(one.text)
        cuts = sorted({place, end, *(cut for span in spans for cut in span if place < cut < end)})
        for start, stop in zip(cuts, cuts[1:], strict=False):
            named = any(first <= start and stop <= last for first, last in spans)
            yield one.change.value, one.text[start - place : end - place - (end - stop)], named
        place = end


def passages(
    old: Iterable[Mapping[str, Any]],
    new: Iterable[Mapping[str, Any]],
    spans: Mapping[int | None, list[tuple[int, int]]],
) -> list[dict[str, Any]]:
    """Return passages on both sides, in order, each with what changed in it."""
    found = []
    for number, (before, after) in enumerate(zip_longest(old, new), start=1):
        either = before or after or {}
        index = int(either.get("index", number - 1))
        shown = compared((before or {}).get("text"), (after or {}).get("text"), spans.get(index, ()))
        found.append({**shown, "number": number, "title": either.get("title"), "relevant": either.get("relevant")})
    return found
