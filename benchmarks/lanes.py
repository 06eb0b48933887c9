"""Wall time and CPU of asking for verdicts: our stage beside bare DSPy, the provider's SDK and a raw aiohttp loop.

    python benchmarks/lanes.py [--scale 1.0] [--lanes openai anthropic]
    python benchmarks/lanes.py --units 5000 20000 50000

Every way asks a simulated provider in a process of its own for the same verdicts, with prompts of candidates that the
rules generators made of the embedded corpus. "raw" posts bodies made before with aiohttp and reads JSON; "sdk" hands
them to the provider's SDK on aiohttp; "dspy" is `dspy.Predict.acall` under asyncio.gather with DSPy's own JSON adapter
and an engine that calls that SDK, and keeps nothing; "stage" is `work_shard` of the verify stage: units read from
orders, DSPy program, adapter, ledger, limits, store of calls with fsync, rows validated and landed as Parquet, and the
warehouse loaded shard by shard. Prefect is left out: benchmarks/engine.py shows what it adds.

With --units, peak memory of the stage at so many units, and whether the ledger is complete, at a small latency.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import aiohttp
import yaml
from demur_process import environment, machine, show
from lane_work import Figures, body_of
from simulator_process import RunningSimulator, simulator, write_simulated

from demur.configuration.round_config import SHIPPED
from demur.corpora.corpus import CorpusFormat, read_corpus
from demur.flows.rounds.request import RoundRequest
from demur.flows.rounds.session import check_round
from demur.levers.catalogue import load_catalogue
from demur.levers.instances import Stratum, passage_records
from demur.levers.lever_models import Style
from demur.levers.vocabulary import STRATA
from demur.rules.roles.generate import Drawn, draw

BASES = 24
WARM_UP = 64
SMALL = 512
"""Units of the job whose cost is taken off, so that what is paid once does not count."""
WAYS = ("raw", "sdk", "dspy", "dspy, our adapter", "stage")
VERIFIERS = {"openai": "verifier-o", "anthropic": "verifier-a"}


@dataclass(frozen=True, slots=True)
class Setting:
    """How slow the provider is, how many are asked at once, how many units, and the target for the stage."""

    latency: float
    concurrency: int
    units: int
    ways: tuple[str, ...]
    target: float | None
    processes: int = 1

    @property
    def name(self) -> str:
        """The setting in a table."""
        split = f", {self.processes} processes" if self.processes > 1 else ""
        return f"{self.latency:g} s, {self.concurrency} at once{split}"

    @property
    def ideal_seconds(self) -> float:
        """How long it takes where asking costs no time."""
        return self.units * self.latency / self.concurrency


SETTINGS = (
    Setting(2.0, 256, 5_120, ("raw", "dspy", "stage"), 0.95),
    Setting(0.2, 64, 5_120, WAYS, 0.80),
    Setting(0.2, 256, 5_120, WAYS, 0.33),
    Setting(0.2, 256, 5_120, ("raw", "stage"), None, processes=2),
)


def candidates(bases: int) -> list[dict[str, Any]]:
    """Return what the rules generators make of the embedded corpus, as the verify stage plans it."""
    catalogue = load_catalogue()
    found: list[dict[str, Any]] = []
    corpus = SHIPPED.parent / "corpora" / "single.jsonl"
    for row in islice(read_corpus(corpus, CorpusFormat.DEMUR), bases):
        base = row.base_instance()
        for lever_class, intensity in STRATA:
            stratum = Stratum(lever_class=lever_class, intensity=intensity)
            drawn = draw(base, stratum, catalogue.stratum(lever_class, intensity), Style.TERSE, 7)
            if isinstance(drawn, Drawn):
                found.append(
                    {
                        "perturbation_id": "",
                        "base_id": f"base-{len(found)}",
                        "class": lever_class.value,
                        "intensity": intensity.value,
                        "generator": "rules-terse",
                        "lever_id": drawn.lever.id,
                        "perturbed_question": drawn.perturbation.question,
                        "changed": [change.model_dump() for change in drawn.perturbation.changed],
                        "question": base.question,
                        "answers": list(base.answers),
                        "passages": passage_records(base.passages),
                    }
                )
    return found


def write_round(folder: Path, port: int, lane: str, concurrency: int, shard_size: int | None) -> Path:
    """Write a rehearsal whose only verifier is of this lane, and may be asked so often at once."""
    folder.mkdir(parents=True)
    path = write_simulated(folder, port)
    config = yaml.safe_load(path.read_text(encoding="utf-8"))
    config["roles"]["verifiers"] = [VERIFIERS[lane]]
    if shard_size is not None:
        config["shard_size"] = shard_size
    for model in config["models"]:
        model["limits"] |= {"concurrency": concurrency, "timeout_seconds": 60}
    path.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    return path


class Workers:
    """Processes that do the parts of one job at the same time."""

    def __init__(
        self, folder: Path, running: RunningSimulator, lane: str, setting: Setting, way: str, shard_size: int | None
    ) -> None:
        each = setting.concurrency // setting.processes
        self._processes = []
        for number in range(setting.processes):
            home = folder / f"worker-{number}"
            config = write_round(home, running.port, lane, each, shard_size)
            script = Path(__file__).with_name("lane_work.py")
            arguments = [way, str(config), str(folder.parent / "candidates.json"), str(each), str(WARM_UP)]
            self._processes.append(
                subprocess.Popen(
                    [sys.executable, str(script), *arguments],
                    env=environment(home),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
        for process in self._processes:
            self._read(process, "ready")

    def do(self, units: int, start: int) -> Figures:
        """Return the figures of a job that all work on: the longest wall time, the sum of all else."""
        part = units // len(self._processes)
        for number, process in enumerate(self._processes):
            assert process.stdin is not None
            process.stdin.write(json.dumps({"units": part, "start": start + number * part}) + "\n")
            process.stdin.flush()
        found = [json.loads(self._read(process)) for process in self._processes]
        summed = {name: sum(one[name] for one in found) for name in found[0]}
        return {**summed, "seconds": max(one["seconds"] for one in found), "units": part * len(found)}

    def close(self) -> None:
        """End the processes."""
        for process in self._processes:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(timeout=60)

    def _read(self, process: "subprocess.Popen[str]", wanted: str = "{") -> str:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith(wanted):
                return line
        raise RuntimeError(f"a worker ended with status {process.wait()} before its work was done")


async def most_a_second(running: RunningSimulator, bodies: Sequence[bytes], concurrency: int) -> float:
    """Return how many of these requests the simulator answers in a second, without latency."""
    url, waiting = f"http://127.0.0.1:{running.port}/v1/chat/completions", iter(bodies)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def one_after_another() -> None:
            for body in waiting:
                async with session.post(url, data=body) as answer:
                    await answer.read()

        began = asyncio.get_running_loop().time()
        await asyncio.gather(*(one_after_another() for _ in range(concurrency)))
        return len(bodies) / (asyncio.get_running_loop().time() - began)


def tell_simulator(folder: Path, made: Sequence[dict[str, Any]]) -> None:
    """Print what the simulator can answer at most: what is asked for below must stay under it."""
    with simulator(folder, "--latency", "0", "--answers", "minimal") as running:
        context = check_round(RoundRequest(str(write_round(folder / "ceiling", running.port, "openai", 64, None))))
        spec = context.specs(context.config.roles.verifiers)[0]
        bodies = [json.dumps(body_of(context, spec, one)).encode() for one in made] * 8
        rate = asyncio.run(most_a_second(running, bodies, 64))
    size = sum(map(len, bodies)) / len(bodies)
    print(f"\nThe simulator answers {rate:,.0f} of these requests a second ({size:,.0f} bytes each on average).")


def measure(
    folder: Path, setting: Setting, way: str, lane: str, scale: float, shard_size: int | None
) -> tuple[Figures, Figures]:
    """Return the figures of a small job and of the whole, done by the same warm processes."""
    whole = max(setting.concurrency * 2, round(setting.units * scale))
    spread = ("--latency", str(setting.latency), "--latency-spread", "0", "--answers", "minimal")
    folder.mkdir()
    with simulator(folder, *spread) as running:
        workers = Workers(folder, running, lane, setting, way, shard_size)
        try:
            small = workers.do(SMALL, 10**8) if setting.latency < 1 else {}
            return small, workers.do(whole, 0)
        finally:
            workers.close()


def tell_speed(folder: Path, lanes: Sequence[str], scale: float, shard_size: int | None) -> None:
    """Print wall time against the ideal, and CPU, for every way and setting."""
    rows: list[list[object]] = []
    cost: dict[tuple[str, str, str], float] = {}
    for setting in SETTINGS:
        for lane in lanes:
            for way in setting.ways:
                if lane != lanes[0] and setting.latency > 1 and way != "stage":
                    continue
                place = folder / f"{len(rows)}"
                small, whole = measure(place, setting, way, lane, scale, shard_size)
                ideal = whole["units"] * setting.latency / setting.concurrency
                share = ideal / whole["seconds"]
                per_unit = 1000 * whole["cpu"] / whole["units"]
                more = whole["units"] - small.get("units", 0)
                if small and more >= small["units"]:
                    per_unit = 1000 * (whole["cpu"] - small["cpu"]) / more
                cost[setting.name, lane, way] = per_unit
                target = f"{setting.target:.2f}" if way == "stage" and setting.target else ""
                rows.append(
                    [
                        setting.name,
                        lane,
                        way,
                        f"{whole['units']:,.0f}",
                        f"{ideal:.1f}",
                        f"{whole['seconds']:.1f}",
                        f"{share:.2f}",
                        target,
                        f"{per_unit:.2f}",
                        f"{1000 * whole['loading'] / whole['units']:.2f}" if way == "stage" else "",
                    ]
                )
                print(" ".join(map(str, rows[-1])), file=sys.stderr, flush=True)
    columns = ["setting", "lane", "way", "units", "ideal, s", "wall, s", "share of the ideal", "aim"]
    show("Asking for verdicts", [*columns, "CPU, ms a unit", "of it loading"], rows)
    found = []
    for (setting_name, lane, way), stage_cost in cost.items():
        if way == "stage":
            for other in ("dspy", "dspy, our adapter"):
                if (setting_name, lane, other) in cost:
                    ratio = stage_cost / cost[setting_name, lane, other]
                    found.append([setting_name, lane, other, f"{ratio:.2f}"])
    show("CPU of the stage, as a multiple of bare DSPy's", ["setting", "lane", "beside", "stage / bare"], found)


def tell_memory(folder: Path, sizes: Sequence[int], shard_size: int | None) -> None:
    """Print peak memory of fresh processes by number of units, and what stands in the ledger."""
    setting = Setting(0.02, 64, 0, ("stage",), None)
    rows: list[list[object]] = []
    for size in sizes:
        place = folder / f"memory-{size}"
        place.mkdir()
        with simulator(place, "--latency", "0.02", "--latency-spread", "0", "--answers", "minimal") as running:
            workers = Workers(place, running, "openai", setting, "stage", shard_size)
            try:
                found = workers.do(size, 0)
            finally:
                workers.close()
            answered = running.stats()["answered"]
        landed, called = found["verdicts"] - WARM_UP, found["calls"] - WARM_UP
        assert answered == found["call_rows"], f"{answered} answers, {found['call_rows']} rows in the ledger"
        assert landed == called == size, f"{size} units, {landed} with a verdict, {called} with a call"
        rows.append(
            [
                f"{size:,}",
                f"{landed:,}",
                f"{called:,}",
                f"{found['seconds']:.0f}",
                f"{1000 * found['cpu'] / size:.2f}",
                f"{found['peak_mb']:.0f}",
            ]
        )
    columns = ["units", "with a verdict", "with a row in calls", "wall, s", "CPU, ms a unit", "peak memory, MB"]
    show("Many units: peak memory of the process and the ledger", columns, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lanes", nargs="+", choices=VERIFIERS, default=["openai", "anthropic"])
    parser.add_argument("--scale", type=float, default=1.0, help="share of the units of every setting")
    parser.add_argument("--shard-size", type=int, help="units of a shard; by default what a round has")
    parser.add_argument("--units", type=int, nargs="+", help="measure memory and ledger at so many units instead")
    a = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory(prefix="demur-lanes-") as name:
        folder = Path(name)
        made = candidates(BASES)
        (folder / "candidates.json").write_text(json.dumps(made), encoding="utf-8")
        tell_simulator(folder, made)
        if a.units:
            tell_memory(folder, a.units, a.shard_size)
        else:
            tell_speed(folder, a.lanes, a.scale, a.shard_size)


if __name__ == "__main__":
    main()
