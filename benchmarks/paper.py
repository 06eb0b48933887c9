"""A round of the size of the published benchmark against simulated providers: wall, CPU and bytes by stage.

    python benchmarks/paper.py CORPUS                  all of it
    python benchmarks/paper.py CORPUS --share 0.1      a tenth of the bases and of the items of each stratum
    python benchmarks/paper.py CORPUS --replicates 5   five responses to each item

The published benchmark is 140,520 requests. Generators of the rules lane decline most of theirs, so that fewer items
are left to answer: 252 questions of one passage gave 37,000 requests, and 64,000 with two responses to each item.

CORPUS is a file of answerable questions, as `demur round --corpus` takes it. The configuration is the shipped `paper`
with every model behind `demur simulate`: four generators, four verifiers and thirty respondents of the rules lane
under both SDKs. The simulator runs on the same cores, in a process of its own; its CPU is shown apart. The ideal of a
stage is the CPU of demur and of the simulator over the number of cores.

Prints Markdown tables: by stage units, wall seconds, CPU of demur per unit, units a second, peak memory of the round's
process, and the calls that went into the state database; then the size of the home by kind. `--keep FOLDER` keeps the
home.
"""

import argparse
import json
import os
import shutil
import sqlite3
import tempfile
import threading
import time
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import yaml
from demur_process import END, DemurProcess, machine, marks, show
from simulator_process import RunningSimulator, simulator

from demur.configuration.round_config import SHIPPED
from demur.warehouse.home import Home
from demur.warehouse.results.query import query

LONGEST_SECONDS = 4 * 3600
SAMPLE_SECONDS = 0.5
GENERATORS = ("recipes/terse", "recipes/elaborate")
RESPONDENTS = ("always-answers", "always-refuses", "lexical-overlap", "defect-spotter")
BY_STAGE = """
    SELECT stage, count(*) AS units FROM units GROUP BY stage
"""
"""Units of each stage."""
CALLS = "SELECT stage, count(*), sum(length(record) + coalesce(length(prompt), 0)) FROM calls GROUP BY stage"
"""Calls of each stage in the state database, and their characters."""


def model(name: str, simulated: str, port: int, number: int, concurrency: int) -> dict[str, Any]:
    """Return a model of the round configuration behind the simulator; every second one is Anthropic's."""
    provider = "anthropic" if number % 2 else "openai"
    return {
        "name": name,
        "provider": provider,
        "model": simulated,
        "base_url": f"http://127.0.0.1:{port}" + ("" if provider == "anthropic" else "/v1"),
        "parameters": {"max_tokens": 4_000 + number},
        "prices": {"input_usd_per_million": 2.0, "output_usd_per_million": 8.0, "cached_usd_per_million": 0.5},
        "limits": {"concurrency": concurrency, "timeout_seconds": 120, "retries": 8},
    }


def write_paper(folder: Path, port: int, share: float, concurrency: int, replicates: int) -> Path:
    """Write the shipped `paper` with simulated models, `share` of its bases and items, and more responses to each."""
    config = yaml.safe_load((SHIPPED / "paper.yaml").read_text(encoding="utf-8"))
    names = {
        "generators": [f"generator-{n}" for n in range(4)],
        "verifiers": [f"verifier-{n}" for n in range(4)],
        "respondents": [f"respondent-{n}" for n in range(len(config["roles"]["respondents"]))],
    }
    simulated = {
        "generators": GENERATORS,
        "verifiers": VERIFIERS,
        "respondents": [f"respondent/{name}" for name in RESPONDENTS],
    }
    rest = {"screener": "respondent/lexical-overlap", "judge": "judge/patterns", "writer": "writer/phrases",
            "grader": "grader/patterns"}  # fmt: skip
    config["models"] = [
        model(name, simulated[role][n % len(simulated[role])], port, n, concurrency)
        for role, of_role in names.items()
        for n, name in enumerate(of_role)
    ]
    config["models"] += [model(name, of, port, 100 + n, concurrency) for n, (name, of) in enumerate(rest.items())]
    config["roles"] |= names
    config["roles"] |= {"screeners": ["screener"], "judges": ["judge"], "writer": "writer", "grader": "grader"}
    config["bases"] = max(2, round(config["bases"] * share))
    config["items_per_stratum"] = max(1, round(config["items_per_stratum"] * share))
    config["response_replicates"] = replicates
    config["gates"] |= {"coverage": 0.0, "balance": 0.0, "acceptance": 0.0, "invalid": 1.0, "screening": 0.0}
    config |= {"name": "paper-simulated", "round_id": "paper-simulated", "seed": 20261123}
    config["generation"]["lever_choice"] = "assigned"
    config["catalogue"].pop("origins", None)
    path = folder / "round.yaml"
    path.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    return path


VERIFIERS = ("verifier/editor",)
"""The verifier of the rules lane; all four answer alike, so that items are not lost to their disagreement."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What processes had used at a moment: CPU seconds of demur and of the simulator, resident bytes of the round."""

    seconds: float
    demur: float
    provider: float
    resident: int


@dataclass(slots=True)
class Sampler:
    """Samples of a running round, taken by a thread of its own."""

    process: DemurProcess
    provider: RunningSimulator
    samples: list[Sample] = field(default_factory=list)
    _ended: threading.Event = field(default_factory=threading.Event)
    _ended_processes: dict[int, float] = field(default_factory=dict)

    def run(self) -> None:
        """Take samples until `stop`."""
        while not self._ended.wait(SAMPLE_SECONDS):
            sample = self._sample()
            if sample is not None:
                self.samples.append(sample)

    def stop(self) -> None:
        """Take no more samples."""
        self._ended.set()

    def _sample(self) -> Sample | None:
        try:
            own = psutil.Process(self.process.process.pid)
            for one in (own, *own.children(recursive=True)):
                self._ended_processes[one.pid] = used(one)
            served = used(psutil.Process(self.provider.pid))
            resident = own.memory_info().rss
        except psutil.Error:
            return None
        return Sample(self.process.seconds, sum(self._ended_processes.values()), served, resident)


def used(process: psutil.Process) -> float:
    """Return the CPU seconds of a process."""
    times = process.cpu_times()
    return times.user + times.system


def at(samples: list[Sample], seconds: float) -> Sample:
    """Return the sample nearest to a moment."""
    return min(samples, key=lambda one: abs(one.seconds - seconds))


@dataclass(slots=True)
class Spent:
    """What a stage took, its waves together: seconds of wall, of demur's CPU and of the simulator's; peak bytes."""

    wall: float = 0.0
    own: float = 0.0
    served: float = 0.0
    peak: int = 0


def stages(process: DemurProcess, samples: list[Sample], total: float) -> dict[str, Spent]:
    """Return what each stage took; what comes before the first one's work is shown apart."""
    found: dict[str, Spent] = {}
    since = 0.0
    for name, until in (*marks(process.lines), (END, total)):
        first, last = at(samples, since), at(samples, until)
        spent = found.setdefault(name, Spent())
        spent.wall += until - since
        spent.own += last.demur - first.demur
        spent.served += last.provider - first.provider
        spent.peak = max([spent.peak, *(one.resident for one in samples if since <= one.seconds <= until)])
        since = until
    return found


def stored(home: Home) -> dict[str, tuple[int, int]]:
    """Return by stage the calls of the state database, and their characters."""
    with closing(sqlite3.connect(home.state)) as con:
        return {stage: (calls, characters) for stage, calls, characters in con.execute(CALLS)}


def sizes(home: Path) -> dict[str, int]:
    """Return bytes by first folder or file of a home."""
    found: dict[str, int] = {}
    for path in home.rglob("*"):
        if path.is_file() and not path.is_symlink():
            kind = path.relative_to(home).parts[0]
            found[kind] = found.get(kind, 0) + path.stat().st_size
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def run(folder: Path, arguments: argparse.Namespace) -> None:
    """Run the round and print its tables."""
    with simulator(folder, "--latency", str(arguments.latency), "--latency-spread", "0.3") as provider:
        config = write_paper(folder, provider.port, arguments.share, arguments.concurrency, arguments.replicates)
        process = DemurProcess(folder, "round", str(config), "--corpus", arguments.corpus)
        sampler = Sampler(process, provider)
        watching = threading.Thread(target=sampler.run, daemon=True)
        watching.start()
        took = process.finish(LONGEST_SECONDS)
        sampler.stop()
        watching.join()
        told = provider.stats()
    home = Home(folder / "demur")
    units = dict(query(home, BY_STAGE, limit=None).rows)
    cores = os.cpu_count() or 1
    print(machine())
    rows = []
    calls = stored(home)
    for name, spent in stages(process, sampler.samples, took).items():
        number = int(units.get(name, 0))
        ideal = (spent.own + spent.served) / cores
        stage_calls, characters = calls.get(name, (0, 0))
        rows.append(
            [name, number or "", f"{spent.wall:.0f}", f"{spent.own:.0f}", f"{spent.served:.0f}",
             f"{1_000 * spent.own / number:.2f}" if number else "", f"{number / spent.wall:.0f}" if number else "",
             f"{ideal / spent.wall:.2f}", f"{spent.peak / 1e6:.0f}", stage_calls or "",
             f"{stage_calls / spent.wall:.0f}" if stage_calls else "",
             f"{characters / spent.wall / 1e3:.0f}" if stage_calls else ""]
        )  # fmt: skip
    show(
        "By stage",
        ["stage", "units", "wall, s", "CPU of demur, s", "CPU of the simulator, s", "CPU, ms a unit", "units a second",
         "ideal / wall", "peak memory, MB", "calls stored", "a second", "kB a second"],
        rows,
    )  # fmt: skip
    peak = max(one.resident for one in sampler.samples)
    summary = [["wall, s", f"{took:.0f}"], ["units", sum(units.values())],
               ["peak memory of the round's process, MB", f"{peak / 1e6:.0f}"]]  # fmt: skip
    summary += [[f"home, {kind}, MB", f"{size / 1e6:.1f}"] for kind, size in sizes(folder / "demur").items()]
    show("The whole round", ["", ""], summary)
    print(json.dumps(told)[:1_000])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", help="as demur round takes it: FILE or FORMAT:FILE")
    parser.add_argument("--share", type=float, default=1.0, help="of the paper's bases and items")
    parser.add_argument("--replicates", type=int, default=1, help="responses to each item, where rules make few items")
    parser.add_argument("--latency", type=float, default=1.0, help="mean seconds of an answer")
    parser.add_argument("--concurrency", type=int, default=64, help="of each model")
    parser.add_argument("--keep", type=Path, help="a folder that keeps the home")
    arguments = parser.parse_args()
    arguments.corpus = str(Path(arguments.corpus).resolve())
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="demur-paper-")))
        began = time.monotonic()
        run(folder, arguments)
        print(f"{time.monotonic() - began:.0f} s in all")
        if arguments.keep:
            shutil.copytree(folder / "demur", arguments.keep)


if __name__ == "__main__":
    main()
