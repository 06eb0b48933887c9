"""`demur rounds`: the rounds of this warehouse, and what each came to."""

from typing import Annotated, Final

import typer

from demur.cli.completion import complete_round
from demur.cli.options import Output
from demur.cli.printing import echo_rows
from demur.warehouse.formats import Format

EXAMPLES: Final = """
[bold]Examples[/bold]

demur rounds                           all rounds, the newest first

demur rounds embedded                  what one came to, in fifteen lines

demur rounds embedded --full           with all tables

demur rounds embedded --format json    the same for programs
"""

COLUMNS: Final = ("round", "status", "started", "bases", "items", "usd", "release")


def run(
    round_id: Annotated[
        str | None, typer.Argument(metavar="[ROUND]", help="What this round came to.", autocompletion=complete_round)
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="All tables of a round.")] = False,
    output: Annotated[Format, typer.Option("--format", help="How it is written; of one round: table or json.")] = (
        Format.TABLE
    ),
) -> None:
    """List rounds, or show what one came to, also while it runs."""
    from demur.configuration.settings import demur_home
    from demur.warehouse.connection import reading
    from demur.warehouse.records import records, table_of

    if round_id is not None:
        from demur.cli.summary import print_summary

        if output not in (Format.TABLE, Format.JSON):
            raise typer.BadParameter(f"{output} holds one table; a round has several", param_hint="--format")
        print_summary(demur_home(), round_id, full=full, output=Output(output))
        return
    if full:
        raise typer.BadParameter("name a round", param_hint="--full")
    with reading(demur_home()) as con:
        if output is not Format.TABLE:
            echo_rows(output, *table_of(con, "rounds_in_figures", [None]))
            return
        rows = [
            (
                row["round_id"], row["status"], f"{row['started_at']:%Y-%m-%d %H:%M}", row["bases"], row["items"],
                None if row["counted_usd"] is None else round(row["counted_usd"], 2), row["release"],
            )
            for row in records(con, "rounds_in_figures", [None])
        ]  # fmt: skip
    echo_rows(output, COLUMNS, rows)
