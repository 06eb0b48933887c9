"""CPU of one call from `Model.run` to a lane that answers at once: program, adapter, engine and chain, and no network.

    python benchmarks/call_cpu.py [--calls 1024] [--repeats 7] [--at-once 64 256] [--state postgresql://...]

The lane echoes; throttle and store of calls are those of a round: no store, one in SQLite and, where a database is
named, one in it. Ways take turns, and the least of several repeats is shown, since whatever else the machine does only
adds to it; answers wait until they are stored. CPU of the database's own processes is not in it.
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
from itertools import product
from pathlib import Path

from demur_process import show
from dspy.lm15 import Request

from demur.engine.shard import freeze_long_lived_objects
from demur.engine.state.calls import ShardCalls
from demur.engine.state.database import Database
from demur.engine.state.home_state import postgres_database
from demur.engine.state.sqlite import SqliteDatabase
from demur.lanes import registry
from demur.lanes.engine import open_models
from demur.lanes.spec import ModelSpec
from demur.lanes.transport import Access
from demur.levers.instances import Passage
from demur.programs.call_scope import CallRecord, CallScope, CallStore, Reply, SentCall, SentPrompts, call_scope
from demur.programs.model import Model
from demur.programs.respondent import Respondent, respond

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
    "limits": {"concurrency": 1000},
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


class ForgetfulStore:
    """Keeps no call."""

    async def record(self, call: CallRecord) -> None:
        """Return at once."""


class EndlessBudget:
    """Grants everything."""

    async def reserve(self, sent: CallRecord) -> None:
        """Return at once."""

    def adopt(self, sent: SentCall) -> None:
        """Keep nothing."""

    def settle(self) -> None:
        """Keep nothing."""


async def one_call(program: Respondent, model: Model, number: int, store: CallStore, prompts: SentPrompts) -> None:
    scope = CallScope("round", "respond", f"unit-{number}", store, budget=EndlessBudget(), prompts=prompts)
    with call_scope(scope):
        await respond(program, model, f"When was lighthouse {number} built?", PASSAGES)


@asynccontextmanager
async def no_store() -> AsyncIterator[CallStore]:
    """Yield a store that keeps nothing."""
    yield ForgetfulStore()


def store_in(database: Database) -> ShardCalls:
    return ShardCalls(database, {"home": "", "round_id": "round", "stage": "respond", "shard": "shard"})


async def measure(
    calls: int, at_once: int, opened: Callable[[], AbstractAsyncContextManager[CallStore]]
) -> tuple[float, float]:
    """Return the seconds of CPU, and of wall time, that a call took."""
    program, slots, prompts = Respondent(), asyncio.Semaphore(at_once), SentPrompts()
    async with open_models([ModelSpec.model_validate(SPEC)], "respondent", {}) as models, opened() as store:

        async def one(number: int) -> None:
            async with slots:
                await one_call(program, models["echo"], number, store, prompts)

        await asyncio.gather(*map(one, range(at_once)))
        gc.collect()
        freeze_long_lived_objects()
        began, wall = time.process_time(), time.perf_counter()
        await asyncio.gather(*map(one, range(at_once, at_once + calls)))
        return (time.process_time() - began) / calls, (time.perf_counter() - wall) / calls


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=1024, help="calls of a repeat")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--at-once", type=int, nargs="+", default=[64, 256], help="calls under way")
    parser.add_argument("--state", help="address of a PostgreSQL database, which gets a schema `demur`")
    given = parser.parse_args()
    openai = replace(registry.LANES["openai"], transport=f"{__name__}:EchoTransport")
    registry.LANES["openai"] = openai  # type: ignore[index]
    with tempfile.TemporaryDirectory(prefix="demur-calls-") as folder:
        databases: dict[str, Database] = {"SQLite": SqliteDatabase(Path(folder) / "state.db")}
        if given.state:
            databases["PostgreSQL"] = postgres_database(given.state)
        ways: dict[str, Callable[[], AbstractAsyncContextManager[CallStore]]] = {"none": no_store}
        ways |= {name: partial(store_in, database) for name, database in databases.items()}
        found: dict[tuple[int, str], list[tuple[float, float]]] = {}
        for _, at_once, name in product(range(given.repeats), given.at_once, ways):
            one = asyncio.run(measure(given.calls, at_once, ways[name]))
            found.setdefault((at_once, name), []).append(one)
        for database in databases.values():
            database.close()
    rows = []
    for (at_once, name), figures in found.items():
        cpu, wall = (min(values) for values in zip(*figures, strict=True))
        rows.append([at_once, name, f"{1e6 * cpu:.0f}", f"{1e6 * wall:.0f}", f"{1 / wall:,.0f}"])
    show("A call", ["under way", "store", "CPU, µs", "wall, µs", "calls a second"], rows)


if __name__ == "__main__":
    main()
