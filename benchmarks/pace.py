"""How long requests take whose provider refuses some of them, and how much of a provider's real limit is used.

    python benchmarks/pace.py [--ways lanes sdk router] [--kinds rate_limited overloaded unavailable] [--cap 60]
    python benchmarks/pace.py --limits

The simulated provider, in a process of its own, answers after 0.2 s. First it refuses requests at random, whatever
their rate (429, 529 or 503, with and without Retry-After); every figure is the wall time as a multiple of that of the
same requests where nothing is refused, asked just before. "lanes" are demur's models, with its pace, breaker and
retries; "sdk" is the OpenAI SDK alone, "router" litellm's, each with as many requests at once and as many retries.
Two units for each request are at work, as in a stage.

With --limits it takes so many requests a second and refuses what is beyond: what share of its limit is used, and what
share of requests is refused.
"""

import argparse
import asyncio
import logging
import multiprocessing
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from itertools import count
from multiprocessing.connection import Connection
from typing import Any, Final

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

from demur_process import machine, show

from demur.engine.stage import UNITS_FOR_A_REQUEST
from demur.lanes.engine import open_models
from demur.lanes.simulator.behaviour import Answers, SimulatorConfig
from demur.lanes.simulator.faults import STATUS, SimulatorFault, seeded
from demur.lanes.simulator.server import serve
from demur.lanes.spec import ModelSpec
from demur.levers.instances import Passage
from demur.programs.errors import LaneError
from demur.programs.respondent import Respondent, respond

LATENCY_SECONDS = 0.2
RETRIES = 10
MODEL = "respondent/lexical-overlap"
KEY = "none-needed"
PASSAGE = Passage(index=0, text="The lighthouse at Cape Harrow was built in 1874. It is white.", relevant=True)
SIZES = ((16, 300), (64, 300))
"""Requests at once, and in all."""
SHARES = (0.05, 0.15, 0.25)
RETRY_AFTER = ("", "0.25")
KINDS = (SimulatorFault.RATE_LIMITED, SimulatorFault.OVERLOADED, SimulatorFault.UNAVAILABLE)
LIMITS = ((16, 2), (16, 5), (16, 10), (16, 40), (64, 10), (64, 40))
"""Requests at once, and how many a second the provider takes."""
LIMITED_SECONDS = 40.0

Ask = Callable[[int], Awaitable[bool]]
"""Makes a request by its number and returns whether it was answered."""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What a provider refuses: a share at random, or what is beyond a rate."""

    share: float = 0.0
    kind: SimulatorFault = SimulatorFault.RATE_LIMITED
    retry_after: str = ""
    per_second: float | None = None
    seed: int = 1


def provide(pipe: "Connection[Any, Any]") -> None:
    """Serve one behaviour after another, until there is none."""
    while (behaviour := pipe.recv()) is not None:
        config = SimulatorConfig(
            answers=Answers.MINIMAL,
            latency_seconds=LATENCY_SECONDS,
            retry_after=behaviour.retry_after,
            requests_per_minute=None if behaviour.per_second is None else 60 * behaviour.per_second,
            keep_requests=False,
        )
        with serve(seeded(behaviour.seed, behaviour.share, [behaviour.kind]), config=config) as provider:
            pipe.send(provider.openai_url)
            pipe.recv()
            counts = provider.counts
            pipe.send((counts.requests, counts.faults.total()))


@dataclass(slots=True)
class Provider:
    """The provider's process."""

    pipe: "Connection[Any, Any]"
    requests: int = 0
    refused: int = 0

    @contextmanager
    def behaving(self, behaviour: Behaviour) -> Iterator[str]:
        """Yield the address of a provider that behaves so; afterwards the counts are those of this time."""
        self.pipe.send(behaviour)
        yield self.pipe.recv()
        self.pipe.send(None)
        self.requests, self.refused = self.pipe.recv()


@asynccontextmanager
async def lanes(url: str, at_once: int) -> AsyncIterator[Ask]:
    """Yield demur's model."""
    spec = ModelSpec.model_validate(
        {
            "name": "asked",
            "provider": "openai",
            "model": MODEL,
            "base_url": url,
            "parameters": {"max_tokens": 64},
            "limits": {"concurrency": at_once, "retries": RETRIES},
        }
    )
    program = Respondent()
    async with open_models([spec], "respondent", {}) as models:

        async def ask(number: int) -> bool:
            try:
                await respond(program, models["asked"], f"When was lighthouse {number} built?", (PASSAGE,))
            except LaneError:
                return False
            return True

        yield ask


def messages(number: int) -> list[dict[str, str]]:
    """Return the conversation of a request."""
    said = f'{{"question": "When was lighthouse {number} built?", "passages": "{PASSAGE.text}"}}'
    return [{"role": "system", "content": "Task: AnswerQuestion\n\nAnswer."}, {"role": "user", "content": said}]


@asynccontextmanager
async def sdk(url: str, at_once: int) -> AsyncIterator[Ask]:
    """Yield the OpenAI SDK with its own retries."""
    import openai

    client = openai.AsyncOpenAI(
        api_key=KEY, base_url=url, max_retries=RETRIES, http_client=openai.DefaultAioHttpClient()
    )

    async def ask(number: int) -> bool:
        said: Any = messages(number)
        try:
            await client.chat.completions.create(model=MODEL, messages=said, max_tokens=64)
        except openai.APIError:
            return False
        return True

    yield ask
    await client.close()


@asynccontextmanager
async def router(url: str, at_once: int) -> AsyncIterator[Ask]:
    """Yield litellm's router with its own retries."""
    import litellm

    litellm.suppress_debug_info = True
    logging.disable(logging.CRITICAL)
    parameters = {"model": f"openai/{MODEL}", "api_base": url, "api_key": KEY, "max_parallel_requests": at_once}
    asked = litellm.Router([{"model_name": "asked", "litellm_params": parameters}], num_retries=RETRIES)

    async def ask(number: int) -> bool:
        try:
            await asked.acompletion("asked", messages(number), max_tokens=64)
        except Exception:  # the SDKs' own, of many classes
            return False
        return True

    yield ask
    asked.reset()


WAYS: Final = {"lanes": lanes, "sdk": sdk, "router": router}


@dataclass(slots=True)
class Outcome:
    """What came of a number of requests: seconds, answers, and how many were given up."""

    seconds: float = 0.0
    answered: int = 0
    lost: int = 0
    capped: bool = False


async def asked(way: str, url: str, at_once: int, numbers: Iterator[int], cap: float) -> Outcome:
    """Ask until there are no more numbers or the time is over."""
    outcome = Outcome()
    async with WAYS[way](url, at_once) as ask:
        await ask(-1)  # connections, clients and programs are made

        async def work() -> None:
            for number in numbers:
                if await ask(number):
                    outcome.answered += 1
                else:
                    outcome.lost += 1

        began = time.perf_counter()
        try:
            async with asyncio.timeout(cap):
                await asyncio.gather(*(work() for _ in range(UNITS_FOR_A_REQUEST * at_once)))
        except TimeoutError:
            outcome.capped = True
        outcome.seconds = time.perf_counter() - began
    return outcome


@dataclass(slots=True)
class Table:
    """A table that prints each row at once, so that a stopped run shows its rows."""

    rows: list[list[object]] = field(default_factory=list)

    def add(self, *cells: object) -> None:
        """Add a row."""
        self.rows.append([*cells])
        print("|".join(str(cell) for cell in cells), flush=True)


def multiple(outcome: Outcome, undisturbed: float, requests: int) -> str:
    """Return the wall time as a multiple of the undisturbed one, or how many were answered where not all were."""
    if outcome.answered == requests:
        return f"{outcome.seconds / undisturbed:.2f}"
    return f"{outcome.answered} of {requests} in {outcome.seconds:.0f} s"


def random_faults(provider: Provider, ways: list[str], kinds: list[SimulatorFault], cap: float) -> None:
    """Measure requests of which a share is refused whatever their rate."""
    table = Table()
    for way in ways:
        for at_once, requests in SIZES:
            for kind in kinds:
                for wish in RETRY_AFTER:
                    with provider.behaving(Behaviour()) as url:
                        undisturbed = asyncio.run(asked(way, url, at_once, iter(range(requests)), cap)).seconds
                    cells = []
                    for share in SHARES:
                        with provider.behaving(Behaviour(share, kind, wish)) as url:
                            outcome = asyncio.run(asked(way, url, at_once, iter(range(requests)), cap))
                        cells.append(multiple(outcome, undisturbed, requests))
                    table.add(way, at_once, requests, f"{undisturbed:.1f}", STATUS[kind], wish or "none", *cells)
    header = ["way", "at once", "requests", "undisturbed, s", "status", "Retry-After, s", "5 %", "15 %", "25 %"]
    show("Refused at random: wall time as a multiple of the undisturbed one", header, table.rows)


def real_limits(provider: Provider, ways: list[str]) -> None:
    """Measure how much of a real limit is used."""
    table = Table()
    for way in ways:
        for at_once, per_second in LIMITS:
            for wish in ("", "1"):
                with provider.behaving(Behaviour(retry_after=wish, per_second=per_second)) as url:
                    outcome = asyncio.run(asked(way, url, at_once, count(), LIMITED_SECONDS))
                used = outcome.answered / outcome.seconds / per_second
                refused = f"{100 * provider.refused / provider.requests:.0f} %"
                table.add(way, at_once, per_second, wish or "none", f"{used:.2f}", refused, outcome.lost)
    header = ["way", "at once", "limit, a second", "Retry-After, s", "share of limit used", "429s", "given up"]
    show("A real limit", header, table.rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    parser.add_argument("--kinds", nargs="+", choices=[kind.value for kind in KINDS], default=list(KINDS))
    parser.add_argument("--cap", type=float, default=60.0, help="longest time of one figure, in seconds")
    parser.add_argument("--limits", action="store_true")
    a = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=provide, args=(theirs,), daemon=True)
    process.start()
    provider = Provider(ours)
    print(machine())
    if a.limits:
        real_limits(provider, a.ways)
    else:
        random_faults(provider, a.ways, [SimulatorFault(kind) for kind in a.kinds], a.cap)
    ours.send(None)
    process.join()


if __name__ == "__main__":
    main()
