"""Time of what a home does every week, after a month and after a year of weekly rounds.

    python benchmarks/year.py [--home HOME] [--rounds 4 52] [--times 5] [--keep FOLDER]

Runs one round of `weekly`, or takes the newest of a home, and copies its rows under other ids, one week apart, so that
a home has as many rounds as are asked for. Then it times the list of rounds, the explorer's first page after its start,
the figures of `demur metrics`, and the start of a new round up to its first unit: the checks, the round's rows, its
estimate and the draw of its base instances. Times are the least of several, in seconds, wall and CPU; the bound is 1.5
times those of the first number of rounds.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import psutil

from demur.warehouse.connection import reading, writing
from demur.warehouse.home import Home
from demur.warehouse.publication import publish
from demur.warehouse.tables import Table
from demur.warehouse.transactions import Connection

BOUND = 1.5
_WEEK = "week {:02d}"
TIMED = {
    "list of rounds": """
from demur.reports.tables import named_table
from demur.warehouse.connection import reading
def once():
    with reading(home) as con:
        return len(named_table("rounds").read(con).rows)
""",
    "figures of metrics": """
from demur.engine.upkeep.monitoring import home_figures
def once():
    return len(home_figures(home).rounds)
""",
    "start of a round": """
from contextlib import ExitStack
from demur.engine.context import loader_reading
from demur.flows.planning.round_plan import record_estimate
from demur.flows.rounds.request import RoundRequest
from demur.flows.rounds.session import check_start, round_session
from demur.flows.stages.bases.draw import draw_order
count = iter(range(1000))
def once():
    request = RoundRequest("weekly", f"fresh-{next(count)}")
    check_start(request)
    with round_session(request) as context:
        record_estimate(context)
        with loader_reading(context) as con:
            return len(draw_order(context, con).order)
""",
}


def copy_round(con: Connection, source: str, number: int) -> None:
    """Copy the rows of a round, so many weeks later; what has an id of 32 hex digits has another one."""
    values = {"source": source, "round": f"weekly-{number:03d}", "salt": _WEEK.format(number), "weeks": number}
    for table in Table:
        columns = con.execute(
            "SELECT column_name, data_type FROM duckdb_columns() "
            "WHERE table_name = ? AND database_name = 'warehouse' AND schema_name = 'main'",
            [table.value],
        ).fetchall()
        said = ", ".join(f'{_copied(name, kind)} AS "{name}"' for name, kind in columns)
        used = {name: value for name, value in values.items() if f"${name}" in said or name == "source"}
        con.execute(
            f"INSERT INTO {table.value} BY NAME SELECT {said} FROM {table.value} WHERE round_id = $source", used
        )


def _copied(name: str, kind: str) -> str:
    other = "CASE WHEN regexp_full_match({0}, '[0-9a-f]{{32}}') THEN md5({0} || $salt) ELSE {0} END"
    if name == "round_id":
        return "$round"
    if name == "version":
        return "CAST($weeks + 1 AS VARCHAR)"
    if name == "landing":
        return "$round || '/' || landing"
    if kind == "VARCHAR":
        return other.format(f'"{name}"')
    if kind == "VARCHAR[]":
        return f'list_transform("{name}", lambda one: {other.format("one")})'
    if kind.startswith("TIMESTAMP"):
        return f'"{name}" + to_weeks(CAST($weeks AS INTEGER))'
    return f'"{name}"'


def fill(source: Path, folder: Path, rounds: int) -> None:
    """Make a home with so many rounds, all copies of the newest of another home."""
    home = Home(folder)
    folder.mkdir(parents=True)
    with reading(Home(source)) as con:
        [(newest,)] = con.execute("SELECT round_id FROM rounds ORDER BY started_at DESC LIMIT 1").fetchall()
    home.loader.write_bytes((source / "loader.duckdb").read_bytes())
    with writing(home, wait_seconds=0, memory_limit="4GB") as con:
        for number in range(1, rounds):
            copy_round(con, newest, number)
    publish(home)
    for shelf in (source / "releases").iterdir():
        for number in range(1, rounds + 1):
            shutil.copytree(shelf / "1", home.releases / shelf.name / str(number))


def timed(home: Path, what: str, times: int) -> tuple[float, float]:
    """Return the least wall and CPU seconds of one of the above, in a process of its own; the first time is not one."""
    script = f"""
import json, time
from demur.configuration.settings import demur_home
home = demur_home()
{TIMED[what]}
once()
took = []
for _ in range({times}):
    at, spent = time.perf_counter(), time.process_time()
    once()
    took.append((time.perf_counter() - at, time.process_time() - spent))
print(json.dumps([min(one) for one in zip(*took)]))
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"DEMUR_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    wall, spent = json.loads(done.stdout.splitlines()[-1])
    return wall, spent


def first_page(home: Path, times: int) -> tuple[float, float]:
    """Return the least wall and CPU seconds from the start of the explorer to its first page."""
    took = []
    command = [str(Path(sys.executable).with_name("demur")), "explore", "--port", "0"]
    for _ in range(times):
        at = time.perf_counter()
        with subprocess.Popen(
            command, env=os.environ | {"DEMUR_HOME": str(home)}, stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdout is not None
            address = server.stdout.readline().split()[-1]
            with urllib.request.urlopen(address, timeout=120) as answer:
                answer.read()
            spent = psutil.Process(server.pid).cpu_times()
            took.append((time.perf_counter() - at, spent.user + spent.system))
            server.terminate()
    return min(wall for wall, _ in took), min(cpu for _, cpu in took)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--rounds", type=int, nargs="+", default=[4, 52])
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--keep", type=Path)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = chosen.keep or Path(scratch)
        source = chosen.home or folder / "one"
        if not source.exists():
            command = [str(Path(sys.executable).with_name("demur")), "round", "weekly"]
            subprocess.run(command, env=os.environ | {"DEMUR_HOME": str(source)}, check=True, stdout=subprocess.DEVNULL)
        took: dict[str, list[tuple[float, float]]] = {}
        for rounds in chosen.rounds:
            home = folder / f"{rounds}"
            if not home.exists():
                fill(source, home, rounds)
            took.setdefault("first page", []).append(first_page(home, chosen.times))
            for what in TIMED:
                took.setdefault(what, []).append(timed(home, what, chosen.times))
            print(f"{rounds} rounds: {home / 'warehouse.duckdb'} has {(home / 'warehouse.duckdb').stat().st_size:,} B")
    print("| | " + " | ".join(f"{rounds} rounds" for rounds in chosen.rounds) + " | times the first | at most 1.5 |")
    print("|---|" + "---|" * (len(chosen.rounds) + 2))
    for what, found in took.items():
        shown = " | ".join(f"{wall:.3f} s ({cpu:.3f} s CPU)" for wall, cpu in found)
        ratio = found[-1][0] / found[0][0]
        print(f"| {what} | {shown} | {ratio:.2f} | {'yes' if ratio <= BOUND else 'no'} |")


if __name__ == "__main__":
    main()
