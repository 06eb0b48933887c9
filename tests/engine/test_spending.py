"""Money under a cap: what leaves never costs more than the budget had, whichever process asks, and is killed."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from demur.engine.budget import CapReached, ShardBudget
from demur.engine.loading import load_round_calls
from demur.engine.state.calls import CallStoreError
from demur.engine.state.shared import SharedState, shared_state
from demur.lanes.costs import Meter
from demur.lanes.spec import ModelSpec
from demur.programs.call_scope import CallRecord, Reply
from demur.programs.errors import LaneError
from demur.warehouse.connection import writing
from demur.warehouse.errors import LandingError
from demur.warehouse.home import Home
from demur.warehouse.round_rows import spent
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection
from tests.engine.machines import Machine
from tests.engine.test_calls import CALL, SHARD, put
from tests.warehouse.examples import call

STAGE = SHARD[:2]
SPEC = ModelSpec.model_validate(
    {
        "name": "m",
        "provider": "openai",
        "model": "m",
        "parameters": {"max_tokens": 100},
        "prices": {"input_usd_per_million": 2.0, "output_usd_per_million": 10.0},
    }
)


def sent(number: int, usd: float) -> CallRecord:
    """A request before it leaves, which can cost so much."""
    unanswered = {"status": "error", "error_class": "unanswered", "error": "no outcome", "reply": None}
    return replace(CALL, call_id=f"c{number}", reserved_usd=usd, charged_usd=usd, cost_usd=None, **unanswered)


def answered(number: int, usd: float, cost: float) -> CallRecord:
    """The same request with its answer."""
    return replace(CALL, call_id=f"c{number}", reserved_usd=usd, charged_usd=cost, cost_usd=cost)


def funded(home: Home, usd: float) -> SharedState:
    state = shared_state(home)
    state.set_budget(*STAGE, usd)
    return state


async def test_request_that_is_too_dear_waits_for_those_under_way(home: Home, address: str | None) -> None:
    state = funded(home, 1.0)
    async with state.calls(*SHARD) as calls:
        budget = ShardBudget(calls)
        await budget.reserve(sent(1, 0.9))
        second = asyncio.create_task(budget.reserve(sent(2, 0.9)))
        await asyncio.sleep(0.05)
        assert not second.done()
        await calls.record(answered(1, 0.9, 0.1))
        budget.settle()
        await asyncio.wait_for(second, 60)
        assert state.left_usd(*STAGE) == pytest.approx(0.0)


async def test_request_is_refused_if_nothing_is_left_and_nothing_under_way(home: Home) -> None:
    state = funded(home, 1.0)
    async with state.calls(*SHARD) as calls:
        budget = ShardBudget(calls)
        await budget.reserve(sent(1, 0.9))
        waiting = asyncio.create_task(budget.reserve(sent(2, 0.9)))
        await calls.record(answered(1, 0.9, 0.9))
        budget.settle()
        with pytest.raises(CapReached, match=r"less than the \$0\.9000 that one request can cost"):
            await waiting
        await budget.reserve(sent(3, 0.05))


async def test_cancelled_request_is_not_stored_and_takes_nothing(home: Home, address: str | None) -> None:
    state = funded(home, 1.0)
    async with state.calls(*SHARD) as calls:
        budget = ShardBudget(calls)
        waiting = asyncio.create_task(budget.reserve(sent(1, 0.9)))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        async with asyncio.timeout(60):
            while True:
                with suppress(CapReached):  # until the first is deleted
                    await budget.reserve(sent(2, 0.9))
                    break
    assert state.left_usd(*STAGE) == pytest.approx(0.1)


async def test_request_that_cannot_be_stored_does_not_leave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEMUR_STATE", raising=False)
    state = funded(Home(tmp_path), 8.0)
    state.database.close()
    Home(tmp_path).state.write_text("nonsense\n" * 1000)
    async with state.calls(*SHARD) as calls:
        with pytest.raises(CallStoreError, match=r"the file is damaged"):
            await ShardBudget(calls).reserve(sent(1, 1.0))
    with pytest.raises(LandingError, match=r"state\.db: the file is damaged .*move it away.*lower budget\.max_usd"):
        state.set_budget(*STAGE, 1.0)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    total=st.floats(0, 20),
    shards=st.lists(st.lists(st.tuples(st.floats(0.001, 9), st.floats(0, 1)), max_size=8), min_size=1, max_size=3),
)
def test_shards_never_spend_more_than_the_budget_had(
    tmp_path_factory: pytest.TempPathFactory,
    address: str | None,
    total: float,
    shards: Sequence[Sequence[tuple[float, float]]],
) -> None:
    state = funded(Home(tmp_path_factory.mktemp("money")), total)
    costs: list[float] = []

    async def shard(number: int, asked: Sequence[tuple[float, float]]) -> None:
        async with state.calls(*STAGE, f"s{number}") as calls:
            budget = ShardBudget(calls)

            async def request(at: int, usd: float, share: float) -> None:
                name = 100 * number + at
                try:
                    await budget.reserve(sent(name, usd))
                except CapReached:
                    return
                await calls.record(answered(name, usd, usd * share))
                budget.settle()
                costs.append(usd * share)

            await asyncio.wait_for(asyncio.gather(*(request(at, *one) for at, one in enumerate(asked))), 120)

    async def all_shards() -> None:
        await asyncio.gather(*(shard(number, asked) for number, asked in enumerate(shards)))

    asyncio.run(all_shards())
    assert sum(costs) <= total + 1e-6
    assert state.left_usd(*STAGE) == pytest.approx(total - sum(costs), abs=1e-6)


async def test_requests_of_a_dead_process_count_at_their_worst_until_their_outcome_is_found(home: Home) -> None:
    state = funded(home, 3.0)
    async with state.calls(*SHARD) as calls:
        for number in range(3):
            await ShardBudget(calls).reserve(sent(number, 1.0))
    assert state.left_usd(*STAGE) == pytest.approx(0.0)
    later = Machine(home, None).state
    [first, second, third] = later.known(["u0"])["u0"].unanswered
    assert later.known(["u0"])["u0"].answers == [] and first.shard == SHARD[2]
    with writing(home, wait_seconds=1) as con:
        load_round_calls(con, later, "r")
        assert spent(con, "r")["respond"].unsure_usd == pytest.approx(3.0)
        priced = list(records(con, "unanswered_calls", ["r", "respond"]))
    later.set_budget(*STAGE, 0.5, [{**one, "usd": 0.5} for one in priced])
    async with later.calls(*STAGE, "another") as calls:
        budget = ShardBudget(calls)
        budget.adopt(second)
        await calls.record(answered(int(second.call_id[1:]), 1.0, 0.1))
        budget.settle()
        assert later.left_usd(*STAGE) == pytest.approx(0.5 + 0.5 - 0.1)
    assert len(later.known(["u0"])["u0"].answers) == 1
    with writing(home, wait_seconds=1) as con:
        load_round_calls(con, later, "r")
        after = spent(con, "r")["respond"]
        assert after.counted_usd - after.unsure_usd == pytest.approx(0.1), "the copy has the outcome too"


def test_costs_that_are_not_known_count_in_sql_as_they_do_in_the_meter(home: Home) -> None:
    meter = Meter(SPEC, SPEC.prices)
    costs = [0.001 * number for number in range(5, 40)]
    for usd in costs:
        meter.charge(1.0, Reply("a", input_tokens=0, output_tokens=round(usd * 1e5)))
    reserved = {"reserved_usd": 1.0, "charged_usd": 1.0, "fingerprint": "f"}
    nothing = {"status": "error", "reply": None, "input_tokens": None, "cost_usd": None}
    state = shared_state(home)
    ended = [LaneError("gone", kind=kind) for kind in ("timeout", "server", "lost", "protocol", "connection")]
    put(
        state,
        *(call(number, **{**reserved, "cost_usd": usd, "charged_usd": usd}) for number, usd in enumerate(costs)),
        *(call(100 + n, **reserved, **nothing, error_class=e.kind.value) for n, e in enumerate(ended)),
    )
    with writing(home, wait_seconds=0) as con:
        fold(con, home, state)
        found = dict(con.execute("SELECT call_id, unsure_usd FROM call_costs WHERE cost_usd IS NULL").fetchall())
    for error in ended:
        error.may_be_billed = True
    expected = [meter.charge(1.0, error).counted_usd for error in ended]  # the last knows of all, as the ledger does
    in_sql = [found[str(call(100 + number)["call_id"])] for number in range(len(ended))]
    assert in_sql[-1] == pytest.approx(expected[-1])
    assert in_sql == pytest.approx(expected, rel=0.1)


def fold(con: Connection, home: Home, state: SharedState) -> None:
    load_round_calls(con, state, "r1")
