"""`demur rounds`: the rounds of a home and their results."""

from typing import Annotated, Final

import typer

from demur.cli.completion import complete_round
from demur.cli.options import Output
from demur.cli.printing import echo_rows, echo_table, objects_of
from demur.warehouse.formats import Format

EXAMPLES: Final = """
[bold]Examples[/bold]

demur rounds                           all rounds, newest first

demur rounds embedded                  the results of one round in sixteen lines

demur rounds embedded --full           with all tables

demur rounds embedded --format json    the same for programs
"""


def run(
    round_id: Annotated[
        str | None,
        typer.Argument(metavar="[ROUND]", help="Show the results of this round.", autocompletion=complete_round),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="All tables of a round.")] = False,
    output: Annotated[Format, typer.Option("--format", help="Output format; table or json for one round.")] = (
        Format.TABLE
    ),
) -> None:
    """List rounds, or show the results of one round, also while the round runs."""
    from demur.configuration.settings import demur_home
    from demur.reports.tables import named_table
    from demur.warehouse.connection import reading

    if round_id is not None:
        from demur.cli.summary import print_summary

        if output not in (Format.TABLE, Format.JSON):
            raise typer.BadParameter(f"{output} holds one table; a round has several", param_hint="--format")
        print_summary(demur_home(), round_id, full=full, output=Output(output))
        return
    if full:
        raise typer.BadParameter("name a round", param_hint="--full")
    with reading(demur_home()) as con:
        found = named_table("rounds").read(con)
    if output is Format.JSON:
        from demur.cli.summary import figures_by_round

        figures = figures_by_round(demur_home(), [str(row["round_id"]) for row in found.records])
        records = [{**one, "figures": figures.get(str(one["round_id"]))} for one in objects_of(found)]
        echo_rows(output, [*found.raw_columns, "figures"], [tuple(one.values()) for one in records])
    else:
        echo_table(output, found)
