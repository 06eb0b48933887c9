"""`demur corpus`: the documents of rounds, and the passages made of them."""

from typing import Annotated, Final

import typer

from demur.cli.completion import complete_round
from demur.cli.printing import echo, echo_table
from demur.reports.text import counted
from demur.warehouse.formats import Format

app: Final = typer.Typer(help="Look at the documents of rounds.", no_args_is_help=True)


@app.command("show", epilog="Example: demur corpus show documents")
def show(
    round_id: Annotated[
        str | None,
        typer.Argument(
            metavar="[ROUND]", help="A round. Default: the newest with documents.", autocompletion=complete_round
        ),
    ] = None,
    output: Annotated[Format, typer.Option("--format", help="Output format.")] = Format.TABLE,
) -> None:
    """Show the documents of a round, with numbers of passages and questions for each document.

    Questions that were asked, accepted and used are counted over all rounds of this home.
    """
    from demur.configuration.settings import demur_home
    from demur.reports.tables import named_table
    from demur.warehouse.connection import reading
    from demur.warehouse.rounds import chosen_round, newest_of_documents

    with reading(demur_home()) as con:
        chosen = newest_of_documents(con) if round_id is None else chosen_round(con, round_id)
        found = named_table("corpus").read(con, round=chosen)
    echo_table(output, found)
    if output is Format.TABLE:
        rows = found.records
        total = {
            name: sum(int(row[name]) for row in rows) for name in ("passages", "questions", "accepted", "used", "left")
        }
        echo(
            f"\n{counted(len(rows), 'document')}, {counted(total['passages'], 'passage')}; "
            f"{counted(total['questions'], 'question')} asked, "
            f"{total['accepted']:,} accepted, {total['used']:,} used; {counted(total['left'], 'passage')} left"
        )
