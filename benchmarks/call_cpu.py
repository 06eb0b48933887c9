"""CPU of one call from `Model.run` to a lane that answers at once: program, adapter, engine and chain, and no network.

    python benchmarks/call_cpu.py [--calls 1024] [--repeats 7]

The lane echoes; throttle, budget and journal are those of a round, the journal's file apart. The least of several
repeats is shown, since whatever else the machine does only adds to it.
"""

import argparse
import asyncio
import gc
import time
from dataclasses import replace

from dspy.lm15 import Request

from demur.flows.engine.gc_tuning import freeze_long_lived_objects
from demur.programs.instances import Passage
from demur.programs.journal import CallRecord, CallScope, Reply, call_scope
from demur.programs.lanes import registry
from demur.programs.lanes.factory import Model, open_models
from demur.programs.lanes.spec import ModelSpec
from demur.programs.lanes.transport import Access
from demur.programs.respondent import Respondent, respond

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


async def one_call(program: Respondent, model: Model, number: int) -> None:
    with call_scope(CallScope("round", "respond", f"unit-{number}", ForgetfulJournal(), budget=EndlessBudget())):
        await respond(program, model, f"When was lighthouse {number} built?", PASSAGES)


async def measure(calls: int, repeats: int) -> float:
    """Return the least seconds of CPU that a call took."""
    program, seconds = Respondent(), []
    async with open_models([ModelSpec.model_validate(SPEC)], "respondent", {}) as models:
        await asyncio.gather(*(one_call(program, models["echo"], number) for number in range(AT_ONCE)))
        gc.collect()
        freeze_long_lived_objects()
        for repeat in range(repeats):
            began = time.process_time()
            for first in range(0, calls, AT_ONCE):
                numbers = range(repeat * calls + first, repeat * calls + min(first + AT_ONCE, calls))
                await asyncio.gather(*(one_call(program, models["echo"], number) for number in numbers))
            seconds.append((time.process_time() - began) / calls)
    return min(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=1024, help="calls of a repeat")
    parser.add_argument("--repeats", type=int, default=7)
    given = parser.parse_args()
    openai = replace(registry.LANES["openai"], transport=f"{__name__}:EchoTransport")
    registry.LANES["openai"] = openai  # type: ignore[index]
    print(f"{asyncio.run(measure(given.calls, given.repeats)) * 1e6:.0f} µs of CPU a call")


if __name__ == "__main__":
    main()
