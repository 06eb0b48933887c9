"""Renders the explorer's pages. Whatever they print is data unless a template wrote it as markup."""

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from demur.reports import names, text
from demur.reports.explorer import charts
from demur.reports.explorer.links import VALUE, To
from demur.reports.worddiff import Change, Stretch, word_diff

TEMPLATES: Final = Path(__file__).parent / "templates"
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
        return (TEMPLATES.parents[1] / "templates" / "page.css").read_bytes() + (TEMPLATES / STYLE).read_bytes()
    return (TEMPLATES / {SCRIPT: SCRIPT}[name]).read_bytes()


@cache
def _environment() -> Environment:
    found = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        finalize=text.as_data,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    shown = (text.percent, text.signed, text.count, text.small, names.spoken, usd, when, duration, cell)
    found.filters.update({function.__name__: function for function in shown})
    found.globals.update(
        names=names, OUTCOMES=OUTCOMES, STATUSES=STATUSES, SORTS=SORTS, charts=charts, console_values=console_values
    )
    return found


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


def duration(seconds: Any) -> str:
    """Return a length of time: seconds below two minutes, then minutes, hours, days."""
    if seconds is None:
        return text.EN_DASH
    for limit, unit, name in ((120, 1, "s"), (7_200, 60, "min"), (172_800, 3_600, "h")):
        if seconds < limit:
            return f"{seconds / unit:.0f} {name}"
    return f"{seconds / 86_400:.0f} days"


def cell(value: Any) -> str:
    """Return a cell of a table whose columns are not known beforehand."""
    if value is None:
        return text.EN_DASH
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
