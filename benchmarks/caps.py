"""How much of a cap a round leaves unused where replies are lost and processes are killed; that it spends no more.

    python benchmarks/caps.py [--bases 4 12] [--share 0.5] [--rate 0.2] [--seed 20261123]

Models stand behind the simulator, in this process, which charges for all that it has worked on, whether or not the
answer arrived. A round without faults and without a cap tells what everything costs; the cap is a share of that. Then
rounds run under it: without faults; with transient faults in a share of all requests, drawn by request and attempt;
with these and three kills (kill -9), each after a fifth of the cap was charged. What is charged when the cap stops
the round is held against the cap. Any bill above it makes the exit status 1.
"""

import argparse
import os
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from demur_process import DemurProcess, machine, show
from simulator_process import write_simulated

from demur.lanes.simulator.behaviour import SimulatedOutcome, SimulatorConfig
from demur.lanes.simulator.faults import TRANSIENT, FaultPlan, scripted, seeded
from demur.lanes.simulator.server import serve
from demur.warehouse.connection import reading
from demur.warehouse.home import Home

INPUT_USD, OUTPUT_USD = 2.0, 8.0
PRICES = {
    "input_usd_per_million": INPUT_USD,
    "output_usd_per_million": OUTPUT_USD,
    "cached_usd_per_million": INPUT_USD,
    "cache_write_usd_per_million": INPUT_USD,
}
INPUT = ("prompt_tokens", "input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
LIMITS = {"concurrency": 8, "timeout_seconds": 3, "retries": 20}
COUNTED = "SELECT sum(counted_usd), sum(cost_usd), sum(calls) FROM spending"
KILLS = 3


class Provider:
    """The simulator with the sum of its charges. Cached and other input have the same price."""

    def __init__(self, port: int) -> None:
        self.port, self.usd = port, 0.0

    def charge(self, outcome: SimulatedOutcome) -> None:
        """Take a request onto the bill that was worked on."""
        if outcome.answered:
            usage = outcome.body["usage"]
            said = usage.get("completion_tokens", usage.get("output_tokens", 0))
            self.usd += (sum(usage.get(name, 0) for name in INPUT) * INPUT_USD + said * OUTPUT_USD) / 1e6


@contextmanager
def provider(plan: FaultPlan) -> Iterator[Provider]:
    """Yield a provider with faults."""
    config = SimulatorConfig(latency_seconds=0.05, retry_after="0.1", keep_requests=False)
    with serve(plan, config=config) as simulator:
        found, outcome = Provider(simulator.port), simulator.outcome

        def charged(*arguments: Any, **named: Any) -> tuple[SimulatedOutcome, float]:
            ended = outcome(*arguments, **named)
            found.charge(ended[0])
            return ended

        simulator.outcome = charged  # type: ignore[method-assign]
        yield found


def run(folder: Path, plan: FaultPlan, bases: int, cap: float | None, kills: int = 0) -> list[Any]:
    """Run a round to its end or its cap; return the charged amount and the amount in its ledger."""
    folder.mkdir(parents=True)
    with provider(plan) as served:
        config = write_simulated(folder, served.port, bases=bases, prices=PRICES, limits=LIMITS)
        arguments = ["round", str(config), "--no-probe", *([] if cap is None else ["--max-usd", str(cap)])]
        began = time.monotonic()
        for number in range(kills):
            process = DemurProcess(folder, *arguments)
            until = served.usd + (cap or 0.0) / 5
            while served.usd < until and process.process.poll() is None:
                time.sleep(0.02)
            if process.process.poll() is not None:
                break  # the cap has stopped it
            os.killpg(process.process.pid, signal.SIGKILL)
            process.process.wait(timeout=60)
            print(f"{folder.name}: kill {number + 1} at ${served.usd:.2f}", flush=True)
        process = DemurProcess(folder, *arguments)
        status = process.process.wait(timeout=3600)
        if status != (0 if cap is None else 3):
            raise SystemExit(f"status {status}:\n" + "\n".join(line.text for line in process.lines[-20:]))
        seconds = time.monotonic() - began
        with reading(Home(folder / "demur"), "loader", wait_seconds=30) as con:
            [(counted, known, calls)] = con.execute(COUNTED).fetchall()
        return [calls, served.usd, known, counted, seconds]


def main() -> None:
    """Run all rounds and print what they left unused."""
    parser = argparse.ArgumentParser(description="Measure the share of a cap that is left unused.")
    parser.add_argument("--bases", type=int, nargs="+", default=[4, 12])
    parser.add_argument("--share", type=float, default=0.5)
    parser.add_argument("--rate", type=float, default=0.2)
    parser.add_argument("--seed", type=int, default=20261123)
    parser.add_argument("--seeds", type=int, default=2, help="rounds with faults of their own")
    a = parser.parse_args()
    rows, above = [], 0
    with tempfile.TemporaryDirectory(prefix="demur-caps-") as temporary:
        for bases in a.bases:
            place = Path(temporary) / str(bases)
            whole = run(place / "whole", scripted(), bases, None)
            cap = a.share * whole[1]
            cases: list[tuple[str, FaultPlan, int]] = [("none", scripted(), 0)]
            for seed in range(a.seed, a.seed + a.seeds):
                faults = seeded(seed, a.rate, TRANSIENT)
                cases += [(f"faults {seed}", faults, 0), (f"faults {seed}, kills", faults, KILLS)]
            for name, plan, kills in cases:
                calls, charged, known, counted, seconds = run(place / name.replace(" ", "-"), plan, bases, cap, kills)
                above += charged > cap
                money = [f"{usd:.3f}" for usd in (cap, charged, counted, known)]
                rows.append([bases, name, calls, *money, f"{1 - charged / cap:.0%}", f"{seconds:.0f}"])
                print(rows[-1], flush=True)
    print(machine())
    columns = ["bases", "faults", "calls", "cap", "charged", "counted", "known", "unused", "s"]
    show("Caps", columns, rows)
    raise SystemExit(1 if above else 0)


if __name__ == "__main__":
    main()
