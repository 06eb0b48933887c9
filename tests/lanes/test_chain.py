"""The chain from the engine to the wire: its order, and what a call holds while it waits for a model that is down."""

import asyncio

import pytest
from dspy.lm15 import Message, Request

from demur.lanes.chain import Call, chain_of
from demur.lanes.costs import Meter
from demur.lanes.keys import Mask
from demur.lanes.spec import ModelLimits, ModelSpec, Prices
from demur.lanes.throttle.circuit_breaker import CircuitBreaker
from demur.lanes.throttle.limiter import Limiter
from demur.lanes.throttle.shared import Throttle
from demur.programs.call_scope import CallRecord, CallScope, Reply, SentCall
from demur.programs.errors import ErrorKind, Halted, LaneError
from tests.lanes.asking import KEY, MemoryCallStore

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


class Wire:
    """A lane that counts what it is asked."""

    sent = 0

    async def ask(self, request: Request) -> Reply:
        """Return a reply."""
        self.sent += 1
        return Reply("Good day")

    async def aclose(self) -> None:
        """Nothing to close."""


class Budget:
    """Keeps what was set aside and not settled yet."""

    def __init__(self) -> None:
        self.reserved: list[float] = []

    async def reserve(self, sent: CallRecord) -> None:
        """Keep it."""
        self.reserved.append(sent.reserved_usd or 0.0)

    async def unreserve(self, sent: CallRecord) -> None:
        """Give it back."""
        self.reserved.remove(sent.reserved_usd or 0.0)

    def adopt(self, sent: SentCall) -> None:
        """Keep nothing: the round of no test was sent before."""

    def settle(self) -> None:
        """Give it back."""
        self.reserved.pop()


async def still_down() -> LaneError:
    return LaneError("away", kind=ErrorKind.SERVER)


async def test_chain_call_that_waits_for_a_model_that_is_down_sets_nothing_aside_and_gives_its_permit_back() -> None:
    wire, budget, limits = Wire(), Budget(), ModelLimits(concurrency=1, failures_in_a_row=1)
    throttle = Throttle(Limiter(limits), CircuitBreaker(limits))
    throttle.breaker.record(LaneError("away", kind=ErrorKind.SERVER))
    scope = CallScope("round", "stage", "unit", MemoryCallStore(), budget=budget)
    chain = chain_of(SPEC, "respondent", wire, Meter(SPEC, PRICES), Mask(KEY), throttle, still_down)
    waiting = asyncio.create_task(chain.ask(Call(REQUEST, "digest", scope)))
    await asyncio.sleep(0.05)
    assert not waiting.done() and wire.sent == 0 and budget.reserved == []
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    async with asyncio.timeout(1):
        permit = await throttle.limiter.acquire()
    throttle.limiter.cancel(permit)


@pytest.mark.parametrize("capped", [True, False])
async def test_chain_sends_and_keeps_aside_nothing_once_another_process_has_taken_over(capped: bool) -> None:
    async def confirm() -> None:
        raise Halted("another process has taken over")

    wire, budget = Wire(), Budget()
    scope = CallScope("round", "stage", "unit", MemoryCallStore(), budget=budget if capped else None, confirm=confirm)
    chain = chain_of(SPEC, "respondent", wire, Meter(SPEC, PRICES), Mask(KEY))
    with pytest.raises(Halted, match="another process has taken over"):
        await chain.ask(Call(REQUEST, "digest", scope))
    assert wire.sent == 0 and budget.reserved == []
