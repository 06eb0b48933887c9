"""`demur evaluations`: what was evaluated on which release, and boards that put like beside like."""

import json
from typing import Annotated, Final

import typer

from demur.flows.cli.completion import complete_evaluation
from demur.flows.cli.options import Output, Printed
from demur.flows.cli.printing import echo, echo_rows, terminal_width
from demur.warehouse.formats import Format, as_objects, as_table
from demur.warehouse.home import Home

app: Final = typer.Typer(help="List and show evaluations of models on releases.", no_args_is_help=True)


@app.command("list", epilog="Example: demur evaluations list --format json")
def list_evaluations(
    output: Annotated[Format, typer.Option("--format", help="How rows are written.")] = Format.TABLE,
) -> None:
    """List evaluations, the newest first; rounds whose release was frozen here are among them."""
    from demur.flows.settings import demur_home
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
    from demur.flows.settings import demur_home

    print_evaluation(demur_home(), evaluation, output)


def print_evaluation(home: Home, evaluation: str, output: Output) -> None:
    """Print what an evaluation is of, and its scores.

    Raises:
        FlowError: there is no such evaluation.
    """
    from demur.flows.errors import FlowError
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
