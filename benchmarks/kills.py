"""A round killed at twenty seeded moments, each time restarted with the same command, beside an undisturbed one.

    python benchmarks/kills.py [--moments 20] [--bases 8] [--seed 20261120] [--keep FOLDER] [--simulator [batch]]

Every phase of the round is hit once, process start, Prefect's start-up and the end included; the other moments fall
where an undisturbed round spends its time. A moment is a phase and the seconds since it began, drawn uniformly over
how long the phase took undisturbed, and they come in the order of the round. A phase that ends sooner than its
moment, because earlier runs did part of it, is hit as it ends. kill -9 takes the process alone and leaves its
temporary Prefect server behind; Ctrl-C (SIGINT) goes to the whole process group, as a terminal sends it.

Afterwards the round is run to its end, and compared: the release's data files byte by byte, answered calls, calls that
were answered twice, and every table's units. Any difference makes the exit status 1.

With --simulator the models stand behind HTTP: both SDKs ask `demur simulate`, where a fifth of all requests meets a
transient fault; with `--simulator batch` they ask in batches. Then the simulator's count is compared too: what it
answered and no ledger holds was under way when a run was ended.
"""

import argparse
import hashlib
import os
import random
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from demur_process import PREFECT, SERVER_START, START, DemurProcess, Line, machine, phases, show
from simulator_process import models_of

from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from demur.warehouse.tables import UNIT_TABLES

NAME = "kills"
DATA = ("items.parquet", "items.jsonl", "responses.parquet", "scores.parquet", "weights.parquet", "fits.parquet")
LONGEST_SECONDS = 3600
EVERY_FOURTH = 0.25
"""How often Ctrl-C takes the place of kill -9."""

SHARDS = "SELECT count(*), coalesce(sum(rows), 0) FROM loads"
ANSWERED = "SELECT count(*) FROM calls WHERE status = 'ok'"
ASKED_AND_ANSWERED = "SELECT count(*) FROM calls WHERE status = 'ok' AND role <> 'probe'"
"""Without probes: how often a model that seems to be down is asked whether it is there, depends on when."""
ANSWERED_TWICE = """
    SELECT count(*) - count(DISTINCT (stage, unit_id, role, request_digest))
    FROM calls WHERE status = 'ok' AND role <> 'probe'"""


@dataclass(frozen=True, slots=True)
class Moment:
    """When a run is to end: so many seconds into a phase; `after` is the phase before it, None for the first."""

    phase: str
    seconds: float
    after: str | None
    sign: signal.Signals


def moments(undisturbed: Sequence[tuple[str, float]], count: int, seed: int) -> list[Moment]:
    """Return moments in the order of the round: one in every phase, further ones where the time goes."""
    rng = random.Random(seed)
    places = list(range(len(undisturbed)))
    chosen = rng.sample(places, k=min(count, len(places)))
    weights = [seconds for _, seconds in undisturbed]
    chosen += rng.choices(places, weights, k=count - len(chosen))
    drawn = sorted((place, rng.uniform(0, undisturbed[place][1])) for place in chosen)
    return [
        Moment(
            phase=undisturbed[place][0],
            seconds=seconds,
            after=undisturbed[place - 1][0] if place else None,
            sign=signal.SIGINT if rng.random() < EVERY_FOURTH else signal.SIGKILL,
        )
        for place, seconds in drawn
    ]


def has_begun(moment: Moment, line: Line) -> bool:
    """Whether a line says that the moment's phase has begun."""
    if moment.phase == PREFECT:
        return line.text.startswith(SERVER_START)
    if moment.after == PREFECT:
        return bool(line.begun or line.done)
    return line.done == moment.after


def has_ended(moment: Moment, line: Line) -> bool:
    """Whether a line says that the moment's phase is over."""
    if moment.phase == START:
        return line.text.startswith(SERVER_START)
    if moment.phase == PREFECT:
        return bool(line.begun or line.done)
    return line.done == moment.phase


def wait_for(run: DemurProcess, moment: Moment) -> bool:
    """Wait for a moment of a run; return whether the run was still going then."""
    begun = moment.after is None
    deadline = time.monotonic() + (moment.seconds if begun else LONGEST_SECONDS)
    while True:
        try:
            line = run.next_line(deadline - time.monotonic())
        except TimeoutError:
            return run.process.poll() is None
        if line is None:
            return False
        if not begun and has_begun(moment, line):
            begun, deadline = True, time.monotonic() + moment.seconds
        if begun and has_ended(moment, line):
            return run.process.poll() is None


def end(run: DemurProcess, sign: signal.Signals) -> list[psutil.Process]:
    """End a run as its moment says, and return what it left behind."""
    started = run.descendants()
    if sign is signal.SIGKILL:
        os.kill(run.process.pid, sign)
    else:
        os.killpg(run.process.pid, sign)
    run.process.wait(timeout=120)
    return [process for process in started if process.is_running()]


def calls_stored(state: Path) -> int:
    """Return how many calls the store of a home holds."""
    if not state.exists():
        return 0
    with closing(sqlite3.connect(f"{state.as_uri()}?mode=ro", uri=True)) as con:
        [(calls,)] = con.execute("SELECT count(*) FROM calls").fetchall()
    return int(calls)


def standing(home: Home) -> list[object]:
    """Return what has come of a round: shards and rows loaded, calls loaded and stored."""
    stored = calls_stored(home.state)
    if not home.loader.exists():
        return ["no warehouse yet", 0, stored]
    with reading(home, "loader", wait_seconds=30) as con:
        [(shards, rows)] = con.execute(SHARDS).fetchall()
        [(calls,)] = con.execute(ANSWERED).fetchall()
    return [f"{shards} ({rows} rows)", calls, stored]


def disturb(folder: Path, arguments: list[str], planned: Sequence[Moment]) -> list[list[object]]:
    """Start the round as often as there are moments, end it at each, and return one row for each."""
    rows: list[list[object]] = []
    left: list[psutil.Process] = []
    try:
        for number, moment in enumerate(planned, start=1):
            run = DemurProcess(folder, *arguments)
            going = wait_for(run, moment)
            seconds = run.seconds
            if going:
                left += end(run, moment.sign)
                how = "kill -9" if moment.sign is signal.SIGKILL else "Ctrl-C"
            else:
                run.finish(LONGEST_SECONDS)
                how = "none: it had finished"
            rows.append([number, how, moment.phase, f"{seconds:.1f}", *standing(Home(folder / "demur"))])
            print(f"{number} of {len(planned)}: {how}, {moment.phase}, {seconds:.1f} s", file=sys.stderr, flush=True)
    finally:
        for process in left:
            end_left(process)
    return rows


def end_left(process: psutil.Process) -> None:
    """End a process that a killed run has left behind, if the next run has not."""
    if process.is_running():
        process.terminate()
        psutil.wait_procs([process], timeout=10)


def data_digests(home: Home) -> dict[str, str]:
    """Return the checksum of every data file of the one release."""
    [release] = [path for path in (home.releases / NAME).iterdir() if not path.name.startswith(".")]
    return {name: hashlib.sha256((release / name).read_bytes()).hexdigest()[:12] for name in DATA}


def contents(home: Home) -> dict[str, str]:
    """Return what is to be equal in two homes, by name: calls, and of each table how many rows of which units."""
    with reading(home, "loader", wait_seconds=30) as con:

        def shown(sql: str) -> str:
            [values] = con.execute(sql).fetchall()
            return " / ".join(str(value) for value in values)

        found = {"calls answered": shown(ASKED_AND_ANSWERED), "calls answered twice": shown(ANSWERED_TWICE)}
        found["units planned"] = shown("SELECT count(*), sum(hash(stage, unit_id)::HUGEINT) % 1000003 FROM units")
        for table in UNIT_TABLES:
            sql = f"SELECT count(*), count(DISTINCT unit_id), sum(hash(unit_id)::HUGEINT) % 1000003 FROM {table}"
            found[f"{table}: rows / units / their ids"] = shown(sql)
        found["failures"] = shown("SELECT count(*) FROM failures")
    return found


def compare(undisturbed: Home, disturbed: Home) -> bool:
    """Print what two finished rounds hold, and return whether it is the same and nothing was answered twice."""
    ours = data_digests(undisturbed) | contents(undisturbed)
    theirs = data_digests(disturbed) | contents(disturbed)
    rows = [[name, value, theirs[name], "yes" if value == theirs[name] else "**no**"] for name, value in ours.items()]
    show("Undisturbed and disturbed", ["what", "undisturbed", "disturbed", "same"], rows)
    return ours == theirs and ours["calls answered twice"] == "0"


@contextmanager
def workshop(keep: Path | None) -> Iterator[Path]:
    """Yield a folder to work in, which stays where one was named."""
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="demur-kills-") as folder:
            yield Path(folder)
    else:
        keep.mkdir(parents=True, exist_ok=False)
        yield keep.resolve()


def round_of(bases: int) -> dict[str, object]:
    """Return what is changed in a configuration."""
    return {"name": NAME, "round_id": NAME, "bases": bases, "items_per_stratum": 4, "shard_size": 50}


def tell_lost(home: Home, answered: int, ended: int) -> None:
    """Print how many answers the simulator gave that no ledger holds."""
    with reading(home, "loader", wait_seconds=30) as con:
        [(kept,)] = con.execute(ANSWERED).fetchall()
    lost = f"{answered - kept} lost in {ended} ends"
    print(f"\nProbes included, the simulator gave {answered} answers, the ledger holds {kept}: {lost}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moments", type=int, default=20)
    parser.add_argument("--bases", type=int, default=8)
    parser.add_argument("--seed", type=int, default=20261120)
    parser.add_argument("--keep", type=Path, help="a folder that keeps both homes")
    parser.add_argument("--simulator", nargs="?", const="live", choices=("live", "batch"), help="ask models over HTTP")
    a = parser.parse_args()
    with workshop(a.keep) as folder:
        undisturbed, disturbed = folder / "undisturbed", folder / "disturbed"
        with models_of(folder, a.simulator, **round_of(a.bases)) as place:
            whole = DemurProcess(undisturbed, *place.arguments)
            took = whole.finish(LONGEST_SECONDS)
        planned = moments(phases(whole.lines, took), a.moments, a.seed)
        with models_of(folder, a.simulator, **round_of(a.bases)) as place:
            rows = disturb(disturbed, place.arguments, planned)
            last = DemurProcess(disturbed, *place.arguments).finish(LONGEST_SECONDS)
            answered = place.answered()
        print(f"{machine()}; {a.bases} bases, seed {a.seed}; undisturbed {took:.0f} s, last run {last:.0f} s")
        columns = [
            "moment",
            "how",
            "in",
            "s after start",
            "shards loaded",
            "calls loaded",
            "stored",
        ]
        show("Moments", columns, rows)
        same = compare(Home(undisturbed / "demur"), Home(disturbed / "demur"))
        if answered is not None:
            tell_lost(Home(disturbed / "demur"), answered, a.moments)
    print("\nThe same, and no call twice." if same else "\nNOT the same.")
    raise SystemExit(0 if same else 1)


if __name__ == "__main__":
    main()
