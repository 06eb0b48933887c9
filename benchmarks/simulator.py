"""How many requests a second `demur simulate` answers, in a process of its own, and what CPU each takes of it.

    python benchmarks/simulator.py [--requests 10000] [--concurrency 64 256]

Asked by a raw aiohttp client in this process, with bodies of 5 KB, without latency and faults: first each body once,
answered as briefly as it may (`--answers minimal`), then each ten times. A benchmark of lanes has to stay well below
this, or it measures the simulator.
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import aiohttp
import psutil
from demur_process import machine, show
from simulator_process import simulator

INSTRUCTIONS = "Task: JudgeShortAnswer\n" + "Read the response and say what it is. " * 60


def bodies(count: int) -> list[bytes]:
    """Return so many different requests."""
    turns = [{"role": "system", "content": INSTRUCTIONS}]
    return [
        json.dumps(
            {
                "model": "any",
                "messages": [*turns, {"role": "user", "content": json.dumps({"n": n, "text": "word " * 500})}],
            }
        ).encode()
        for n in range(count)
    ]


async def ask(url: str, wanted: Sequence[bytes], concurrency: int) -> float:
    """Ask all of them, so many at once, and return how many seconds that took."""
    waiting = iter(wanted)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def one_after_another() -> None:
            for body in waiting:
                async with session.post(url, data=body) as answer:
                    await answer.read()
                    assert answer.status == 200

        began = time.perf_counter()
        await asyncio.gather(*(one_after_another() for _ in range(concurrency)))
        return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--concurrency", type=int, nargs="+", default=[64, 256])
    a = parser.parse_args()
    rows: list[list[object]] = []
    with (
        tempfile.TemporaryDirectory(prefix="demur-simulator-") as folder,
        simulator(Path(folder), "--latency", "0", "--answers", "minimal") as running,
    ):
        process = psutil.Process(running.pid)
        url = f"http://127.0.0.1:{running.port}/v1/chat/completions"
        for concurrency in a.concurrency:
            for kind, wanted in (("once", bodies(a.requests)), ("ten times", bodies(a.requests // 10) * 10)):
                before = process.cpu_times().user + process.cpu_times().system
                seconds = asyncio.run(ask(url, wanted, concurrency))
                cpu = process.cpu_times().user + process.cpu_times().system - before
                rows.append([concurrency, kind, f"{len(wanted) / seconds:,.0f}", f"{1000 * cpu / len(wanted):.2f}"])
    print(machine())
    show("Requests that the simulator answers", ["at once", "each body", "requests/s", "CPU, ms a request"], rows)


if __name__ == "__main__":
    main()
