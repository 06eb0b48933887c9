"""`demur sql`: SQL on the published warehouse."""

import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from demur.cli.printing import echo, echo_rows
from demur.warehouse.formats import Format

TABLE_ROWS: Final = 200
"""Default number of rows of tables."""
EXAMPLES: Final = """
[bold]Examples[/bold]

demur sql "SELECT * FROM leaderboard"

demur sql "SELECT class, intensity, accepted, candidates FROM yield_by_stratum WHERE round_id = 'embedded'" --format csv

demur sql "PIVOT live_items ON intensity USING count(*) GROUP BY class"

demur sql --file question.sql

echo "SHOW TABLES" | demur sql -
"""


def run(
    statement: Annotated[
        str | None, typer.Argument(help="One read-only SQL statement; '-' reads it from standard input.")
    ] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", help="Read the statement from this file.")] = None,
    output: Annotated[Format, typer.Option("--format", help="Output format.")] = Format.TABLE,
    limit: Annotated[
        int | None,
        typer.Option(help="Most rows; 0 for all. Default: 200 in tables, all in CSV and JSON.", min=0),
    ] = None,
) -> None:
    """Run a read-only SQL statement on the published warehouse, also while a round runs."""
    from demur.configuration.settings import demur_home
    from demur.warehouse.query import query

    if limit is None and output in (Format.TABLE, Format.MARKDOWN):
        limit = TABLE_ROWS
    result = query(demur_home(), _given(statement, file), limit=limit or None)
    echo_rows(output, result.columns, result.rows)
    if result.truncated:
        echo(f"The first {limit} rows; --limit 0 shows all.", err=True)


def _given(statement: str | None, file: Path | None) -> str:
    if (statement is None) == (file is None):
        raise typer.BadParameter("give one SQL statement, or --file FILE, or - for standard input", param_hint="SQL")
    try:
        if file is not None:
            return file.read_text(encoding="utf-8")
        return sys.stdin.read() if statement == "-" else str(statement)
    except UnicodeDecodeError as exc:
        raise typer.BadParameter(f"{file or 'standard input'} is not UTF-8 ({exc.reason})", param_hint="SQL") from exc
