"""Time of the explorer's pages over 50,000 perturbations and a million responses, and of its first page after start.

    python benchmarks/explorer.py [--perturbations 50000] [--respondents 27] [--keep FOLDER]

Fills a warehouse of its own with one round made in SQL (explorer.sql), starts `demur explore` on it in a process of its
own, and asks every page over HTTP five times after its tables are made. The table shows medians of wall time and of the
server's CPU time, which other work on the machine does not change.
"""

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from html import unescape
from pathlib import Path

import psutil

from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.publication import publish

TIMES, BOUND_MILLISECONDS, FIRST_BOUND_SECONDS = 5, 300, 1.0
FILTERED = "/rounds/big/items?respondent=model-03&outcome=wrong&judge=judge&sort=disagreement"
PAIRED = "/rounds/big/items?respondent=model-03&outcome=right&judge=judge&respondent2=model-20&outcome2=wrong"


def fill(home: Home, perturbations: int, respondents: int) -> int:
    """Make the round and publish it; return how many responses it has."""
    values = {"perturbations": perturbations, "respondents": respondents}
    with writing(home, wait_seconds=0, memory_limit="4GB") as con:
        for text in (Path(__file__).parent / "explorer.sql").read_text("utf-8").split(";\n"):
            if text.strip():
                con.execute(text, {name: value for name, value in values.items() if f"${name}" in text})
        [(responses,)] = con.execute("SELECT count(*) FROM responses").fetchall()
    publish(home)
    return int(responses)


def get(address: str) -> str:
    with urllib.request.urlopen(address, timeout=120) as answer:
        return str(answer.read().decode())


def busy(server: psutil.Process) -> float:
    """Return the CPU seconds that the server has had."""
    spent = server.cpu_times()
    return float(spent.user + spent.system)


def milliseconds(server: psutil.Process, address: str) -> tuple[float, float]:
    """Return wall and CPU milliseconds of a page."""
    started, spent = time.perf_counter(), busy(server)
    get(address)
    return 1000 * (time.perf_counter() - started), 1000 * (busy(server) - spent)


def measure(home: Home, responses: int) -> None:
    started = time.perf_counter()
    command = [sys.executable, "-c", "from demur.cli import main; main()", "explore", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={"DEMUR_HOME": str(home.root)})
    try:
        assert process.stdout is not None
        base = process.stdout.readline().split()[-1].rstrip("/")
        get(base + "/")
        server = psutil.Process(process.pid)
        first, first_busy = time.perf_counter() - started, busy(server)
        listed = get(f"{base}/rounds/big/items")
        made = time.perf_counter() - started
        items = [unescape(found) for found in re.findall(r'href="(/rounds/big/items/[^"?#]+)', listed)]
        deep = "/rounds/big/items?sort=difficulty&page=700"
        calls = re.findall(r'href="(/rounds/big/calls/[^"]+)', get(base + items[0]))
        time.sleep(made)  # the views that are copied after the tables
        tables_busy = busy(server)
        pages = {
            "rounds": "/",
            "one round": "/rounds/big",
            "results": "/rounds/big/results",
            "items": "/rounds/big/items",
            "items, page 700, by difficulty": deep,
            "items, text search": "/rounds/big/items?text=case+number+123",
            "items by outcome": FILTERED,
            "items by two outcomes": PAIRED,
            "one item": items[0] + "?sort=difficulty",
            "calls": calls[0],
            "levers": "/rounds/big/levers",
            "one lever": "/rounds/big/levers/lever.3.4",
            "respondents": "/rounds/big/compare",
            "judges": "/rounds/big/judges",
            "audit": "/rounds/big/audit",
            "SQL": "/sql?q=SELECT+*+FROM+leaderboard",
        }
        print(f"{responses:,} responses; first page {first:.2f} s after start ({first_busy:.2f} s of CPU)")
        print(f"tables made after {made:.1f} s ({tables_busy:.1f} s of CPU)\n")
        print("| page | ms | CPU ms |\n|---|---:|---:|")
        slow = []
        for name, address in pages.items():
            took = [milliseconds(server, base + address) for _ in range(TIMES)]
            wall, spent = (statistics.median(column) for column in zip(*took, strict=True))
            print(f"| {name} | {wall:.0f} | {spent:.0f} |", flush=True)
            slow += [name] if wall > BOUND_MILLISECONDS else []
        print(f"\nover {BOUND_MILLISECONDS} ms: {', '.join(slow) or 'none'}")
        if first > FIRST_BOUND_SECONDS:
            print(f"first page over {FIRST_BOUND_SECONDS:g} s")
    finally:
        process.terminate()
        process.wait(timeout=30)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--perturbations", type=int, default=50_000)
    parser.add_argument("--respondents", type=int, default=27)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="a home that stays; one that is there is measured")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Home((arguments.keep or Path(folder)).resolve())
        if not home.published.exists():
            responses = fill(home, arguments.perturbations, arguments.respondents)
        else:
            from demur.warehouse.results.query import query

            responses = int(str(query(home, "SELECT count(*) FROM responses", limit=None).rows[0][0]))
        measure(home, responses)


if __name__ == "__main__":
    main()
