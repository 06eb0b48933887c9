"""What `demur round` ends with: strata, acceptance, leaderboard, paths, and what to type next."""

import typer

from warehouse.formats import Format, render
from warehouse.home import Home
from warehouse.query import query

_TABLES = {
    "Strata": "SELECT * EXCLUDE (round_id) FROM yield_by_stratum WHERE round_id = '{round_id}'",
    "Acceptance by verifier": "SELECT * EXCLUDE (round_id) FROM acceptance_by_verifier WHERE round_id = '{round_id}'",
    "Leaderboard": "SELECT * EXCLUDE (round_id) FROM leaderboard WHERE round_id = '{round_id}'",
}


def print_summary(home: Home, round_id: str, release: str) -> None:
    """Print the tables of a finished round; a round's id is a path segment, so it cannot leave its quotes."""
    for title, text in _TABLES.items():
        found = query(home, text.format(round_id=round_id), limit=None)
        typer.echo(f"\n{title}\n{render(Format.TABLE, found.columns, found.rows)}")
    folder = home.releases / release
    typer.echo(
        f"""
Release    {folder}
Report     {folder / "report.html"}
Warehouse  {home.published}

Next
  demur release verify {release}
  demur sql "SELECT * FROM leaderboard WHERE round_id = '{round_id}'"
  demur sql "SELECT * FROM rejection_reasons WHERE round_id = '{round_id}'\""""
    )
