"""Wall time of a round by stage, and what a round on real questions yields, accepts and scores.

    python benchmarks/round.py                              the default round, by stage, and the same command again
    python benchmarks/round.py --corpus FILE [FILE ...]     the same models on other questions: yields, scores

The round is a process started as a user starts it, on a fresh home and with a Prefect that has never run, so that
process start, imports and Prefect's start-up are in the time. The tables are Markdown, as docs/measurements.md takes
them; those of yield, acceptance and scores are read from the published warehouse by SQL. `--keep FOLDER`
keeps warehouse and release.
"""

import argparse
import resource
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from demur_process import DemurProcess, machine, phases, show

from demur.warehouse.home import Home
from demur.warehouse.results.query import query

LONGEST_SECONDS = 3 * 3600
TABLES = {
    "Bases": """
        SELECT any_value(b.layout) AS layout, count(*) AS drawn, count(s.base_id) AS solved_by_screeners,
            count(r.base_id) AS in_the_round
        FROM live_base_instances b
        LEFT JOIN solved_bases s USING (round_id, base_id) LEFT JOIN round_bases r USING (round_id, base_id)""",
    "Funnel": """
        SELECT sum(asked) AS asked, sum(declined) AS declined, sum(rejected) AS rejected, sum(duplicates) AS duplicates,
            sum(candidates) AS candidates, round(sum(candidates) / sum(asked), 3) AS yield, sum(accepted) AS accepted,
            round(sum(accepted) / nullif(sum(candidates), 0), 3) AS acceptance, sum(items) AS items,
            sum(shortfall) AS shortfall
        FROM yield_by_stratum""",
    "Yield and acceptance by stratum": """
        SELECT class, intensity, asked, declined, rejected, duplicates, candidates,
            round(candidates / nullif(asked, 0), 3) AS yield, accepted, acceptance, items, shortfall
        FROM yield_by_stratum""",
    "Acceptance by verifier": "SELECT * EXCLUDE (round_id) FROM acceptance_by_verifier",
    "Commonest reasons of code checks and verifiers": """
        SELECT who, class, reason, sum(perturbations) AS perturbations FROM rejection_reasons
        WHERE by_whom <> 'declined'
        GROUP BY ALL ORDER BY perturbations DESC, who, class, reason LIMIT 12""",
    "Scores, with 95 % intervals over source questions": "SELECT * EXCLUDE (round_id) FROM leaderboard",
}
"""What is shown of a round, by title."""


@dataclass(frozen=True, slots=True)
class Timing:
    """What a command took: wall seconds by phase, and the CPU seconds of it and its temporary Prefect server."""

    phases: dict[str, float]
    cpu_seconds: float


def timed(folder: Path, arguments: Sequence[str]) -> Timing:
    """Run a command to its end and return what it took."""
    before = children_cpu_seconds()
    process = DemurProcess(folder, "round", *arguments)
    took = process.finish(LONGEST_SECONDS)
    return Timing(dict(phases(process.lines, took)), children_cpu_seconds() - before)


def children_cpu_seconds() -> float:
    """Return the CPU seconds of all processes that this one has waited for, and of those that they waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def show_times(title: str, first: Timing, again: Timing) -> None:
    """Print where the time of a round went, and that of the same command on the finished round."""
    rows = [[name, f"{seconds:.1f}", f"{again.phases.get(name, 0.0):.1f}"] for name, seconds in first.phases.items()]
    rows.append(["all", f"{sum(first.phases.values()):.1f}", f"{sum(again.phases.values()):.1f}"])
    rows.append(["CPU of it all, Prefect's server included", f"{first.cpu_seconds:.1f}", f"{again.cpu_seconds:.1f}"])
    show(title, ["phase", "seconds", "seconds, same command again"], rows)


def show_results(home: Home, of: str) -> None:
    """Print what a finished round made, from its published warehouse."""
    for title, sql in TABLES.items():
        found = query(home, sql, limit=None)
        show(f"{title}: {of}", found.columns, found.rows)


def run_one(arguments: argparse.Namespace, corpus: str | None) -> None:
    """Time one round twice on a fresh home and print its tables."""
    of = Path(corpus.rpartition(":")[2]).stem if corpus else str(arguments.config)
    options = [str(arguments.config)]
    options += ["--corpus", corpus] if corpus else []
    options += ["--bases", str(arguments.bases)] if arguments.bases else []
    with ExitStack() as stack:
        if arguments.keep:
            folder = Path(arguments.keep).resolve() / of
            folder.mkdir(parents=True, exist_ok=False)
        else:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="demur-round-")))
        first = timed(folder, options)
        again = timed(folder, options)
        show_times(f"Wall time by stage: {of}", first, again)
        show_results(Home(folder / "demur"), of)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", nargs="?", default="embedded", help="as demur round takes it")
    parser.add_argument("--corpus", nargs="+", default=[], help="as demur round takes it: FILE or FORMAT:FILE")
    parser.add_argument("--bases", type=int, help="as demur round takes it")
    parser.add_argument("--keep", type=Path, help="a folder that keeps warehouses and releases")
    arguments = parser.parse_args()
    print(machine())
    for corpus in arguments.corpus or [None]:
        run_one(arguments, corpus)


if __name__ == "__main__":
    main()
