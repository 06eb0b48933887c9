"""How fast a provider is asked that throttles without saying how fast it may be asked."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.lanes.factory import open_models
from demur.lanes.simulator.answers import Answers
from demur.lanes.simulator.engine import SimulatorConfig
from demur.lanes.simulator.faults import SimulatorFault
from demur.lanes.simulator.serving import serve
from demur.lanes.throttle.rates import AdaptiveRate, TokenBucket
from tests.lanes.asking import KEYS, MemoryJournal, ask, spec


@pytest.mark.parametrize("configured", [None, 1_200])
async def test_limits_without_retry_after_more_is_answered_than_throttled(configured: float | None) -> None:
    """The provider takes 5 requests a second; half of all that were asked were throttled before there was a pace."""
    config = SimulatorConfig(answers=Answers.MINIMAL, latency_seconds=0.05, retry_after="", requests_per_minute=300)
    journal = MemoryJournal()
    with serve(config=config) as provider:
        limits = {"concurrency": 16, "requests_per_minute": configured, "retries": 8}
        async with open_models([spec(provider, "openai", limits=limits)], "respondent", KEYS) as models:
            answers = await asyncio.gather(*(ask(models["served"], journal, unit=f"unit-{n}") for n in range(40)))
        throttled = provider.engine.counts.faults[SimulatorFault.RATE_LIMITED]
    assert len(answers) == 40 and 0 < throttled <= 24


@given(per_second=st.floats(0.05, 200), latency=st.floats(0.001, 5), burst=st.floats(1, 30))
def test_pace_finds_the_rate_that_a_provider_takes(per_second: float, latency: float, burst: float) -> None:
    """One request after another as fast as the pace allows, by a clock of its own; each may take its time to answer."""
    provider, pace = TokenBucket(60 * per_second, least=1.0, burst_seconds=burst), AdaptiveRate()
    now, answered, throttled = 0.0, 0, 0
    for _ in range(600):
        if pace.bucket is not None:
            now += pace.bucket.wait_seconds(now)
            pace.bucket.wait_seconds(now)
            pace.bucket.level -= 1
        now += 0.001
        if provider.wait_seconds(now) > 0:
            throttled += 1
            pace.on_throttle(now)
        else:
            provider.level -= 1
            answered += 1
            pace.on_answer(now + latency / 1_000)
    assert throttled <= answered / 2
    possible = burst * max(1.0, per_second) + now * per_second
    assert answered >= min(possible, 600) / 3


def test_pace_that_was_never_throttled_is_none_and_one_that_nobody_needs_stays() -> None:
    pace = AdaptiveRate()
    for second in range(100):
        pace.on_answer(float(second))
    assert pace.bucket is None
    pace.on_throttle(100.0)
    assert pace.bucket is not None
    first = pace.bucket.per_minute
    assert 30 <= first <= 60
    for second in range(200, 2_000, 10):
        pace.on_answer(float(second))
    assert pace.bucket.per_minute == first


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 100)), max_size=200))
def test_pace_whatever_happens_stays_above_one_request_in_half_a_minute(events: list[tuple[bool, float]]) -> None:
    pace, now = AdaptiveRate(), 0.0
    for good, later in events:
        now += later
        (pace.on_answer if good else pace.on_throttle)(now)
        assert pace.bucket is None or 2.0 <= pace.bucket.per_minute < 10**7
