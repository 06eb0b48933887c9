"""A disk that fills or goes away while answers are written down: one message, nothing lost, and the round goes on."""

import asyncio
import resource
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from demur.engine.context import RoundContext
from demur.engine.loading import load_round_calls
from demur.engine.shard import work_shard
from demur.engine.stage import Stage
from demur.engine.state.shared import shared_state
from demur.engine.units import Rows, Unit, UnitWork
from demur.warehouse.connection import reading, writing
from demur.warehouse.errors import LandingError
from demur.warehouse.plans import Order, PlanWriter, pending, register_plan
from tests.engine.test_stage import context as context  # noqa: PLC0414  (a fixture)
from tests.engine.test_stage import the_stage

UNITS = 40
LEFT_BYTES = 120_000
"""Room for some calls, not for all."""


def order(context: RoundContext, stage: Stage) -> Order:
    """What is pending of a stage, as one order."""
    with writing(context.home, wait_seconds=1) as con:
        load_round_calls(con, shared_state(context.home), "test")
    with PlanWriter(context.home, "test", stage.name) as writer, reading(context.home, "loader") as con:
        for unit in stage.plan(context, con):
            writer.add(unit.unit_id, unit.payload, stamp=unit.stamp)
    with writing(context.home, wait_seconds=1) as con:
        register_plan(con, writer.plan)
        units = pending(con, writer.plan, stage.table, UNITS)
    [found] = units.orders()
    return found


def test_call_store_on_a_full_disk_ends_its_shard_with_one_message_and_keeps_what_was_durable(
    context: RoundContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # a cut-off cache of a module would outlive the limit
    stage = the_stage(UNITS)
    first = order(context, stage)
    shared_state(context.home).check_answers()  # a home without calls has no state; now its log is open
    log = context.home.state.with_name("state.db-wal")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size + LEFT_BYTES, hard))
    try:
        with pytest.raises(LandingError) as raised:
            asyncio.run(work_shard(context, stage.name, stage.open_work, first, 8))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    message = str(raised.value)
    assert "File too large; no more calls are stored" in message
    assert "free some space, then run the same command again" in message
    assert "\n" not in message
    again = order(context, stage)
    with reading(context.home, "loader") as con:
        [(durable,)] = con.execute("SELECT count(*) FROM calls").fetchall()
    assert 0 < durable < UNITS
    report = asyncio.run(work_shard(context, stage.name, stage.open_work, again, 8))
    assert report.landed == UNITS
    with writing(context.home, wait_seconds=1) as con:
        load_round_calls(con, shared_state(context.home), "test")
        assert con.execute("SELECT count(*) FROM calls").fetchall() == [(UNITS,)], "nothing durable is asked again"


def test_home_that_is_moved_while_a_shard_works_ends_the_shard_and_is_not_made_anew(context: RoundContext) -> None:
    stage, at_once, moved_at = the_stage(UNITS), 4, 10
    first = order(context, stage)
    home, moved = context.home.root, context.home.root.with_name("moved")
    begun = 0

    @asynccontextmanager
    async def opened(context: RoundContext) -> AsyncIterator[UnitWork]:
        async with stage.open_work(context) as work:

            async def moving(unit: Unit) -> Rows:
                nonlocal begun
                begun += 1
                if begun == moved_at:
                    home.rename(moved)
                return await work(unit)

            yield moving

    with pytest.raises(LandingError, match="moved, deleted, unmounted or replaced while work went on") as raised:
        asyncio.run(work_shard(context, stage.name, opened, first, at_once))
    assert "\n" not in str(raised.value)
    assert not home.exists()
    assert begun <= moved_at + at_once, "units in work end, and no other one begins"
    moved.rename(home)
    assert asyncio.run(work_shard(context, stage.name, stage.open_work, order(context, stage), 8)).landed == UNITS
    with writing(context.home, wait_seconds=1) as con:
        load_round_calls(con, shared_state(context.home), "test")
        assert con.execute("SELECT count(*) FROM calls").fetchall() == [(UNITS,)]
