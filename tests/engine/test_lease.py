"""Leases of shards: what is set aside and counted never exceeds what was granted, whatever order things come in."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from demur.engine.lease import CapReached, ShardLease
from demur.engine.state.ledger import StageLedger
from demur.engine.state.shared import shared_state
from demur.warehouse.errors import LandingError
from demur.warehouse.home import Home


def ledger(folder: Path, usd: float) -> StageLedger:
    made = shared_state(Home(folder)).ledger("r", "generate")
    made.reset(usd)
    return made


async def test_lease_request_that_is_too_dear_waits_for_those_under_way(tmp_path: Path) -> None:
    lease = ShardLease(ledger(tmp_path, 1.0), "s")
    await lease.reserve(0.9)
    second = asyncio.create_task(lease.reserve(0.9))
    await asyncio.sleep(0.05)
    assert not second.done()
    lease.settle(0.9, 0.1)
    await asyncio.wait_for(second, 60)


async def test_lease_nothing_left_and_nothing_under_way_is_refused(tmp_path: Path) -> None:
    lease = ShardLease(ledger(tmp_path, 1.0), "s")
    await lease.reserve(0.9)
    waiting = asyncio.create_task(lease.reserve(0.9))
    lease.settle(0.9, 0.9)
    with pytest.raises(CapReached, match=r"less than the \$0\.9000 that one request can cost"):
        await waiting
    await lease.reserve(0.05)


async def test_lease_cancelled_waiter_holds_nothing(tmp_path: Path) -> None:
    made = ledger(tmp_path, 1.0)
    lease = ShardLease(made, "s")
    await lease.reserve(0.9)
    waiting = asyncio.create_task(lease.reserve(0.9))
    await asyncio.sleep(0.02)
    waiting.cancel()
    lease.settle(0.9, 0.1)
    await lease.reserve(0.9)
    lease.settle(0.9, 0.0)
    await lease.aclose()
    assert made.left_usd() == pytest.approx(0.9)


async def test_lease_till_gone_is_an_error_for_everybody_who_waits(tmp_path: Path) -> None:
    (tmp_path / "gone").write_text("")
    lease = ShardLease(shared_state(Home(tmp_path / "gone")).ledger("r", "generate"), "s")
    ended = await asyncio.gather(lease.reserve(1.0), lease.reserve(2.0), return_exceptions=True)
    assert [type(one) for one in ended] == [LandingError, LandingError]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    total=st.floats(0, 20),
    shards=st.lists(
        st.lists(
            st.tuples(st.floats(0.01, 5), st.floats(0, 1), st.sampled_from(["answered", "lost"])),
            max_size=12,
        ),
        min_size=1,
        max_size=3,
    ),
)
def test_leases_of_several_shards_never_spend_more_than_the_till_had(
    tmp_path_factory: pytest.TempPathFactory,
    total: float,
    shards: list[list[tuple[float, float, str]]],
) -> None:
    """An answer that is lost counts at its worst case."""
    made = ledger(tmp_path_factory.mktemp("ledger"), total)
    billed = 0.0

    async def request(lease: ShardLease, usd: float, share: float, fate: str) -> None:
        nonlocal billed
        try:
            await lease.reserve(usd)
        except CapReached:
            return
        counted = usd if fate == "lost" else usd * share
        billed += counted
        assert billed <= total + 1e-6
        await asyncio.sleep(0)
        lease.settle(usd, counted)

    async def shard(number: int, requests: list[tuple[float, float, str]]) -> None:
        lease = ShardLease(made, f"s{number}")
        await asyncio.wait_for(asyncio.gather(*(request(lease, *one) for one in requests)), 60)
        await lease.aclose()

    async def all_shards() -> None:
        await asyncio.gather(*(shard(number, requests) for number, requests in enumerate(shards)))

    asyncio.run(all_shards())
    assert made.left_usd() == pytest.approx(total - billed, abs=1e-6)
