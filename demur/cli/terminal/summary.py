"""The summary of a round, in sixteen lines, with all tables, or as JSON; the accuracy of grades on gold rows."""

import json
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from demur.cli.terminal.options import Output
from demur.cli.terminal.printing import WIDEST, echo, echo_rows, objects_of, terminal_width
from demur.reports.tables import ShownTable, named_table
from demur.reports.tables.formats import dollars
from demur.reports.tables.named import text_of, titled_text
from demur.reports.texts import count, counted
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from demur.warehouse.results.formats import Format, clipped, render

if TYPE_CHECKING:
    from demur.rewards.gold import Accuracy, GoldAccuracy
    from demur.scoring.reward_fitting.propositions import Measured, PropositionAccuracy


# Tables of the accuracy of grades on gold rows. A narrow terminal gets tables without intervals.


MEASURES: Final = ("base rate", "accuracy", "balanced accuracy", "F1")
UNBOUNDED: Final = 1_000
"""Assumed width without a terminal, in characters."""


def print_accuracy(found: "GoldAccuracy", output: Format, what: str) -> None:
    """Print the accuracy of propositions by behaviour, then of classes; CSV has the first table only."""
    parts = {"all": found.overall, **found.by_behaviour}
    if output is Format.CSV:
        limits = (f"{measure}{limit}" for measure in MEASURES for limit in ("", ", low", ", high"))
        rows = [(name, *row) for name, part in parts.items() for row in _numbers(part)]
        echo(render(output, ("behaviour", "proposition", "n", *limits), rows))
        return
    columns = ("proposition", "n", *MEASURES)
    tables = {name: render(output, columns, _cells(part, intervals=True)) for name, part in parts.items()}
    wide = max(map(len, "\n".join(tables.values()).splitlines()))
    short = output is Format.TABLE and wide > shutil.get_terminal_size((UNBOUNDED, 24)).columns
    if short:
        widest = shutil.get_terminal_size().columns
        tables = {name: render(output, columns, _cells(part, intervals=False), widest) for name, part in parts.items()}
    for name, table in tables.items():
        echo(f"{name}\n{table}\n")
    echo(what)
    classes = [(name, part.rows, _cell(part.class_accuracy), _rounded(part.macro)) for name, part in parts.items()]
    echo_rows(output, ("behaviour", "rows", "class accuracy", "macro balanced accuracy"), classes)
    recalls = [(name, rows, _rounded(share)) for name, (rows, share) in found.overall.class_recall.items()]
    echo(f"\n{render(output, ('class', 'rows', 'recall'), recalls)}")
    if short:
        echo(f"\n95 % intervals: in a terminal of {wide} columns, or with --format json")


def summary(part: "Accuracy") -> str:
    """Return the class accuracy and the macro balanced accuracy as text."""
    return f"class accuracy {_cell(part.class_accuracy)}, macro balanced accuracy {_rounded(part.macro) or 'none'}"


def _cells(part: "Accuracy", intervals: bool) -> Sequence[tuple[object, ...]]:
    found = []
    for name, each in part.propositions.items():
        found.append((name, each.n, *(_cell(one) if intervals else _rounded(one.value) for one in _measured(each))))
    return found


def _numbers(part: "Accuracy") -> Sequence[tuple[object, ...]]:
    found = []
    for name, each in part.propositions.items():
        found.append((name, each.n, *(number for one in _measured(each) for number in (one.value, one.low, one.high))))
    return found


def _measured(each: "PropositionAccuracy") -> tuple["Measured", ...]:
    """Return the values named in MEASURES."""
    return each.base_rate, each.accuracy, each.balanced_accuracy, each.f1


def _cell(measured: "Measured") -> str | None:
    from demur.reports.tables.formats import CellKind, with_interval

    value = _rounded(measured.value)
    return None if value is None else with_interval(value, measured.low, measured.high, CellKind.RATE)


def _rounded(value: float | None) -> str | None:
    from demur.reports.tables.formats import rate

    return None if value is None else rate(value)


# The summary of a round, in sixteen lines, with all tables, or as JSON.


LINES: Final = 16
MOST_REASONS: Final = 4

_TABLES: Final = (
    "corpus_rows", "strata", "languages", "lever_classes", "lowest_levers", "rejection_reasons", "verifiers",
    "verification_cost",
    "leaderboard", "language_scores", "known", "precision", "costs_estimate", "warnings",
)  # fmt: skip
"""The named tables of a round, in order."""


def print_summary(home: Home, round_id: str, *, full: bool, output: Output) -> None:
    """Print the summary of a round, with the paths of its files and the next commands.

    Raises:
        FlowError: there is no such round.
        WarehouseMissingError: nothing was published yet.
    """
    from demur.errors import FlowError

    with reading(home) as con:
        found = named_table("rounds").read(con, round=round_id)
        if not found.rows:
            known = [str(row["round_id"]) for row in named_table("rounds").read(con).records]
            raise FlowError(f"round '{round_id}' is not one of {', '.join(known[:20]) or 'those here: there are none'}")
        [figures] = found.records
        tables = {name: named_table(name).read(con, round=round_id) for name in _TABLES}
        [overview] = named_table("overview").read(con, round=round_id).records
    if output is Output.JSON:
        [one] = objects_of(found)
        shown = {name: objects_of(table) for name, table in tables.items()}
        counted = figures_by_round(home, [round_id])
        echo(json.dumps({**one, "report": _report(home, figures), "figures": counted[round_id], "tables": shown}))
    elif full:
        for table in tables.values():
            if table.rows:
                echo(f"\n{titled_text(table, terminal_width() or WIDEST)}")
        echo("\n" + "\n".join(_where(home, figures, full=True)))
    else:
        echo("\n".join(_short(home, figures, tables, overview)))


def figures_by_round(home: Home, rounds: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the figures of `demur metrics` as JSON values, by round id. Times are ISO 8601 in UTC."""
    from demur.engine.upkeep.monitoring import home_figures

    found = {one.round_id: asdict(one) for one in home_figures(home, rounds).rounds}
    for one in found.values():
        one |= {name: value.isoformat() for name, value in one.items() if isinstance(value, datetime)}
        one["calls"] = [count._asdict() for count in one["calls"]]
    return found


def read_by_rule(overview: Mapping[str, Any]) -> bool:
    """Return whether no model has read the items of a round: all its verifiers are rules."""
    verifiers = overview["verifiers"] or ()
    return len(verifiers) > 0 and _rules(overview).issuperset(verifiers)


def _rules(overview: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of a round's rules models."""
    models = json.loads(overview["config"]).get("models", ())
    return frozenset(model["name"] for model in models if model["provider"] == "rules")


def shown_rows(is_rule: Sequence[bool], most: int) -> list[int]:
    """Return the numbers of at most `most` rows, in order.

    If there are more rows, the last rules but one are omitted first, and then the last rows.
    """
    kept = list(range(len(is_rule)))
    rules = [number for number in kept if is_rule[number]]
    omitted = rules[1:][::-1][: max(0, len(kept) - most)]
    return [number for number in kept if number not in omitted][:most]


def _short(
    home: Home, figures: Mapping[str, Any], tables: Mapping[str, ShownTable], overview: Mapping[str, Any]
) -> Iterator[str]:
    """Yield at most LINES lines on a round.

    If there are more lines, blank lines are omitted first. Then respondents are omitted (`shown_rows`).
    """
    widest = min(WIDEST, terminal_width() or WIDEST)
    by_rule = read_by_rule(overview)
    above = [clipped(f"{name:10} {text}", widest) for name, text in _figures(figures, tables, by_rule=by_rule)]
    below = list(_where(home, figures, full=False))
    board = tables["leaderboard"]
    lines = text_of(board, widest, brief=True).split("\n") if board.rows else []
    head = len(lines) - len(board.rows)
    room = LINES - len(above) - len(below) - head
    blank = [""] if len(board.rows) + 2 <= room else []
    rules = _rules(overview)
    is_rule = [row["respondent"] in rules for row in board.records]
    shown = shown_rows(is_rule, len(is_rule) if len(is_rule) <= room else room - 1)
    yield from above
    if lines:
        yield from (*blank, *lines[:head], *(lines[head + number] for number in shown))
    if len(shown) < len(is_rule):
        yield f"and {len(is_rule) - len(shown)} more"
    yield from (*blank, *below)


def _figures(
    figures: Mapping[str, Any], tables: Mapping[str, ShownTable], *, by_rule: bool
) -> Iterator[tuple[str, str]]:
    """Yield pairs of name and text for the lines on items, losses, costs and warnings."""
    short = f" ({figures['short_strata']} short)" if figures["short_strata"] else ""
    made = figures["items"] is not None
    said = f"{figures['round_id']}, {figures['status']}"
    if by_rule:
        said += ", items read by one rule and no model"
    if made:
        said += (
            f": {count(figures['items'])} of {counted(figures['wanted'], 'item')} in "
            f"{counted(figures['strata'], 'stratum', 'strata')}{short}, {counted(figures['controls'] or 0, 'control')}"
        )
    yield "Round", said
    rows = tables["corpus_rows"].records
    if left_out := [row for row in rows if row["outcome"].startswith("left out")]:
        read = sum(row["rows"] for row in rows if row["outcome"].startswith(("usable", "left out")))
        why = ", ".join(f"{row['reason']} {count(row['rows'])}" for row in left_out[:MOST_REASONS])
        number = sum(row["rows"] for row in left_out)
        yield "Corpus", f"{count(read)} rows read, {count(number)} left out: {why}"
    if made:
        asked, accepted = count(figures["asked"]), count(figures["accepted"])
        reasons = tables["rejection_reasons"].records
        yield "Made", f"{asked} asked, {counted(figures['candidates'], 'candidate')}, {accepted} accepted"
        if figures["declined"]:
            yield "Declined", _lost(figures["declined"], reasons, "declined", "reason")
        checks = [row for row in reasons if row["who"] != "no_duplicate"]
        rejected = f"{count(figures['rejected_by_verifiers'])} by verifiers"
        if figures["duplicates"]:
            rejected += f", {count(figures['duplicates'])} as duplicates"
        yield "Rejected", f"{rejected}, by code {_lost(figures['rejected'], checks, 'code check', 'who')}"
    if figures["unpriced_calls"]:
        yield "Cost", f"not known: {counted(figures['unpriced_calls'], 'request')} to models without prices"
    elif figures["counted_usd"] or figures["max_usd"] is not None:
        cap = "" if figures["max_usd"] is None else f" of {dollars(figures['max_usd'])}"
        estimated = "" if figures["estimated_usd"] is None else f", estimated {dollars(figures['estimated_usd'])}"
        yield "Cost", f"{dollars(figures['counted_usd'] or 0)}{cap}{estimated}"
    if warnings := [f"{row['stage']}: {row['warning']}" for row in tables["warnings"].records]:
        yield "Warnings", f"{count(len(warnings))}: {'; '.join(warnings)}"


def _lost(number: int, reasons: Sequence[Mapping[str, Any]], by: str, name: str) -> str:
    """Return as text the number of lost perturbations and the most frequent reasons."""
    said: dict[str, int] = {}
    for row in reasons:
        if row["by_whom"] == by:
            said[row[name]] = said.get(row[name], 0) + row["perturbations"]
    listed = ", ".join([f"{what} {count(times)}" for what, times in said.items()][:MOST_REASONS])
    return f"{count(number)}: {listed}" if number and listed else count(number)


def _where(home: Home, figures: Mapping[str, Any], *, full: bool) -> Iterator[str]:
    """Yield the paths of the round's files and the next commands."""
    round_id = figures["round_id"]
    release = figures["release"]
    command = _command()
    report = _report(home, figures)
    if report is not None:
        yield f"Report     {report}"
    if full:
        yield f"Gates      {_from_here(home.gate_pages(round_id) / 'index.html')}"
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
    """Return `demur` if it is on the PATH, otherwise the path of this program."""
    if shutil.which("demur"):
        return "demur"
    return str(_from_here(Path(sys.argv[0])))


def _from_here(path: Path) -> Path:
    """Return a path below the working directory as a relative path, and any other path unchanged."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
