"""What `demur round` ends with: strata, acceptance, leaderboard, paths, and what to type next."""

import typer

from warehouse.connection import reading
from warehouse.formats import Format, render
from warehouse.home import Home
from warehouse.records import records

_TABLES = {
    "Strata": "report_strata",
    "Acceptance by verifier": "report_verifiers",
    "Leaderboard": "report_leaderboard",
}


def print_summary(home: Home, round_id: str, release: str) -> None:
    """Print the tables of a finished round, the paths written, and what to type next."""
    with reading(home) as con:
        for title, query in _TABLES.items():
            rows = list(records(con, query, [round_id]))
            columns = list(rows[0]) if rows else []
            typer.echo(f"\n{title}\n{render(Format.TABLE, columns, [list(row.values()) for row in rows])}")
    folder = home.releases / release
    typer.echo(
        f"""
Release    {folder}
Report     {folder / "report.html"}
Gates      {home.data_docs / "index.html"}
Warehouse  {home.published}

Next
  demur release verify {release}
  demur sql "SELECT * FROM leaderboard WHERE round_id = '{round_id}'"
  demur sql "SELECT * FROM rejection_reasons WHERE round_id = '{round_id}'\""""
    )
