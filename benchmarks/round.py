"""Wall time of a round by stage, and what a round on real questions yields, accepts and scores.

    python benchmarks/round.py                              the default round, by stage, and the same command again
    python benchmarks/round.py --corpus FILE [FILE ...]     the same models on other questions: yields, scores
    python benchmarks/round.py --real                       both development sets of ../shared/data, where present

The round is a process started as a user starts it, on a fresh home and with a Prefect that has never run, so that
process start, imports and Prefect's start-up are in the time. The tables are Markdown, as docs/measurements.md takes
them; those of yield, acceptance and scores are read from the published warehouse by SQL. `--bases` and
`--items-per-stratum` change the size of the round; `--keep FOLDER` keeps warehouse and release.
"""

import argparse
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from demur_process import ROOT, DemurProcess, machine, phases, show, write_config

from warehouse.home import Home
from warehouse.query import query

REAL = tuple(ROOT.parent / "shared" / "data" / name for name in ("single_doc_dev.jsonl", "multi_doc_dev.jsonl"))
LONGEST_SECONDS = 3 * 3600
TABLES = {
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
    "Scores, with 95 % intervals over source questions": "SELECT * EXCLUDE (round_id) FROM leaderboard",
}
"""What is shown of a round, by title."""


def timed(folder: Path, arguments: Sequence[str]) -> list[tuple[str, float]]:
    """Run a command to its end and return its wall time by phase."""
    process = DemurProcess(folder, "round", *arguments)
    took = process.finish(LONGEST_SECONDS)
    return phases(process.lines, took)


def show_phases(title: str, first: list[tuple[str, float]], again: list[tuple[str, float]]) -> None:
    """Print where the time of a round went, and that of the same command on the finished round."""
    later = dict(again)
    rows = [[name, f"{seconds:.1f}", f"{later.get(name, 0.0):.1f}"] for name, seconds in first]
    rows.append(["**all**", f"**{sum(s for _, s in first):.1f}**", f"**{sum(s for _, s in again):.1f}**"])
    print(f"\n### {title}\n\n| phase | seconds | seconds, same command again |\n| --- | --- | --- |")
    print("\n".join(f"| {' | '.join(row)} |" for row in rows), flush=True)


def show_results(home: Home, of: str) -> None:
    """Print what a finished round made, from its published warehouse."""
    bases = query(home, "SELECT layout, count(*) AS bases FROM round_bases GROUP BY layout", limit=None).rows
    print("\n" + ", ".join(f"{count} bases ({layout} document)" for layout, count in bases))
    for title, sql in TABLES.items():
        found = query(home, sql, limit=None)
        show(f"{title}: {of}", found.columns, found.rows)


def run_one(arguments: argparse.Namespace, corpus: Path | None) -> None:
    """Time one round twice on a fresh home and print its tables."""
    with ExitStack() as stack:
        of = corpus.stem if corpus else "embedded"
        if arguments.keep:
            folder = Path(arguments.keep) / of
            folder.mkdir(parents=True, exist_ok=False)
        else:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="demur-round-")))
        changes = {
            name: value
            for name, value in (("bases", arguments.bases), ("items_per_stratum", arguments.items_per_stratum))
            if value is not None
        }
        options = [str(write_config(folder, **changes))] if changes else []
        options += ["--corpus", str(corpus)] if corpus else []
        first = timed(folder, options)
        again = timed(folder, options)
        show_phases(f"Wall time by stage: {of}", first, again)
        show_results(Home(folder / "demur"), of)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, nargs="+", default=[], help="JSONL in demur's own format")
    parser.add_argument("--real", action="store_true", help="the development sets of ../shared/data")
    parser.add_argument("--bases", type=int)
    parser.add_argument("--items-per-stratum", type=int)
    parser.add_argument("--keep", type=Path, help="a folder that keeps warehouses and releases")
    arguments = parser.parse_args()
    print(machine())
    corpora: list[Path | None] = [*arguments.corpus, *(REAL if arguments.real else ())]
    for corpus in corpora or [None]:
        if corpus is not None and not corpus.is_file():
            print(
                f"\n{corpus.name}: skipped, there is no such file in {corpus.parent.name}/; give others with --corpus"
            )
            continue
        run_one(arguments, corpus.resolve() if corpus else None)


if __name__ == "__main__":
    main()
