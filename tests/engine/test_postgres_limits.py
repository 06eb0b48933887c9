"""Limits divided over a real PostgreSQL server, started in a folder of its own."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from demur.engine.shard_tasks import limits_registry, postgres_registry
from demur.errors import ConfigError
from demur.lanes.factory import open_models
from demur.lanes.spec import ModelLimits, ModelSpec
from demur.lanes.throttle import shared
from demur.lanes.throttle.circuit_breaker import CircuitBreaker
from demur.lanes.throttle.limiter import Limiter
from demur.lanes.throttle.process_registry import FolderRegistry, Lapsed, Registry
from demur.lanes.throttle.rates import LeasedBucket
from demur.lanes.throttle.shared import in_use, share_limits, throttle_of
from demur.programs.errors import ErrorKind, LaneError, ProgramError
from demur.warehouse.home import Home
from tests.engine.postgres_server import Server, started

postgres_limits = pytest.importorskip("demur.engine.postgres_limits", reason="needs the extra state")
SPEC = ModelSpec.model_validate(
    {
        "name": "divided",
        "provider": "openai",
        "model": "gpt-divided",
        "base_url": "http://127.0.0.1:9/v1",
        "parameters": {"max_tokens": 9},
        "limits": {"concurrency": 12},
    }
)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with started() as one:
        yield one


@pytest.fixture(autouse=True)
def _alone_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared._sharing, "registry", None)
    monkeypatch.setattr(shared, "POLL_SECONDS", 0.05)


def other(server: Server) -> Registry:
    """The registry as another process has it."""
    registry: Registry = postgres_limits.PostgresRegistry(server.address)
    return registry


def test_processes_that_begin_at_once_see_each_other(server: Server) -> None:
    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(lambda _: other(server).register("crowded"), range(6)))
    assert sorted(one._known for one in found) == [1, 2, 3, 4, 5, 6], "whoever comes later waits for those before"
    assert [one.active() for one in found] == [6] * 6
    found[0].unregister()
    assert found[1].active() == 5
    assert other(server).register("another model").active() == 1


def test_process_that_no_longer_renews_gives_its_share_back(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_limits, "LEASE_SECONDS", 0.3)
    living, dead = other(server).register("leased"), other(server).register("leased")
    assert living.active() == 2
    deadline = time.monotonic() + 10
    while living.active() == 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert living.active() == 1
    assert dead.active() == 2, "who was only slow counts again"


async def test_limits_are_divided_between_homes(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DEMUR_STATE", server.address)
    share_limits(limits_registry(Home(tmp_path)))
    async with open_models([SPEC], "respondent", {}):
        throttle = throttle_of(SPEC)
        assert throttle.limiter.limit == 12
        neighbours = [other(server).register(throttle.model) for _ in range(2)]
        await until(lambda: throttle.limiter.limit == 4)
        for neighbour in neighbours:
            neighbour.unregister()
        await until(lambda: throttle.limiter.limit == 12)
    assert not (tmp_path / "limits").exists()


def test_process_that_cannot_renew_stops_asking_until_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    with started() as server:
        mine = other(server).register("cut off")
        server.stop()
        assert mine.active() == 1, "a short silence changes nothing"
        monkeypatch.setattr(postgres_limits, "STOPPING_SECONDS", 0.0)
        with pytest.raises(Lapsed):
            mine.active()
        throttle = shared.Throttle(shared.Limiter(SPEC.limits), shared.CircuitBreaker(SPEC.limits), "cut off", mine, 1)
        shared._rebalance(throttle)
        assert throttle.limiter.try_acquire(1) > 5
        server.start()
        time.sleep(1.0)  # as long as a database is left alone that has just not answered
        assert mine.active() == 1


def test_database_that_does_not_answer_is_named_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "REGISTERING_SECONDS", 0.0)
    share_limits(postgres_registry("postgresql://demur:secret-word@127.0.0.1:9/state"))
    place = r"postgresql://127.0.0.1:9/state, where processes divide its"
    with pytest.raises(ProgramError, match=place) as caught, in_use(SPEC.model_copy(update={"model": "unregistered"})):
        pass
    assert "secret-word" not in str(caught.value) and "check DEMUR_STATE" in str(caught.value)
    with pytest.raises(ConfigError, match=r"DEMUR_STATE 'mysql:\.\.\.' is no address of a PostgreSQL"):
        postgres_registry("mysql://demur:secret-word@host/state")


def test_limits_stay_in_the_home_where_no_state_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEMUR_STATE", raising=False)
    assert limits_registry(Home(tmp_path)) == FolderRegistry(tmp_path / "limits")


def test_rate_taken_by_many_processes_is_one_rate(server: Server) -> None:
    registrations = [other(server).register("one rate") for _ in range(4)]
    began = time.monotonic()

    def take(number: int) -> float:
        taken = 0.0
        for _ in range(25):
            taken += registrations[number].take("requests", 7, 6_000.0)  # type: ignore[attr-defined]
        return taken

    with ThreadPoolExecutor(4) as threads:
        taken = sum(threads.map(take, range(4)))
    most = 100 * (time.monotonic() - began) + 50
    assert 50 <= taken <= most, "a hundred a second, and half a second's worth at once"
    assert registrations[0].take("requests", -3, 6_000.0) == -3  # type: ignore[attr-defined]
    assert registrations[1].take("tokens", 1_000, 6_000.0) == 50, "rates do not know each other"  # type: ignore[attr-defined]


def test_minute_of_all_processes_together_with_what_they_held_before_is_within_the_limit(server: Server) -> None:
    registrations = [other(server).register("a minute") for _ in range(4)]
    registrations[0].active()
    held = len(registrations) * LeasedBucket(200.0).wanted()
    asked = registrations[0].take("requests", 1_000, 200.0)  # type: ignore[attr-defined]
    later = "UPDATE demur.buckets SET filled_at = filled_at - interval '250 ms' WHERE model = 'a minute'"
    for _ in range(240):
        other(server).database.transact(lambda con: con.execute(later))
        asked += registrations[0].take("requests", 1_000, 200.0)  # type: ignore[attr-defined]
    assert 180 <= asked + held <= 200


async def test_process_that_asks_alone_has_the_whole_rate_and_seldom_waits(server: Server) -> None:
    limits = ModelLimits(concurrency=8, requests_per_minute=1_200)
    asking, idle = Limiter(limits), Limiter(limits)
    registrations = [other(server).register("fed") for _ in range(2)]
    for limiter, registration in zip((asking, idle), registrations, strict=True):
        limiter.share(2)
        limiter.lease_rates()
        limiter.refill(registration.take)  # type: ignore[attr-defined]
    ended = threading.Event()

    def feed() -> None:
        while not ended.wait(0.1):
            for limiter, registration in zip((asking, idle), registrations, strict=True):
                limiter.refill(registration.take)  # type: ignore[attr-defined]

    threading.Thread(target=feed, daemon=True).start()
    try:
        waited, granted, began = 0.0, 0, time.monotonic()
        while time.monotonic() < began + 2.0:
            asked_at = time.monotonic()
            permit = await asyncio.wait_for(asking.acquire(), 10)
            waited, granted = waited + time.monotonic() - asked_at, granted + 1
            asking.release(permit, None)
            await asyncio.sleep(0.07)
    finally:
        ended.set()
    assert granted <= 20 * (time.monotonic() - began) + 21, "the rate, and half a second's worth at once, and held"
    assert waited / granted < 0.05, "portions are there before they are needed"


async def test_outage_that_one_process_finds_makes_others_probe_once(server: Server) -> None:
    limits = ModelLimits(failures_in_a_row=2)
    finder, hearer = (
        shared.Throttle(Limiter(limits), CircuitBreaker(limits), "out", other(server).register("out"), 1)
        for _ in range(2)
    )
    down = LaneError("HTTP 503: away", kind=ErrorKind.SERVER)
    finder.breaker.record(down)
    shared._rebalance(finder)
    shared._rebalance(hearer)
    assert hearer.breaker.closed, "one failure is no outage"
    finder.breaker.record(down)
    shared._rebalance(finder)
    shared._rebalance(hearer)
    assert not hearer.breaker.closed
    probes = []

    async def probe() -> None:
        probes.append(1)

    await asyncio.wait_for(hearer.breaker.wait_until_closed(SPEC, probe), 10)
    for known in (hearer, finder, hearer):
        shared._rebalance(known)
    assert hearer.breaker.closed and len(probes) == 1, "it answers here, whatever the other still says"
    assert not finder.breaker.closed, "which finds out by itself"


async def until(condition: Callable[[], bool]) -> None:
    """Wait until something holds, for half a minute at most."""
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.02)
