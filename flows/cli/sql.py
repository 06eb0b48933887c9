"""`demur sql`: questions to the published warehouse."""

from typing import Annotated, Final

import typer

from demur.warehouse.formats import Format, render

EXAMPLES: Final = """
[bold]Examples[/bold]

demur sql "SELECT * FROM leaderboard"

demur sql "SELECT class, intensity, accepted, candidates FROM yield_by_stratum WHERE round_id = 'embedded'" --format csv

demur sql "SHOW TABLES"
"""


def run(
    statement: Annotated[str, typer.Argument(help="One SQL statement; it cannot change anything.")],
    output: Annotated[Format, typer.Option("--format", help="How rows are written.")] = Format.TABLE,
    limit: Annotated[int, typer.Option(help="Most rows shown; 0 for all.", min=0)] = 200,
) -> None:
    """Ask the published warehouse, also while a round runs."""
    from demur.flows.settings import demur_home
    from demur.warehouse.query import query

    result = query(demur_home(), statement, limit=limit or None)
    typer.echo(render(output, result.columns, result.rows))
    if result.truncated:
        typer.echo(f"The first {limit} rows; --limit 0 shows all.", err=True)
