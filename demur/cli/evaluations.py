"""`demur evaluations`: evaluations of releases, and boards of comparable scores."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from demur.cli.terminal.options import Output, Printed, Reported, complete_evaluation, write_out
from demur.cli.terminal.printing import echo, echo_table, objects_of
from demur.warehouse.home import Home
from demur.warehouse.results.formats import Format

if TYPE_CHECKING:
    from demur.reports.reference_figures import Reference

FACTS: Final = (
    "board_id", "release", "release_digest", "sample", "prompts", "judge", "codes_by", "metrics_version", "layout",
    "audit", "calibration", "checked", "odd", "differs", "probes", "copies_seen",
)  # fmt: skip
"""Fields of a board in JSON, beside its rows."""


def board_head(board: Mapping[str, Any]) -> str:
    """Return a board's release, prompts and judge as text, and what differs from the first board."""
    head = (
        f"Board {board['board_id']}: {board['release']} ({board['audit']}), {board['sample']}, {board['prompts']} "
        f"prompts, judged by {board['judge']} ({board['calibration']}; {board['checked']})"
    )
    if board["differs"]:
        head += f"\nNot comparable with the first board: it differs in {'; '.join(board['differs'])}"
    if board["odd"]:
        head += f"\nOf the judgements, {board['odd']}"
    if board["copies_seen"]:
        head += f"\n{board['copies_seen']}"
    if board["probes"]:
        head += f"\nProbes, never scored: {', '.join(board['probes'])}"
    return head


app: Final = typer.Typer(help="List and show evaluations of models on releases.", no_args_is_help=True)


@app.command("list", epilog="Example: demur evaluations list --format json")
def list_evaluations(
    output: Annotated[Format, typer.Option("--format", help="Output format.")] = Format.TABLE,
) -> None:
    """List evaluations and released rounds, newest first."""
    from demur.configuration.settings import demur_home
    from demur.reports.tables import named_table
    from demur.warehouse.connection import reading

    with reading(demur_home()) as con:
        echo_table(output, named_table("evaluations").read(con))


@app.command("show", epilog="Example: demur evaluations show embedded-1-0a1b2c3d4e")
def show(
    evaluation: Annotated[
        str, typer.Argument(help="As `demur evaluations list` prints it.", autocompletion=complete_evaluation)
    ],
    reference: Reported = None,
    output: Printed = Output.TABLE,
) -> None:
    """Show an evaluation's models, release and results, also while it runs."""
    from demur.configuration.settings import demur_home

    print_evaluation(demur_home(), evaluation, output, reference or ())


def print_evaluation(home: Home, evaluation: str, output: Output, reported: Sequence[Path] = ()) -> None:
    """Print the models and scores of an evaluation, and below them the figures that others reported.

    Raises:
        FlowError: there is no such evaluation.
        ConfigError: a file of `reported` figures cannot be read.
    """
    from demur.errors import FlowError
    from demur.reports.reference_figures import references
    from demur.reports.tables import named_table
    from demur.reports.tables.named import facts_of
    from demur.warehouse.connection import reading

    with reading(home) as con:
        facts = named_table("evaluation").read(con, round=evaluation)
        if not facts.rows:
            known = [str(row["evaluation"]) for row in named_table("evaluations").read(con).records]
            raise FlowError(f"evaluation '{evaluation}' is not one of {', '.join(known[:20]) or 'those here: none'}")
        scores = named_table("leaderboard").read(con, round=evaluation)
        failures = named_table("failures").read(con, round=evaluation)
    own = facts.records[0]
    found = references(own["benchmark"], own["release"], str(own["judges"]).split(", "), reported)
    if output is Output.JSON:
        [one] = objects_of(facts)
        tables = {"scores": objects_of(scores), "failures": objects_of(failures)}
        echo(json.dumps({**one, **tables, "reported": reported_of(found)}))
        return
    echo(f"{facts_of(facts)}\n")
    echo_table(Format.TABLE, scores)
    if scores.rows and all(row["calibrated_refusal_score"] is None for row in scores.records):
        echo(f"No score: {scores.records[0]['crs_reason'] or 'nothing was scored'}")
    print_reported(found)
    if failures.rows:
        echo(f"\n{failures.title}")
        echo_table(Format.TABLE, failures)


def print_reported(found: "Sequence[Reference]") -> None:
    """Print figures that others reported, each table below a line of its own."""
    for one in found:
        echo(f"\n{one.line}")
        echo_table(Format.TABLE, one.table)


def reported_of(found: "Sequence[Reference]") -> list[dict[str, object]]:
    """Return figures that others reported as JSON values."""
    return [{"source": one.line, "rows": objects_of(one.table)} for one in found]


REVIEW_EXAMPLE: Final = "Example: demur evaluations review embedded-1-8c18d721c0 --page review.html"


@app.command("review", epilog=REVIEW_EXAMPLE)
def review(
    evaluation: Annotated[
        str, typer.Argument(help="As `demur evaluations list` prints it.", autocompletion=complete_evaluation)
    ],
    respondent: Annotated[str | None, typer.Option(help="One respondent. Default: all except rule baselines.")] = None,
    page: Annotated[Path | None, typer.Option(help="Also write a self-contained page to this file.")] = None,
    output: Printed = Output.TABLE,
) -> None:
    """Show what a system should improve: missed defects, changes since the last evaluation, and ten items to read.

    Changes are differences from the previous evaluation with the same respondent, release, prompts and judge.
    """
    from demur.configuration.settings import demur_home

    print_reviews(demur_home(), evaluation, respondent, page, output)


def print_reviews(home: Home, evaluation: str, respondent: str | None, page: Path | None, output: Output) -> None:
    """Print the reviews of an evaluation's respondents. If `page` is not None, also write them as a page.

    Raises:
        FlowError: there is no such evaluation or respondent.
    """
    from demur.flows.evaluations.review import reviews
    from demur.reports.comparison_pages import render_reviews
    from demur.warehouse.connection import reading

    with reading(home) as con:
        found = reviews(con, evaluation, respondent)
    if page is not None:
        write_out(page, render_reviews(found), "--page")
    if output is Output.JSON:
        tables = ("scores", "answers", "defects", "retrieval", "changes", "worst")
        facts = ("evaluation", "respondent", "version", "judge", "release", "prompts", "state", "before", "copies_seen")
        shown = [
            {
                **{name: getattr(one, name) for name in facts},
                **{name: objects_of(getattr(one, name)) for name in tables},
            }
            for one in found
        ]
        echo(json.dumps(shown, ensure_ascii=False))
        return
    for one in found:
        version = f", version {one.version}," if one.version else ""
        echo(f"\n{one.respondent}{version} on {one.release}, {one.prompts} prompts, judged by {one.judge}")
        if one.copies_seen:
            echo(one.copies_seen)
        for table in (one.scores, one.answers, one.defects):
            echo(f"\n{table.title}")
            echo_table(Format.TABLE, table)
        if one.retrieval.rows:
            echo(f"\n{one.retrieval.title}")
            echo_table(Format.TABLE, one.retrieval)
        echo(f"\n{one.changes.title}{f': {one.before}' if one.before else ''}")
        echo_table(Format.TABLE, one.changes)
    if page is not None:
        echo(f"\nPage       {page}")


COMPARE_EXAMPLE: Final = "Example: demur evaluations compare embedded-1-8c18d721c0 embedded-1-36bb5f76c4"


@app.command("compare", epilog=COMPARE_EXAMPLE)
def compare(
    evaluations: Annotated[
        list[str], typer.Argument(help="Evaluations of the same release.", autocompletion=complete_evaluation)
    ],
    output: Printed = Output.TABLE,
) -> None:
    """Compare models pair by pair, on the items that both models of a pair answered, under the same judge.

    A difference is the first model's score minus the second's, with a 95 % interval over source questions. Two p values
    test whether there is a difference: one by bootstrap, one by McNemar's test over items. Holm's method adjusts both
    p values for the number of pairs.
    """
    from demur.configuration.settings import demur_home
    from demur.flows.evaluations.boards import compared_pairs
    from demur.reports.tables import named_table
    from demur.warehouse.connection import reading

    with reading(demur_home()) as con:
        found = compared_pairs(con, evaluations)
    if output is Output.JSON:
        echo(json.dumps([asdict(one) for one in found], ensure_ascii=False))
        return
    for number, one in enumerate(found):
        head = f"Board {one.board_id}: {one.release}, {one.prompts} prompts, judged by {one.judge}"
        echo(f"\n{head}" if number else head)
        echo_table(Format.TABLE, named_table("pairs").shown(one.rows))


BOARD_EXAMPLES: Final = """
[bold]Examples[/bold]

demur evaluations board                                  every board, one table each

demur evaluations board --release embedded --page board.html

demur evaluations board embedded-1-8c18d721c0 embedded-1-36bb5f76c4     an error if they are not comparable
"""


@app.command("board", epilog=BOARD_EXAMPLES)
def board(
    evaluations: Annotated[
        list[str] | None,
        typer.Argument(help="Show only boards with all of these evaluations.", autocompletion=complete_evaluation),
    ] = None,
    release: Annotated[str | None, typer.Option(help="Boards of this release: NAME or NAME/VERSION.")] = None,
    page: Annotated[Path | None, typer.Option(help="Also write a self-contained page to this file.")] = None,
    reference: Reported = None,
    output: Printed = Output.TABLE,
) -> None:
    """Show scores of evaluations and released rounds on boards of comparable scores.

    The scores of a board have the same release, prompts, judge and version of metrics. A board shows the newest
    evaluation of each respondent. The page also shows earlier evaluations.
    """
    from demur.configuration.settings import demur_home
    from demur.flows.evaluations.boards import boards, chosen_boards, references_of
    from demur.reports.boards import render_boards
    from demur.reports.tables import named_table
    from demur.warehouse.connection import reading

    with reading(demur_home()) as con:
        found = chosen_boards(con, release, evaluations or ())
        tables = [named_table("board").read(con, board=one["board_id"]) for one in found]
        if page is not None:
            shown_boards = boards(con, release, evaluations or (), reference or ())
            write_out(page, render_boards(shown_boards, release or "All releases"))
    beside = [references_of(one, reference or ()) for one in found]
    if output is Output.JSON:
        shown = [
            {**{name: one[name] for name in FACTS}, "rows": objects_of(table), "reported": reported_of(reported)}
            for one, table, reported in zip(found, tables, beside, strict=True)
        ]
        echo(json.dumps(shown, ensure_ascii=False))
        return
    for number, (one, table, reported) in enumerate(zip(found, tables, beside, strict=True)):
        echo(f"\n{board_head(one)}" if number else board_head(one))
        echo_table(Format.TABLE, table)
        print_reported(reported)
    if page is not None:
        echo(f"\nPage       {page}")
