"""The summary of a round: in fifteen lines, with all tables, or as JSON."""

import json
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from demur.cli.options import Output
from demur.cli.printing import echo, terminal_width
from demur.warehouse.connection import Connection, reading
from demur.warehouse.formats import as_objects, as_table, clipped
from demur.warehouse.home import Home
from demur.warehouse.records import records, table_of

WIDEST: Final = 100
"""Places of a line that the short summary keeps to."""
LINES: Final = 15
MOST_REASONS: Final = 4
HEAD_LINES: Final = 2
"""Of the leaderboard."""

_TABLES: Final = {
    "strata": "Strata",
    "levers": "Levers",
    "lowest_levers": "Levers with the lowest share accepted",
    "reasons": "Commonest reasons why perturbations did not go on; one can have several",
    "verifiers": "Acceptance by verifier",
    "verification": "Verification per candidate, if asking stopped at the first failing verdict",
    "leaderboard": "Leaderboard (calibrated refusal score; shares of right answers and right refusals)",
    "known": "Attempts among items to be refused, where probes know the answer and where they do not",
    "precision": "Precision of the mean share right per source question (95 %, in points)",
    "costs": "Cost, as estimated at the start and as it came",
    "warnings": "Warnings",
}
"""Titles of the tables, each the rows of `sql/summary_<name>.sql`."""


def print_summary(home: Home, round_id: str, *, full: bool, output: Output) -> None:
    """Print the summary of a round, with the paths written and the commands to type next.

    Raises:
        FlowError: there is no such round.
        WarehouseMissingError: nothing was published yet.
    """
    from demur.errors import FlowError

    with reading(home) as con:
        figures = next(records(con, "rounds_in_figures", [round_id]), None)
        if figures is None:
            known = [str(row["round_id"]) for row in records(con, "rounds_in_figures", [None])]
            raise FlowError(f"round '{round_id}' is not one of {', '.join(known[:20]) or 'those here: there are none'}")
        if output is Output.JSON:
            tables = {name: as_objects(*table_of(con, f"summary_{name}", [round_id])) for name in _TABLES}
            [one] = as_objects(list(figures), [list(figures.values())])
            echo(json.dumps({**one, "report": _report(home, figures), "tables": tables}))
        elif full:
            _print_tables(con, round_id)
            echo("\n" + "\n".join(_where(home, figures, full=True)))
        else:
            echo("\n".join(_short(home, con, figures)))


def _print_tables(con: Connection, round_id: str) -> None:
    for name, title in _TABLES.items():
        columns, rows = table_of(con, f"summary_{name}", [round_id])
        if rows:
            echo(f"\n{title}\n{as_table(columns, rows, terminal_width())}")


def _short(home: Home, con: Connection, figures: Mapping[str, Any]) -> Iterator[str]:
    """Yield the round on at most LINES lines: blank ones are left out first, then respondents, which are counted."""
    widest = min(WIDEST, terminal_width() or WIDEST)
    above = [clipped(f"{name:10} {text}", widest) for name, text in _figures(con, figures)]
    below = list(_where(home, figures, full=False))
    columns, rows = _board(con, str(figures["round_id"]))
    room = LINES - len(above) - len(below) - HEAD_LINES
    blank = [""] if len(rows) + 2 <= room else []
    shown = rows if len(rows) <= room else rows[: room - 1]
    yield from above
    if rows:
        yield from (*blank, *as_table(columns, shown, widest).split("\n"))
    if len(shown) < len(rows):
        yield f"and {len(rows) - len(shown)} more"
    yield from (*blank, *below)


def _figures(con: Connection, figures: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield names and texts of the lines on items, losses, costs and warnings."""
    round_id = str(figures["round_id"])
    short = f" ({figures['short_strata']} short)" if figures["short_strata"] else ""
    items = f": {figures['items']} of {figures['wanted']} items in {figures['strata']} strata{short}"
    controls = f", {figures['controls'] or 0} controls"
    made = figures["items"] is not None
    yield "Round", f"{round_id}, {figures['status']}" + (items + controls if made else "")
    if made:
        yield "Made", f"{figures['asked']} asked, {figures['candidates']} candidates, {figures['accepted']} accepted"
        reasons = list(records(con, "summary_reasons", [round_id]))
        yield "Declined", _lost(figures["declined"], reasons, "declined", "reason")
        yield (
            "Rejected",
            _lost(figures["rejected"], reasons, "code check", "who")
            + (f"; {figures['candidates'] - figures['accepted']} candidates by verifiers"),
        )
    if figures["counted_usd"] or figures["max_usd"] is not None:
        cap = "" if figures["max_usd"] is None else f" of ${figures['max_usd']:,.2f}"
        estimated = figures["estimated_usd"]
        yield (
            "Cost",
            f"${figures['counted_usd'] or 0:,.2f}{cap}"
            + ("" if estimated is None else f", estimated ${estimated:,.2f}"),
        )
    warnings = [f"{row['stage']}: {row['warning']}" for row in records(con, "summary_warnings", [round_id])]
    if warnings:
        yield "Warnings", f"{len(warnings)}: {'; '.join(warnings)}"


def _lost(count: int, reasons: list[dict[str, Any]], by: str, name: str) -> str:
    """Return the number of perturbations lost and the reasons, the commonest first."""
    said: dict[str, int] = {}
    for row in reasons:
        if row["by"] == by:
            said[row[name]] = said.get(row[name], 0) + row["perturbations"]
    listed = ", ".join([f"{what} {times}" for what, times in said.items()][:MOST_REASONS])
    return f"{count}: {listed}" if count and listed else f"{count}"


def _board(con: Connection, round_id: str) -> tuple[list[str], list[list[object]]]:
    """Return the leaderboard without columns that are the same for all."""
    columns, rows = table_of(con, "summary_leaderboard", [round_id])
    found = {name: {row[at] for row in rows} for at, name in enumerate(columns)}
    plain = {
        "judge": len(found["judge"]) < 2,
        "invalid": found["invalid"] == {0.0},
        "judge's noise": found["judge's noise"] == {"unknown"},
        "evaluation": found["evaluation"] == {"complete"},
    }
    kept = [at for at, name in enumerate(columns) if not plain.get(name)]
    return [columns[at] for at in kept], [[row[at] for at in kept] for row in rows]


def _where(home: Home, figures: Mapping[str, Any], *, full: bool) -> Iterator[str]:
    """Yield paths written and the commands to type next."""
    round_id = figures["round_id"]
    release = figures["release"]
    command = _command()
    report = _report(home, figures)
    if report is not None:
        yield f"Report     {report}"
    if full:
        yield f"Gates      {_from_here(home.data_docs / 'index.html')}"
        yield f"Warehouse  {_from_here(home.published)}"
    verify = [f"{command} release verify {release}"] if release else []
    if not full:
        yield f"Next       {'; '.join([*verify, f'{command} rounds {round_id} --full'])}"
        return
    views = "leaderboard", "rejection_reasons", "lever_coverage"
    asked = (f"{command} sql \"SELECT * FROM {view} WHERE round_id = '{round_id}'\"" for view in views)
    for number, line in enumerate([*verify, *asked]):
        yield f"{'' if number else 'Next':10} {line}"


def _report(home: Home, figures: Mapping[str, Any]) -> str | None:
    release = figures["release"]
    return str(_from_here(home.releases / release / "report.html")) if release else None


def _command() -> str:
    """Return how the reader's shell finds us: by name where it is on the path, else as it was found this time."""
    if shutil.which("demur"):
        return "demur"
    return str(_from_here(Path(sys.argv[0])))


def _from_here(path: Path) -> Path:
    """Return the path as it is typed in this directory."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
