"""Limits divided among the processes that share a state, in either database."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from demur.engine.state.database import Transaction
from demur.engine.state.limits import StateRegistration
from demur.engine.state.shared import shared_state
from demur.lanes.engine import open_models
from demur.lanes.spec import ModelLimits, ModelSpec
from demur.lanes.throttle import shared
from demur.lanes.throttle.circuit_breaker import CircuitBreaker
from demur.lanes.throttle.limiter import Limiter
from demur.lanes.throttle.pace import LeasedBucket
from demur.lanes.throttle.shared import in_use, reset_breakers, share_limits, throttle_of
from demur.programs.errors import ErrorKind, LaneError, ProgramError
from demur.warehouse.home import Home
from tests.engine.machines import Machine, until
from tests.engine.postgres_server import Server

pytest.importorskip("demur.engine.state.postgres", reason="needs the extra state")
Machines = Callable[[], Machine]
Register = Callable[[str], StateRegistration]
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


@pytest.fixture(autouse=True)
def _alone_afterwards(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(shared._sharing, "registry", None)
    monkeypatch.setattr(shared, "_known", {})
    monkeypatch.setattr(shared, "POLL_SECONDS", 0.05)
    yield
    shared.end_sharing()


@pytest.fixture
def registered(machine: Machines) -> Register:
    """Register another process."""
    return lambda model: machine().state.registry().register(model)


def test_processes_that_begin_at_once_see_each_other(registered: Register) -> None:
    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(lambda _: registered("crowded"), range(6)))
    assert sorted(one._known for one in found) == [1, 2, 3, 4, 5, 6], "whoever comes later waits for those before"
    assert [one.active() for one in found] == [6] * 6
    found[0].unregister()
    assert found[1].active() == 5
    assert registered("another model").active() == 1


def test_process_that_no_longer_renews_gives_its_share_back(registered: Register) -> None:
    living, dead = registered("leased"), registered("leased")
    assert living.active() == 2
    dead._heartbeat.end()
    assert dead._session is not None
    dead._session.stopping_seconds = 0.0
    deadline = time.monotonic() + 120
    while living.active() == 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert living.active() == 1
    assert dead.active() == 2, "who was only slow counts again"


async def test_limits_are_divided_between_homes(server: Server, tmp_path: Path) -> None:
    one, *others = (Machine(Home(tmp_path / name), server.address) for name in ("one", "two", "three"))
    share_limits(one.state.registry())
    async with open_models([SPEC], "respondent", {}):
        throttle = throttle_of(SPEC)
        assert throttle.limiter.limit == 12
        neighbours = [other.state.registry().register(throttle.model) for other in others]
        await until(lambda: throttle.limiter.limit == 4)
        for neighbour in neighbours:
            neighbour.unregister()
        await until(lambda: throttle.limiter.limit == 12)
    for machine in (one, *others):
        machine.close()


def test_rate_taken_by_many_processes_is_one_rate(registered: Register) -> None:
    registrations = [registered("one rate") for _ in range(4)]
    began = time.monotonic()

    def take(number: int) -> float:
        taken = 0.0
        for _ in range(25):
            taken += registrations[number].take("requests", 7, 6_000.0)
        return taken

    with ThreadPoolExecutor(4) as threads:
        taken = sum(threads.map(take, range(4)))
    most = 100 * (time.monotonic() - began) + 50
    assert 50 <= taken <= most, "a hundred a second, and half a second's worth at once"
    assert registrations[0].take("requests", -3, 6_000.0) == -3
    assert registrations[1].take("tokens", 1_000, 6_000.0) == 50, "rates do not know each other"


def test_minute_of_all_processes_together_with_what_they_held_before_is_within_the_limit(
    registered: Register, machine: Machines
) -> None:
    registrations = [registered("a minute") for _ in range(4)]
    registrations[0].active()
    held = len(registrations) * LeasedBucket(200.0).wanted()
    asked = registrations[0].take("requests", 1_000, 200.0)
    bucket, other = {"model": "a minute", "rate": "requests", "most": 1.0}, machine().database

    def pass_time(transaction: Transaction) -> None:
        [(level, filled_at, _)] = transaction.run("bucket", bucket)
        transaction.run("fill_bucket", {**bucket, "level": level, "filled_at": filled_at - 0.25})

    began = time.monotonic()
    for _ in range(240):
        other.transact(pass_time)
        asked += registrations[0].take("requests", 1_000, 200.0)
    seconds_beside = time.monotonic() - began
    assert 180 <= asked + held <= 200 * (1 + seconds_beside / 60), "the loop's own time passes for the bucket too"


async def test_outage_that_one_process_finds_makes_others_probe_once(registered: Register) -> None:
    limits = ModelLimits(failures_in_a_row=2)
    finder, hearer = (
        shared.Throttle(Limiter(limits), CircuitBreaker(limits), "out", registered("out"), 1) for _ in range(2)
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

    await asyncio.wait_for(hearer.breaker.wait_until_closed(SPEC, probe), 60)
    for known in (hearer, finder, hearer):
        shared._rebalance(known)
    assert hearer.breaker.closed and len(probes) == 1, "it answers here, whatever the other still says"
    assert not finder.breaker.closed, "which finds out by itself"


class StuckRegistry:
    """A registry whose database does not answer from the second time on, until it is let."""

    remedy = "wait"
    finding = heard = None

    def __init__(self) -> None:
        self.asked, self.let = threading.Event(), threading.Event()
        self.times = 0

    def register(self, model: str) -> "StuckRegistry":
        """Register."""
        return self

    def active(self) -> int:
        """Return how many ask, late."""
        self.times += 1
        if self.times > 1:
            self.asked.set()
            self.let.wait(120)
        return 1

    def take(self, rate: str, amount: float, per_minute: float) -> float:
        """Take nothing."""
        return 0.0

    def unregister(self) -> None:
        """End the registration."""


async def test_limits_are_found_while_the_registry_does_not_answer() -> None:
    registry = StuckRegistry()
    share_limits(registry)
    with in_use(SPEC):
        assert await asyncio.to_thread(registry.asked.wait, 120)
        began = time.monotonic()
        throttle_of(SPEC)
        with in_use(SPEC.model_copy(update={"name": "n"})):
            reset_breakers()
        took = time.monotonic() - began
        registry.let.set()
    assert took < 100


async def test_limits_are_whole_where_nobody_is_to_be_met() -> None:
    with in_use(SPEC):
        assert throttle_of(SPEC).registration is None and throttle_of(SPEC).limiter.limit == 12


def test_limits_that_cannot_be_divided_say_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEMUR_STATE", raising=False)
    (tmp_path / "file").write_text("")
    share_limits(shared_state(Home(tmp_path / "file")).registry())
    said = "model 'divided': .*file/state.db, where processes divide its limits, cannot be used"
    with pytest.raises(ProgramError, match=said), in_use(SPEC):
        pass
