"""How fast a model is asked, and when it is asked no more: limiter and breaker by a clock of the test's own."""

import asyncio
from threading import Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.lanes.spec import ModelLimits, ModelSpec
from demur.lanes.throttle.circuit_breaker import DEAD, DOWN, CircuitBreaker, remedy
from demur.lanes.throttle.limiter import Limiter
from demur.lanes.throttle.shared import divide_limits, reset_breakers, throttle_of
from demur.programs.errors import ErrorKind, LaneError, ModelUnavailable

SPEC = ModelSpec.model_validate({"name": "m", "provider": "openai", "model": "gpt", "parameters": {"max_tokens": 9}})


class Clock:
    """A clock that goes on only where somebody sleeps."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1_000.0
        real = asyncio.sleep

        async def sleep(seconds: float) -> None:
            self.now += seconds
            await real(0)

        monkeypatch.setattr(asyncio, "sleep", sleep)

    def __call__(self) -> float:
        return self.now


async def send(limiter: Limiter, tokens: int = 0, error: LaneError | None = None, used: int | None = None) -> float:
    permit = await limiter.acquire(tokens)
    limiter.release(permit, error, used)
    return permit.granted_at


async def test_limiter_requests_a_minute_are_spread_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    limiter = Limiter(ModelLimits(requests_per_minute=60, concurrency=4), clock)
    began = [await send(limiter) for _ in range(120)]
    assert max(sum(start <= at < start + 60 for at in began) for start in began) <= 61
    assert began[-1] - began[0] == pytest.approx(119, abs=1)


async def test_limiter_tokens_a_minute_count_what_was_used_once_it_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    limiter = Limiter(ModelLimits(tokens_per_minute=6_000, concurrency=4), clock)
    frugal = [await send(limiter, tokens=1_000, used=100) for _ in range(61)]
    assert frugal[-1] - frugal[0] == pytest.approx(60, abs=2)
    greedy = [await send(limiter, tokens=1_000) for _ in range(7)]
    assert greedy[-1] - greedy[0] == pytest.approx(60, abs=2)


async def test_limiter_other_errors_do_not_slow_down(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    limiter = Limiter(ModelLimits(concurrency=8), clock)
    for kind in set(ErrorKind) - {ErrorKind.RATE_LIMIT}:
        for _ in range(20):
            await send(limiter, error=LaneError("no", kind=kind, retry_after_seconds=40))
    assert await send(limiter) == 1_000.0


async def test_limiter_slowed_down_lets_all_wait_as_long_as_the_provider_says(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    limiter = Limiter(ModelLimits(concurrency=1), clock)
    wish = LaneError("slower", kind="rate_limit", retry_after_seconds=40)
    began = await send(limiter, error=wish)
    others = await asyncio.gather(*(send(limiter) for _ in range(5)))
    assert min(others) >= began + 40
    await send(limiter, error=LaneError("slower", kind="rate_limit", retry_after_seconds=4_000))
    assert await send(limiter) < clock.now + 40


async def test_limiter_cancelled_while_waiting_leaves_its_place_to_others() -> None:
    limiter = Limiter(ModelLimits(concurrency=1))
    held = await limiter.acquire()
    first, second = (asyncio.create_task(limiter.acquire()) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.sleep(0)
    limiter.release(held, None)
    limiter.release(await asyncio.wait_for(second, 60), None)
    assert first.cancelled()


async def test_limiter_granted_and_cancelled_at_once_gives_the_slot_on() -> None:
    limiter = Limiter(ModelLimits(concurrency=1))
    held = await limiter.acquire()
    unlucky, next_one = (asyncio.create_task(limiter.acquire()) for _ in range(2))
    await asyncio.sleep(0)
    limiter.release(held, None)
    unlucky.cancel()
    limiter.release(await asyncio.wait_for(next_one, 60), None)


def test_limiter_holds_across_threads_with_event_loops_of_their_own() -> None:
    limiter = Limiter(ModelLimits(concurrency=3))
    at_once, most, sent = 0, 0, 0

    async def work() -> None:
        async def one() -> None:
            nonlocal at_once, most, sent
            permit = await limiter.acquire()
            at_once += 1
            most = max(most, at_once)
            await asyncio.sleep(0.002)
            at_once -= 1
            sent += 1
            limiter.release(permit, None)

        await asyncio.gather(*(one() for _ in range(50)))

    threads = [Thread(target=lambda: asyncio.run(work())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (sent, most) == (200, 3)


@given(ends=st.lists(st.sampled_from([None, *ErrorKind]), max_size=60), most=st.integers(1, 20))
def test_limiter_whatever_happens_at_least_one_and_at_most_the_limit_are_under_way(
    ends: list[ErrorKind | None], most: int
) -> None:
    async def run(clock: Clock) -> None:
        limiter = Limiter(ModelLimits(concurrency=most), clock)
        for kind in ends:
            await send(limiter, error=LaneError("no", kind=kind) if kind else None)
            assert 1 <= limiter.limit <= most
        permits = [await asyncio.wait_for(limiter.acquire(), 60) for _ in range(limiter.limit)]
        for permit in permits:
            limiter.cancel(permit)

    with pytest.MonkeyPatch.context() as monkeypatch:
        asyncio.run(run(Clock(monkeypatch)))


class Probe:
    """Answers probes by a list of what is wrong."""

    def __init__(self, *errors: LaneError | None) -> None:
        self.errors = list(errors)
        self.sent = 0

    async def __call__(self) -> LaneError | None:
        self.sent += 1
        return self.errors.pop(0) if self.errors else None


def breaker(clock: Clock | None = None, **limits: Any) -> CircuitBreaker:
    return CircuitBreaker(ModelLimits(**limits), **({"clock": clock} if clock else {}))


@pytest.mark.parametrize("kind", sorted(DOWN))
async def test_breaker_opens_after_so_many_failures_in_a_row_and_closes_with_a_probe(
    kind: ErrorKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, down = Clock(monkeypatch), LaneError("no", kind=kind)
    model = breaker(clock, failures_in_a_row=3)
    for error in (down, down, None, down, down, LaneError("no", kind="context_length"), down, down):
        model.record(error)
    assert model.closed
    model.record(down)
    assert not model.closed
    probe = Probe(down, down)
    await asyncio.gather(*(model.wait_until_closed(SPEC, probe) for _ in range(20)))
    assert model.closed and probe.sent == 3


async def test_breaker_gives_up_after_the_time_for_retries_with_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, down = Clock(monkeypatch), LaneError("refused", kind="connection")
    model = breaker(clock, failures_in_a_row=1, retry_seconds=100)
    began = clock.now
    model.record(down)
    probe = Probe(*[down] * 99)
    outcomes = await asyncio.gather(*(model.wait_until_closed(SPEC, probe) for _ in range(20)), return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {ModelUnavailable}
    assert len({str(outcome) for outcome in outcomes}) == 1 and "Is the provider (openai) up" in str(outcomes[0])
    assert probe.sent < 10 and clock.now - began <= 130


@pytest.mark.parametrize("kind", sorted(DEAD))
async def test_breaker_asks_at_once_where_key_or_account_is_refused(kind: ErrorKind) -> None:
    dead = LaneError("no", kind=kind)
    model = breaker()
    model.record(dead)
    probe = Probe(dead)
    with pytest.raises(ModelUnavailable) as caught:
        await model.wait_until_closed(SPEC, probe)
    assert caught.value.kind is kind and probe.sent == 1
    model.reset()
    assert model.closed


@pytest.mark.parametrize("kind", sorted(DEAD))
async def test_breaker_of_a_model_that_has_answered_probes_as_long_as_for_one_that_is_down(
    kind: ErrorKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, dead = Clock(monkeypatch), LaneError("no", kind=kind)
    model = breaker(clock, retry_seconds=100)
    model.record(None)
    model.record(dead)
    assert await model.wait_until_closed(SPEC, Probe(dead, dead)), "the model was down, not the request at fault"
    model.record(dead)
    assert not await model.wait_until_closed(SPEC, Probe()), "the request was at fault"
    model.record(dead)
    probe, began = Probe(*[dead] * 99), clock.now
    with pytest.raises(ModelUnavailable):
        await model.wait_until_closed(SPEC, probe)
    assert 50 <= clock.now - began <= 130 and 5 <= probe.sent < 10


async def test_breaker_whose_prober_was_cancelled_lets_another_probe() -> None:
    model = breaker()
    model.record(LaneError("no", kind="quota"))

    async def never() -> LaneError | None:
        await asyncio.Event().wait()
        return None

    prober = asyncio.create_task(model.wait_until_closed(SPEC, never))
    await asyncio.sleep(0.01)
    prober.cancel()
    await asyncio.wait_for(model.wait_until_closed(SPEC, Probe()), 60)
    assert model.closed


def test_shared_limits_are_those_of_one_model_whatever_its_name() -> None:
    other = SPEC.model_copy(update={"name": "n", "tags": {"a": 1}})
    assert throttle_of(SPEC) is throttle_of(other)
    assert throttle_of(SPEC) is not throttle_of(SPEC.model_copy(update={"model": "gpt-2"}))
    throttle_of(SPEC).breaker.record(LaneError("no", kind="rate_limit", retry_after_seconds=9_999))
    assert not throttle_of(other).breaker.closed
    reset_breakers()
    assert throttle_of(other).breaker.closed


async def test_limiter_that_shares_asks_its_part_and_all_again_when_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    limiter = Limiter(ModelLimits(requests_per_minute=600, concurrency=16), clock)
    limiter.share(4)
    assert limiter.limit == 4
    began = [await send(limiter) for _ in range(50)]
    assert began[-1] - began[10] == pytest.approx(39 / 2.5, abs=0.5)
    limiter.share(1)
    assert limiter.limit == 16
    began = [await send(limiter) for _ in range(50)]
    assert began[-1] - began[10] == pytest.approx(3.9, abs=0.5)


def test_limits_of_models_that_are_known_and_of_later_ones_are_divided() -> None:
    limits = ModelLimits(concurrency=12)
    known, later = (SPEC.model_copy(update={"model": name, "limits": limits}) for name in ("known", "later"))
    assert throttle_of(known).limiter.limit == 12
    divide_limits(4)
    assert [throttle_of(one).limiter.limit for one in (known, later)] == [3, 3]


async def test_limiter_shared_by_more_than_it_has_slots_keeps_one_and_frees_the_waiting_later() -> None:
    limiter = Limiter(ModelLimits(concurrency=2))
    limiter.share(5)
    permit = await limiter.acquire()
    waiting = asyncio.create_task(limiter.acquire())
    await asyncio.sleep(0.01)
    assert limiter.limit == 1 and not waiting.done()
    alone = Thread(target=limiter.share, args=(1,))
    alone.start()
    alone.join()
    limiter.release(await asyncio.wait_for(waiting, 60), None)
    limiter.release(permit, None)


@pytest.mark.parametrize(
    ("provider", "base_url", "hint"),
    [
        ("openai", "http://127.0.0.1:8000", "And base_url: for provider openai it mostly ends in /v1"),
        ("openai", "http://127.0.0.1:8000/v1/", ""),
        ("anthropic", "http://127.0.0.1:8000/v1", "And base_url: for provider anthropic it has no /v1 at its end"),
        ("anthropic", "http://127.0.0.1:8000", ""),
        ("anthropic", None, ""),
    ],
)
def test_remedy_where_nothing_is_found_looks_at_the_address(provider: str, base_url: str | None, hint: str) -> None:
    spec = ModelSpec.model_validate({**SPEC.model_dump(), "provider": provider, "base_url": base_url})
    said = remedy(spec, LaneError("HTTP 404: none", kind="not_found"))
    assert said.startswith("Is 'gpt' a model of ") and said.partition("?")[2].strip() == hint
