"""`demur release diff`: differences between two releases."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from demur.cli.completion import complete_release
from demur.cli.options import Output, Printed, write_out
from demur.cli.printing import WIDEST, echo, terminal_width

if TYPE_CHECKING:
    from demur.reports.release_diff import ReleaseDiff
    from demur.reports.scores import Row

EXAMPLES: Final = """
[bold]Examples[/bold]

demur release diff weekly/1 weekly/2

demur release diff weekly/1 weekly/2 --fail-on "crs drop > 0.02" --page diff.html

demur release diff https://example.org/releases/a ./b --format json
"""
FAILED: Final = 1

Place = Annotated[
    str,
    typer.Argument(help="NAME, NAME/VERSION, a release's folder, or its address.", autocompletion=complete_release),
]


def run(
    first: Place,
    second: Place,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            help="Exit status 1 if a score changed by more: METRIC drop|rise|change > NUMBER.",
            metavar="CONDITION",
        ),
    ] = None,
    page: Annotated[Path | None, typer.Option(help="Also write a self-contained page to this file.")] = None,
    output: Printed = Output.TABLE,
) -> None:
    """Compare two releases: items by stratum and lever, prompts, models, settings, and scores.

    Both releases are verified first. Scores are compared for each respondent with the same model and judge in both
    releases. A difference is the second score minus the first, with a 95 % interval.
    """
    from demur.configuration.settings import demur_home
    from demur.flows.evaluations.release_diff import broken, condition, release_diff
    from demur.reports.release_diff import render_release_diff

    conditions = [condition(text) for text in fail_on or ()]
    diff = release_diff(demur_home(), first, second)
    failed = list(broken(diff, conditions))
    if page is not None:
        write_out(page, render_release_diff(diff, failed))
    if output is Output.JSON:
        echo(json.dumps({**diff.as_dict(), "failed": failed}, ensure_ascii=False))
    else:
        echo(_text(diff))
        for problem in failed:
            echo(f"\n{problem}")
    if failed:
        raise typer.Exit(FAILED)


def _text(diff: "ReleaseDiff") -> str:
    """Return the differences as tables. Equal parts have no table."""
    if diff.same:
        return f"{diff.first} and {diff.second}: the data files are the same"
    found = diff.items
    lines = [
        f"{diff.first} and {diff.second}: {found['in_both']} of {found['first']} and {found['second']} items, "
        f"{found['bases_in_both']} of {found['bases_first']} and {found['bases_second']} base instances are in both"
    ]
    for title, rows in (("Prompts", diff.prompts), ("Models", diff.models), ("Settings", diff.settings)):
        if rows:
            lines += ["", title, _shown("release_facts", rows)]
    counted = [row for row in diff.strata if row["first"] != row["second"] or row["in_both"] != row["first"]]
    if counted:
        lines += ["", "Items by stratum", _shown("release_strata", counted)]
    if diff.scoring_versions:
        first, second = diff.scoring_versions
        lines += ["", f"The scores are of scoring versions {first} and {second}, so they are not compared"]
    if diff.scores:
        scores = [row for row in diff.scores if row["metric"] == "calibrated_refusal_score"]
        lines += ["", "Calibrated refusal scores, second minus first", _shown("release_scores", scores)]
    return "\n".join(lines)


def _shown(name: str, rows: "Sequence[Row]") -> str:
    from demur.reports.tables import named_table
    from demur.reports.tables.renderers import text_of

    return text_of(named_table(name).shown(rows), terminal_width() or WIDEST)
