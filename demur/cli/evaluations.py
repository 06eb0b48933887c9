"""`demur evaluations`: what was evaluated on which release, and boards that put like beside like."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from demur.cli.completion import complete_evaluation
from demur.cli.options import Output, Printed, write_out
from demur.cli.printing import echo, echo_rows, terminal_width
from demur.warehouse.formats import Format, as_objects, as_table
from demur.warehouse.home import Home

if TYPE_CHECKING:
    from demur.flows.evaluations.pairs import ComparedPairs
    from demur.reports.boards import Board
    from demur.reports.cells import Score

SHORT: Final = {
    "answer_accuracy": "answers", "refusal_accuracy": "refusals", "detection_f1": "detection",
    "category_accuracy": "category", "hierarchical_refusal_score": "hierarchical", "false_refusal_rate": "false ref.",
    "missed_refusal_rate": "missed ref.", "invalid_rate": "invalid",
    "ece": "ece", "eligibility": "eligible", "factuality_all": "factual, all",
    "factuality_relevant": "factual", "raf_attempts": "raf",
}  # fmt: skip


def board_text(board: "Board") -> str:
    """Return a board as a table, with what its scores have in common above."""
    head = (
        f"Board {board.board_id}: {board.release} ({board.audit}), {board.prompts} prompts, judged by {board.judge} "
        f"({board.calibration})"
    )
    if board.differs:
        head += f"\nNot to be compared with the first: it differs in {'; '.join(board.differs)}"
    names = board.columns()
    columns = ("respondent", "crs", "95 % interval", *(SHORT[name] for name in names), "judge's noise", "state")
    rows = [
        (
            row["respondent"], _number(row["headline"]), _interval(row["headline"]),
            *(_number(cell) for cell in row["cells"]),
            "unknown" if row["judge_noise"] is None else f"{row['judge_noise']:.3f}", row["state"],
        )
        for row in board.standings()
    ]  # fmt: skip
    rows += [(probe, *["probe"] * 2, *[""] * len(names), "", "never scored") for probe in board.probes]
    return f"{head}\n{as_table(columns, rows, terminal_width())}"


def board_json(board: "Board") -> dict[str, Any]:
    """Return a board as JSON: every score with its interval, null with a reason where it is undefined."""
    names = ("calibrated_refusal_score", *board.columns())
    facts = (
        "board_id",
        "release",
        "release_digest",
        "prompts",
        "judge",
        "metrics_version",
        "layout",
        "audit",
        "calibration",
    )
    return {
        **{name: getattr(board, name) for name in facts},
        "differs": list(board.differs),
        "probes": list(board.probes),
        "rows": [
            {
                **{name: row[name] for name in ("respondent", "round_id", "state", "planned", "judged", "judge_noise")},
                **{
                    name: {"value": cell.value, "low": cell.low, "high": cell.high, "reason": cell.reason}
                    for name, cell in zip(names, (row["headline"], *row["cells"]), strict=True)
                },
            }
            for row in board.standings()
        ],
    }


def pairs_text(pairs: "ComparedPairs") -> str:
    """Return pairs of models as a table, with what their scores have in common above."""
    head = f"Board {pairs.board_id}: {pairs.release}, {pairs.prompts} prompts, judged by {pairs.judge}"
    columns = (
        "metric", "first", "second", "items", "difference", "95 % interval", "p, Holm", "only first", "only second",
        "McNemar, Holm",
    )  # fmt: skip
    rows = [
        (
            row["metric"], row["first"], row["second"], row["items"], _cell("{:+.3f}", row["difference"]),
            _cell("{:+.3f} to {:+.3f}", row["low"], row["high"]), _cell("{:.2g}", row["p_value_holm"]),
            row["only_first"], row["only_second"], _cell("{:.2g}", row["mcnemar_p_value_holm"]),
        )
        for row in pairs.rows
    ]  # fmt: skip
    return f"{head}\n{as_table(columns, rows, terminal_width())}"


def _cell(shape: str, *values: object) -> str:
    return "n/a" if None in values else shape.format(*values)


def _number(score: "Score") -> str:
    return "n/a" if score.value is None else f"{score.value:.3f}"


def _interval(score: "Score") -> str:
    return f"{score.low:.3f} to {score.high:.3f}" if score.has_interval else "n/a"


app: Final = typer.Typer(help="List and show evaluations of models on releases.", no_args_is_help=True)


@app.command("list", epilog="Example: demur evaluations list --format json")
def list_evaluations(
    output: Annotated[Format, typer.Option("--format", help="How rows are written.")] = Format.TABLE,
) -> None:
    """List evaluations, the newest first; rounds whose release was frozen here are among them."""
    from demur.configuration.settings import demur_home
    from demur.warehouse.connection import reading
    from demur.warehouse.records import table_of

    with reading(demur_home()) as con:
        echo_rows(output, *table_of(con, "evaluations_listed", []))


@app.command("show", epilog="Example: demur evaluations show embedded-1-0a1b2c3d4e")
def show(
    evaluation: Annotated[
        str, typer.Argument(help="As `demur evaluations list` prints it.", autocompletion=complete_evaluation)
    ],
    output: Printed = Output.TABLE,
) -> None:
    """Show what an evaluation is of, and what came of it, also while it runs."""
    from demur.configuration.settings import demur_home

    print_evaluation(demur_home(), evaluation, output)


def print_evaluation(home: Home, evaluation: str, output: Output) -> None:
    """Print what an evaluation is of, and its scores.

    Raises:
        FlowError: there is no such evaluation.
    """
    from demur.errors import FlowError
    from demur.warehouse.connection import reading
    from demur.warehouse.records import records, table_of

    with reading(home) as con:
        facts = next(records(con, "evaluation_facts", [evaluation]), None)
        if facts is None:
            known = [str(row["evaluation"]) for row in records(con, "evaluations_listed", [])]
            raise FlowError(f"evaluation '{evaluation}' is not one of {', '.join(known[:20]) or 'those here: none'}")
        columns, rows = table_of(con, "evaluation_scores", [evaluation])
    if output is Output.JSON:
        [one] = as_objects(list(facts), [list(facts.values())])
        echo(json.dumps({**one, "scores": as_objects(columns, rows)}))
        return
    for name, value in facts.items():
        echo(f"{name:15} {'none' if value is None else value}")
    echo("")
    echo(as_table(columns, rows, terminal_width()))


COMPARE_EXAMPLE: Final = "Example: demur evaluations compare embedded-1-8c18d721c0 embedded-1-36bb5f76c4"


@app.command("compare", epilog=COMPARE_EXAMPLE)
def compare(
    evaluations: Annotated[
        list[str], typer.Argument(help="Evaluations of the same release.", autocompletion=complete_evaluation)
    ],
    output: Printed = Output.TABLE,
) -> None:
    """Compare models of evaluations pair by pair, on the items that both answered, as the same judge judged them.

    Differences are the first model's score less the second's with their 95 % interval over source questions; p is that
    of no difference, McNemar's the test of the metric by items alone, both by Holm for all pairs of the metric.
    """
    from demur.configuration.settings import demur_home
    from demur.flows.evaluations.pairs import compared_pairs
    from demur.warehouse.connection import reading

    with reading(demur_home()) as con:
        found = compared_pairs(con, evaluations)
    if output is Output.JSON:
        echo(json.dumps([asdict(one) for one in found], ensure_ascii=False))
        return
    echo("\n\n".join(pairs_text(one) for one in found))


BOARD_EXAMPLES: Final = """
[bold]Examples[/bold]

demur evaluations board                                  every board, one table each

demur evaluations board --release embedded --page board.html

demur evaluations board embedded-1-8c18d721c0 embedded-1-36bb5f76c4     refused where they cannot be compared
"""


@app.command("board", epilog=BOARD_EXAMPLES)
def board(
    evaluations: Annotated[
        list[str] | None,
        typer.Argument(help="Evaluations that have to stand on one board.", autocompletion=complete_evaluation),
    ] = None,
    release: Annotated[str | None, typer.Option(help="Boards of this release: NAME or NAME/VERSION.")] = None,
    page: Annotated[Path | None, typer.Option(help="Write a page that needs nothing else to this file too.")] = None,
    output: Printed = Output.TABLE,
) -> None:
    """Show scores of evaluations and released rounds, side by side where they can be compared.

    The scores of a board have release, prompts, judge and the code that counts in common. Of a respondent that was
    evaluated several times it shows the newest; the page has the others too.
    """
    from demur.configuration.settings import demur_home
    from demur.flows.evaluations.boards import boards
    from demur.reports.boards import render_boards
    from demur.warehouse.connection import reading

    with reading(demur_home()) as con:
        found = boards(con, release, evaluations or ())
    if page is not None:
        write_out(page, render_boards(found, release or "All releases"))
    if output is Output.JSON:
        echo(json.dumps([board_json(one) for one in found], ensure_ascii=False))
        return
    echo("\n\n".join(board_text(one) for one in found))
    if page is not None:
        echo(f"\nPage       {page}")
