"""How fast a provider is asked that refuses what is beyond its limit."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from dspy.lm15 import Message, Request
from hypothesis import given
from hypothesis import strategies as st

from demur.lanes.engine import ModelEngine
from demur.lanes.spec import ModelSpec
from demur.lanes.throttle.circuit_breaker import CircuitBreaker
from demur.lanes.throttle.limiter import Limiter
from demur.lanes.throttle.pace import LEAST_PER_MINUTE, Pace, Permit, TokenBucket
from demur.lanes.throttle.shared import Throttle
from demur.programs.call_scope import Reply
from demur.programs.errors import LaneError
from tests.lanes.virtual_time import run_virtually

REQUEST = Request(model="m", system="Task: Greet", messages=(Message.user("Hello"),))
LATENCY = 0.2


@dataclass
class Provider:
    """Answers after a fifth of a second of virtual time, and refuses what it is told to refuse."""

    refuses: Callable[[float], bool]
    kind: str = "rate_limit"
    retry_after: float | None = None
    asked_at: list[float] = field(default_factory=list)
    answered_at: list[float] = field(default_factory=list)

    async def ask(self, request: Request) -> Reply:
        """Return a reply, or raise that there is none."""
        loop = asyncio.get_running_loop()
        self.asked_at.append(loop.time())
        refused = self.refuses(loop.time())
        await asyncio.sleep(LATENCY * random.uniform(0.95, 1.05))
        if refused:
            raise LaneError("no", kind=self.kind, retry_after_seconds=self.retry_after)
        self.answered_at.append(loop.time())
        return Reply(text="Good day")

    async def aclose(self) -> None:
        """Nothing to close."""

    def answered_a_second(self, since: float, until: float) -> float:
        """Return how many it answered in a time, by the second."""
        return sum(since < at <= until for at in self.answered_at) / (until - since)


def asked(provider: Provider, requests: int, at_once: int, seconds: float = 600.0, seed: int = 1) -> float:
    """Ask through a model's whole engine, until all is answered or the time is over; return the virtual seconds."""
    random.seed(seed)
    model = ModelSpec.model_validate(
        {
            "name": "m",
            "provider": "openai",
            "model": "m",
            "base_url": "http://localhost:9/v1",
            "parameters": {"max_tokens": 9},
            "limits": {"concurrency": at_once, "retries": 20},
        }
    )
    waiting = iter(range(requests))

    async def ask_all() -> float:
        loop = asyncio.get_running_loop()
        throttle = Throttle(Limiter(model.limits, loop.time), CircuitBreaker(model.limits, loop.time))
        engine = ModelEngine(model, "respondent", provider, throttle=throttle, open_probe=lambda probing: provider)

        async def work() -> None:
            for _ in waiting:
                await engine.complete(REQUEST)

        try:
            async with asyncio.timeout(seconds):
                await asyncio.gather(*(work() for _ in range(at_once)))
        except TimeoutError:
            pass
        return loop.time()

    return run_virtually(ask_all())


def at_random(share: float) -> Callable[[float], bool]:
    """Refuse a share of requests, whenever they come."""
    return lambda now: random.random() < share


def beyond(per_second: float) -> Callable[[float], bool]:
    """Refuse what is beyond a rate, of which a second's worth may come at once."""
    bucket = TokenBucket(60 * per_second, least=1.0)

    def refuses(now: float) -> bool:
        if bucket.wait_seconds(now) > 0:
            return True
        bucket.level -= 1
        return False

    return refuses


@pytest.mark.parametrize(("at_once", "per_second", "retry_after"), [(16, 20, 1.0), (64, 20, None)])
def test_pace_keeps_to_a_real_limit_and_uses_it(at_once: int, per_second: float, retry_after: float | None) -> None:
    provider = Provider(beyond(per_second), retry_after=retry_after)
    seconds = asked(provider, 10**6, at_once, seconds=90)
    answered = len(provider.answered_at)
    assert answered / seconds >= 0.9 * per_second
    assert answered >= 0.92 * len(provider.asked_at), "refused are eight of a hundred at most"


def test_pace_wish_of_a_provider_holds_all_up_only_where_requests_come_too_fast() -> None:
    at_a_limit = Provider(lambda now: now < 5, retry_after=10)
    asked(at_a_limit, 100, 16)
    assert not [at for at in at_a_limit.asked_at if 1 < at < 5], "all wait, whoever met it"
    one_by_one = Provider(at_random(0.03), retry_after=0.5)
    asked(one_by_one, 500, 16)
    assert one_by_one.answered_a_second(0, 5) > 60


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 100), st.floats(0, 30)), max_size=200))
def test_pace_whatever_happens_stays_above_one_request_in_half_a_minute(
    events: list[tuple[bool, float, float]],
) -> None:
    pace, now = Pace(), 0.0
    for good, later, took in events:
        permit = Permit(now)
        pace.sent(permit)
        now += later
        (pace.answered if good else pace.refused)(permit, now + took)
        assert pace.bucket is None or LEAST_PER_MINUTE <= pace.bucket.per_minute < 10**7
