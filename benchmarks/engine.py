"""Overhead of the stage engine per unit, beside bare DSPy; what running a finished stage again costs; peak memory.

    python benchmarks/engine.py [--units 10000] [--memory-units 1000 20000]

The stage is the real one of respondents (flows/stages/responses/respond, RESPOND): planned by SQL from a round's items,
run in a Prefect flow, each unit asked through the DSPy program, the adapter and the ledger, stored with fsync, landed
as validated Parquet, loaded, gated as the stage is gated, published. Its respondent is the rule that always refuses,
which returns at once. Items are the unperturbed controls of 10 to 200 synthetic bases, 100 replicates each.

CPU is that of the measuring process; the Prefect API runs in a process of its own, and starting it is shown apart.
Every figure comes from a fresh process. Bare DSPy asks the same program as often, with the same adapter, engine and
concurrency, under asyncio.gather, and keeps nothing: no units, no store, no landing.
"""

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from demur_process import environment, machine, show, write_config

REPLICATES = 100
RESPONDENT = "always-refuses"
Measured = dict[str, float]


def write_round(folder: Path, units: int) -> Path:
    """Write corpus and configuration of a round whose respondents have so many units to do."""
    bases = units // REPLICATES
    if bases * REPLICATES != units:
        raise SystemExit(f"--units {units} is not a multiple of {REPLICATES}")
    filler = "The survey lists every tower of the coast in the order in which its lamp was first lit. " * 6
    rows = [
        {
            "id": f"tower-{number}",
            "question": f"How many steps lead to the lamp of tower {number}?",
            "answers": [f"{number + 200} steps"],
            "context": f"{filler}To the lamp of tower {number} lead {number + 200} steps.",
        }
        for number in range(bases)
    ]
    corpus = folder / "towers.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    roles = {
        "screeners": [],
        "generators": ["rules-terse"],
        "verifiers": ["rules-editor"],
        "respondents": [RESPONDENT],
        "judges": ["rules-judge"],
        "writer": "rules-writer",
        "grader": "rules-grader",
    }
    return write_config(
        folder,
        name="engine",
        round_id="engine",
        corpus={"path": str(corpus), "format": "demur"},
        bases=bases,
        roles=roles,
        response_replicates=REPLICATES,
        gates={"failure_rate": 0.0, "acceptance": 0.0, "coverage": 0.0, "balance": 0.0},
    )


def prepare(config: str) -> Measured:
    """Land the items that respondents will be asked about."""
    from demur.flows.round import assemble, ingest

    ingest(config=config)
    assemble(config=config)
    return {}


def work(config: str) -> Measured:
    """Run the stage, or what is left of it, and measure it."""
    from prefect import flow

    from demur.engine.stage import run_stage
    from demur.flows.rounds.request import RoundRequest
    from demur.flows.rounds.session import round_session
    from demur.flows.stages.responses.respond import RESPOND
    from demur.warehouse.connection import reading

    measured: Measured = {}

    @flow(name="respond", persist_result=False)
    def respond_flow() -> None:
        with round_session(RoundRequest(config)) as context:
            wall, cpu = time.perf_counter(), time.process_time()
            report = run_stage(context, RESPOND)
            measured["seconds"] = time.perf_counter() - wall
            measured["cpu_seconds"] = time.process_time() - cpu
            measured["landed"] = report.landed
            with reading(context.home, "loader", wait_seconds=10) as con:
                [(calls,)] = con.execute("SELECT count(*) FROM calls").fetchall()
            measured["calls"] = calls

    began = time.perf_counter()
    respond_flow()
    measured["flow_seconds"] = time.perf_counter() - began
    return measured


def bare(config: str) -> Measured:
    """Ask the same program as often with nothing of the stage engine around it."""
    import dspy

    from demur.flows.rounds.request import RoundRequest
    from demur.flows.rounds.session import check_round
    from demur.flows.stages.bases.draw import open_corpus
    from demur.lanes.engine import open_models
    from demur.programs.respondent import Respondent
    from demur.programs.signatures.response import NumberedPassage

    context = check_round(RoundRequest(config))
    bases = [row.base_instance() for row in open_corpus(context)]
    inputs = [
        (base.question, tuple(NumberedPassage(number=p.index + 1, text=p.text) for p in base.passages))
        for base in bases
        for _ in range(REPLICATES)
    ]
    specs = context.specs((RESPONDENT,))

    async def all_of_them() -> int:
        program = Respondent()
        slots = asyncio.Semaphore(specs[0].limits.concurrency)
        async with open_models(specs, "respondent", {}) as models:
            model = models[RESPONDENT]

            async def one(question: str, passages: tuple[NumberedPassage, ...]) -> dspy.Prediction:
                async with slots:
                    return await model.run(program, question=question, passages=passages)

            return len(await asyncio.gather(*(one(*given) for given in inputs)))

    wall, cpu = time.perf_counter(), time.process_time()
    answered = asyncio.run(all_of_them())
    assert answered == len(inputs)
    return {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}


PARTS = {"prepare": prepare, "work": work, "bare": bare}


def measured_in_a_process(part: str, folder: Path, config: Path, api: str) -> Measured:
    """Do one part in a fresh process and return its figures, with its peak memory and the time of the whole process."""
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, __file__, "--part", part, "--config", str(config)],
        env=environment(folder) | {"PREFECT_API_URL": api, "PREFECT_LOGGING_LEVEL": "ERROR"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: Measured = json.loads(done.stdout.splitlines()[-1])
    return found | {"process_seconds": time.perf_counter() - began}


@contextmanager
def prefect_api() -> Iterator[tuple[str, float]]:
    """Run a temporary Prefect API in a process of its own; yield its address and how many seconds its start took."""
    import demur.flows  # noqa: F401  (switches off what libraries send home, before they are imported)

    began = time.perf_counter()
    from prefect.settings import PREFECT_API_URL
    from prefect.testing.utilities import prefect_test_harness

    with prefect_test_harness(server_startup_timeout=180):
        yield str(PREFECT_API_URL.value()), time.perf_counter() - began


def measure(folder: Path, units: int, api: str) -> dict[str, Measured]:
    """Return the figures of a stage of so many units: worked on, run again, and asked of bare DSPy."""
    folder.mkdir()
    config = write_round(folder, units)
    measured_in_a_process("prepare", folder, config, api)
    found = {
        "work": measured_in_a_process("work", folder, config, api),
        "again": measured_in_a_process("work", folder, config, api),
        "bare": measured_in_a_process("bare", folder, config, api),
    }
    assert found["work"]["landed"] == found["work"]["calls"] == units
    return found


def tell(found: dict[int, dict[str, Measured]], units: int, prefect_seconds: float) -> None:
    """Print the tables."""
    per_unit = {
        size: {kind: 1000 * of[kind]["cpu_seconds"] / size for kind in ("work", "bare")} for size, of in found.items()
    }
    show(
        "Overhead of the stage engine",
        ["units", "wall, s", "CPU, ms a unit", "bare DSPy, wall, s", "bare DSPy, CPU, ms a call", "engine / bare, CPU"],
        [
            [
                f"{size:,}",
                f"{of['work']['seconds']:.1f}",
                f"{per_unit[size]['work']:.2f}",
                f"{of['bare']['seconds']:.1f}",
                f"{per_unit[size]['bare']:.2f}",
                f"{per_unit[size]['work'] / per_unit[size]['bare']:.1f}",
            ]
            for size, of in found.items()
        ],
    )
    smallest, largest = min(found), max(found)
    if smallest < largest:
        more = found[largest]["work"]["cpu_seconds"] - found[smallest]["work"]["cpu_seconds"]
        one = 1000 * more / (largest - smallest)
        print(
            f"\nOne more unit, between {smallest:,} and {largest:,}: {one:.2f} ms of CPU; the rest is paid once "
            "a stage (imports, first use of libraries, gates)"
        )
    again = found[units]["again"]
    show(
        f"A finished stage of {units:,} units run again, in a fresh process",
        ["what", "value"],
        [
            ["stage, s", f"{again['seconds']:.1f}"],
            ["flow, s (stage, opening the round, Prefect's client)", f"{again['flow_seconds']:.1f}"],
            ["process, s (flow, Python, imports)", f"{again['process_seconds']:.1f}"],
            ["Prefect API start-up, s (apart; a user's first flow waits for it)", f"{prefect_seconds:.1f}"],
            ["calls made", f"{again['calls'] - found[units]['work']['calls']:.0f}"],
        ],
    )
    show(
        "Peak memory of a fresh process",
        ["units", "stage, MB", f"to that at {smallest:,}", "run again, MB"],
        [
            [
                f"{size:,}",
                f"{of['work']['peak_mb']:.0f}",
                f"{of['work']['peak_mb'] / found[smallest]['work']['peak_mb'] - 1:+.1%}",
                f"{of['again']['peak_mb']:.0f}",
            ]
            for size, of in found.items()
        ],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--units", type=int, default=10_000, help="units of the stage whose overhead is measured")
    parser.add_argument("--memory-units", type=int, nargs="*", default=[1_000, 20_000], help="sizes to compare")
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    parser.add_argument("--config", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.part:
        figures: dict[str, Any] = PARTS[arguments.part](arguments.config)
        peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps(figures | {"peak_mb": peak_mb}), flush=True)
        os._exit(0)  # all is written; Prefect's threads need not be waited for
    print(machine())
    found: dict[int, dict[str, Measured]] = {}
    with tempfile.TemporaryDirectory(prefix="demur-engine-") as folder, prefect_api() as (api, prefect_seconds):
        for size in sorted({arguments.units, *arguments.memory_units}):
            found[size] = measure(Path(folder) / str(size), size, api)
    tell(found, arguments.units, prefect_seconds)


if __name__ == "__main__":
    main()
