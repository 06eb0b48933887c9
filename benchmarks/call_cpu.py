"""CPU of one call from `Model.run` to a lane that answers at once: program, adapter, engine and chain, and no network.

    python benchmarks/call_cpu.py [--calls 1024] [--repeats 7] [--state postgresql://...]

The lane echoes; throttle, budget and journal are those of a round, without a journal, with one in a file and, where a
database is named, with one in it. The least of several repeats is shown, since whatever else the machine does only adds
to it; seconds are of the whole journal, which answers wait for. CPU of the database's own processes is not in it.
"""

import argparse
import asyncio
import gc
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from demur_process import show
from dspy.lm15 import Request

from demur.engine.file_state import SharedState
from demur.engine.shard import freeze_long_lived_objects
from demur.lanes import registry
from demur.lanes.factory import open_models
from demur.lanes.spec import ModelSpec
from demur.lanes.transport import Access
from demur.levers.instances import Passage
from demur.programs.journal import CallRecord, CallScope, Journal, Reply, SentPrompts, call_scope
from demur.programs.model import Model
from demur.programs.respondent import Respondent, respond
from demur.warehouse.home import Home

AT_ONCE = 64
PASSAGES = (
    Passage(index=0, text="The lighthouse at Cape Harrow was built in 1874. It is white. " * 20, relevant=True),
)
SPEC = {
    "name": "echo",
    "provider": "openai",
    "model": "echo",
    "base_url": "http://127.0.0.1:9/v1",
    "parameters": {"max_tokens": 64},
    "prices": {"input_usd_per_million": 2, "output_usd_per_million": 10},
    "limits": {"concurrency": AT_ONCE},
}


class EchoTransport:
    """A lane that answers at once."""

    def __init__(self, spec: ModelSpec, access: Access) -> None:
        pass

    async def ask(self, request: Request) -> Reply:
        """Return the same reply always, after others had a turn."""
        await asyncio.sleep(0)
        return Reply(text="In 1874.", input_tokens=100, output_tokens=5)

    async def aclose(self) -> None:
        """Nothing to close."""


class ForgetfulJournal:
    """Keeps no call."""

    async def record(self, call: CallRecord) -> None:
        """Return at once."""


class EndlessBudget:
    """Grants everything."""

    lease_id = "lease"

    async def reserve(self, usd: float) -> None:
        """Return at once."""

    def settle(self, reserved_usd: float, counted_usd: float) -> None:
        """Keep nothing."""


async def one_call(
    program: Respondent, model: Model, number: int, journal: Journal, prompts: SentPrompts | None
) -> None:
    scope = CallScope("round", "respond", f"unit-{number}", journal, budget=EndlessBudget(), prompts=prompts)
    with call_scope(scope):
        await respond(program, model, f"When was lighthouse {number} built?", PASSAGES)


@asynccontextmanager
async def no_journal() -> AsyncIterator[Journal]:
    """Yield a journal that keeps nothing."""
    yield ForgetfulJournal()


async def measure(
    calls: int, repeats: int, opened: Callable[[], AbstractAsyncContextManager[Journal]], prompts: SentPrompts | None
) -> list[float]:
    """Return the least seconds of CPU, and of wall time, that a call took."""
    program, found = Respondent(), []
    async with open_models([ModelSpec.model_validate(SPEC)], "respondent", {}) as models, opened() as journal:
        asking = partial(one_call, program, models["echo"], journal=journal, prompts=prompts)
        await asyncio.gather(*(asking(number) for number in range(AT_ONCE)))
        gc.collect()
        freeze_long_lived_objects()
        for repeat in range(repeats):
            began, wall = time.process_time(), time.perf_counter()
            for first in range(0, calls, AT_ONCE):
                numbers = range(repeat * calls + first, repeat * calls + min(first + AT_ONCE, calls))
                await asyncio.gather(*(asking(number) for number in numbers))
            found.append(((time.process_time() - began) / calls, (time.perf_counter() - wall) / calls))
    return [min(values) for values in zip(*found, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=1024, help="calls of a repeat")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--state", help="address of a PostgreSQL database, which gets a schema `demur`")
    given = parser.parse_args()
    openai = replace(registry.LANES["openai"], transport=f"{__name__}:EchoTransport")
    registry.LANES["openai"] = openai  # type: ignore[index]
    with tempfile.TemporaryDirectory(prefix="demur-calls-") as folder:
        home = Home(Path(folder))
        shard = ("round", "respond", "shard")
        ways: dict[str, Callable[[], AbstractAsyncContextManager[Journal]]] = {
            "none": no_journal,
            "file without prompts": lambda: SharedState(home).journal(*shard),
            "file": lambda: SharedState(home).journal(*shard),
        }
        if given.state:
            from demur.engine.postgres_state import opened_state

            ways["PostgreSQL"] = lambda: opened_state(home, given.state).journal(*shard)
        figures = {
            name: asyncio.run(
                measure(given.calls, given.repeats, way, None if name.endswith("without prompts") else SentPrompts())
            )
            for name, way in ways.items()
        }
    rows = [
        [name, f"{1e6 * cpu:.0f}", f"{1e6 * wall:.0f}", f"{cpu / figures['file'][0]:.2f}"]
        for name, (cpu, wall) in figures.items()
    ]
    show("A call", ["journal", "CPU, µs", "wall, µs", "CPU beside a file's"], rows)


if __name__ == "__main__":
    main()
