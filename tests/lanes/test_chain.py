"""The chain from the engine to the wire: its order, and what a call holds while it waits for a model that is down."""

import asyncio
from dataclasses import dataclass, field

import pytest
from dspy.lm15 import Message, Request

from demur.lanes.call import Call
from demur.lanes.chain import (
    Link,
    chain_of,
)
from demur.lanes.masking import Mask
from demur.lanes.meter import Meter
from demur.lanes.spec import ModelLimits, ModelSpec, Prices
from demur.lanes.throttle.circuit_breaker import CircuitBreaker
from demur.lanes.throttle.limiter import Limiter
from demur.lanes.throttle.shared import Throttle
from demur.programs.errors import ErrorKind, LaneError
from demur.programs.journal import CallScope, Reply
from tests.lanes.asking import KEY, MemoryJournal

PRICES = Prices(input_usd_per_million=1, output_usd_per_million=1)
SPEC = ModelSpec.model_validate(
    {
        "name": "m",
        "provider": "openai",
        "model": "m",
        "base_url": "http://localhost:9/v1",
        "parameters": {"max_tokens": 9},
    }
)
REQUEST = Request(model="m", system="Task: Greet", messages=(Message.user("Hello"),))


@dataclass
class Wire:
    """A lane that replies with the key that it was asked with."""

    sent: int = 0

    async def ask(self, request: Request) -> Reply:
        """Return a reply."""
        self.sent += 1
        return Reply(text=f"asked with {KEY}", input_tokens=4, output_tokens=4)

    async def aclose(self) -> None:
        """Nothing to close."""


@dataclass
class Budget:
    """Keeps what was set aside and not settled yet."""

    lease_id: str = "lease"
    reserved: list[float] = field(default_factory=list)

    async def reserve(self, usd: float) -> None:
        """Keep it."""
        self.reserved.append(usd)

    def settle(self, reserved_usd: float, counted_usd: float) -> None:
        """Give it back."""
        self.reserved.remove(reserved_usd)


def throttled(limit: int) -> Throttle:
    limits = ModelLimits(concurrency=limit, failures_in_a_row=1)
    return Throttle(Limiter(limits), CircuitBreaker(limits), "m")


def chained(wire: Wire, throttle: Throttle | None = None) -> Link:
    async def still_down() -> LaneError:
        return LaneError("away", kind=ErrorKind.SERVER)

    meter = Meter(SPEC, PRICES)
    return chain_of(SPEC, "respondent", wire, meter, Mask(KEY), throttle, still_down if throttle else None)


async def test_chain_call_that_waits_for_a_model_that_is_down_sets_nothing_aside_and_gives_its_permit_back() -> None:
    wire, budget, throttle = Wire(), Budget(), throttled(1)
    throttle.breaker.record(LaneError("away", kind=ErrorKind.SERVER))
    scope = CallScope("round", "stage", "unit", MemoryJournal(), budget=budget)
    waiting = asyncio.create_task(chained(wire, throttle).ask(Call(REQUEST, "digest", scope)))
    await asyncio.sleep(0.05)
    assert not waiting.done() and wire.sent == 0 and budget.reserved == []
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    async with asyncio.timeout(1):
        permit = await throttle.limiter.acquire()
    throttle.limiter.cancel(permit)
