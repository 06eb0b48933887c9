"""What `demur round` ends with: strata, acceptance, leaderboard, paths, and what to type next."""

import shutil
import sys
from pathlib import Path

from demur.flows.cli.printing import echo
from demur.warehouse.connection import reading
from demur.warehouse.formats import Format, render
from demur.warehouse.home import Home
from demur.warehouse.records import records

_TABLES = {
    "Strata": "summary_strata",
    "Levers": "summary_levers",
    "Levers with the lowest share accepted": "summary_lowest_levers",
    "Commonest reasons why perturbations did not go on": "summary_reasons",
    "Acceptance by verifier": "summary_verifiers",
    "Verification per candidate, if asking stopped at the first failing verdict": "summary_verification",
    "Leaderboard (calibrated refusal score; shares of right answers and right refusals)": "summary_leaderboard",
    "Reach of the mean share right per source question (95 %, in points)": "summary_reach",
    "Cost, as estimated at the start and as it came": "summary_costs",
}


def print_summary(home: Home, round_id: str, release: str) -> None:
    """Print the tables of a finished round, the paths written, and what to type next."""
    with reading(home) as con:
        for title, query in _TABLES.items():
            rows = list(records(con, query, [round_id]))
            if not rows:
                continue
            columns = list(rows[0])
            echo(f"\n{title}\n{render(Format.TABLE, columns, [list(row.values()) for row in rows])}")
    folder, command = home.releases / release, _command()
    echo(
        f"""
Release    {_from_here(folder)}
Report     {_from_here(folder / "report.html")}
Gates      {_from_here(home.data_docs / "index.html")}
Warehouse  {_from_here(home.published)}

Next
  {command} release verify {release}
  {command} sql "SELECT * FROM leaderboard WHERE round_id = '{round_id}'"
  {command} sql "SELECT * FROM rejection_reasons WHERE round_id = '{round_id}'"
  {command} sql "SELECT * FROM lever_coverage WHERE round_id = '{round_id}'\""""
    )


def _command() -> str:
    """How the reader's shell finds us: by name where it is on the path, else as it was found this time."""
    if shutil.which("demur"):
        return "demur"
    return str(_from_here(Path(sys.argv[0])))


def _from_here(path: Path) -> Path:
    """The path as it is typed in this directory."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
