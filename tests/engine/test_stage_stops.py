"""After a stop nothing of a stage goes on: no unit is begun, none is left behind, no call is stored any more."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from prefect import flow

from demur.engine import concurrency
from demur.engine.context import RoundContext
from demur.engine.shard import work_shard
from demur.engine.stage import Stage, run_stage
from demur.engine.state.shared import shared_state
from demur.engine.tasks import ShardTask, StageRun
from demur.engine.units import PlannedUnit, Rows, Unit, UnitWork, planned_unit
from demur.errors import StageStopped
from demur.flows.rounds.request import read_round_config
from demur.programs.errors import LaneError
from demur.warehouse.connection import reading, writing
from demur.warehouse.errors import RowError
from demur.warehouse.home import Home
from demur.warehouse.plans import Order, PlanWriter, pending, register_plan
from demur.warehouse.transactions import Connection
from tests.engine.test_calls import CALL
from tests.flows.rounds import base_inputs, landing_bases, write_config

SHARDS, UNITS = 3, 40
"""Of each shard; the first shard ends while the others are in work."""


class Counted:
    """What became of units, by shard."""

    def __init__(self) -> None:
        self.begun = [0] * SHARDS
        self.ended = [0] * SHARDS
        self.asked: set[str] = set()

    @property
    def at_work(self) -> int:
        return sum(self.begun) - sum(self.ended)


@pytest.fixture
def context(tmp_path: Path) -> RoundContext:
    path = write_config(tmp_path, shard_size=UNITS, shards_at_once=SHARDS)
    home = Home(tmp_path / "home")
    with writing(home, wait_seconds=1):
        pass
    return RoundContext(home, read_round_config(path), tmp_path, "test", 1)


def plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    for number in range(SHARDS * UNITS):
        yield planned_unit(
            context, "ingest", ("base_id",), base_inputs(number, f"What is number {number}?", "a", "It is a.")
        )


def stage_of(first_shard: Callable[[RoundContext, Unit], Rows], counted: Counted, seconds: float) -> Stage:
    """A stage whose first shard ends at once as told, while units of the others take so long."""

    @asynccontextmanager
    async def opened(context: RoundContext) -> AsyncIterator[UnitWork]:
        async def work(unit: Unit) -> Rows:
            shard = unit.inputs["draw"] // UNITS
            counted.begun[shard] += 1
            try:
                if shard == 0:
                    while min(counted.begun) == 0:
                        await asyncio.sleep(0.01)
                    return first_shard(context, unit)
                counted.asked.add(unit.unit_id)
                await asyncio.sleep(seconds)
                assert unit.scope.call_store is not None
                await unit.scope.call_store.record(replace(CALL, call_id=unit.unit_id, round_id="test", stage="ingest"))
                return {"base_instances": [{**unit.key(context.round_id), **unit.inputs}]}
            finally:
                counted.ended[shard] += 1

        yield work

    return landing_bases(plan, opened)


def fails(context: RoundContext, unit: Unit) -> Rows:
    raise LaneError("the provider is away", kind="server")


def all_alike(context: RoundContext, unit: Unit) -> Rows:
    """Rows of which each can land, but not all of them, since they share their id: a fault of ours."""
    return {"base_instances": [{**unit.key(context.round_id), **unit.inputs, "base_id": "the same"}]}


def stored(context: RoundContext) -> list[str]:
    """Return what calls of the round are stored."""
    return sorted(str(one["call_id"]) for of in shared_state(context.home).calls_beyond("test", {}) for one in of)


def begun_until_stopped(
    context: RoundContext, first_shard: Callable[[RoundContext, Unit], Rows], error: type[Exception]
) -> set[str]:
    """Run the stage until it stops; return the units that its other shards had begun."""
    counted = Counted()

    @flow(name="stopping-stage")
    def stopping() -> None:
        with pytest.raises(error):
            run_stage(context, stage_of(first_shard, counted, seconds=1.0))
        assert counted.at_work == 0
        begun = list(counted.begun)
        calls = stored(context)
        time.sleep(0.5)
        assert counted.begun == begun
        assert calls == stored(context)

    stopping()
    assert max(counted.begun[1:]) < UNITS
    return counted.asked


@pytest.mark.usefixtures("prefect_api")
def test_stage_that_stops_leaves_no_shard_in_work(context: RoundContext) -> None:
    begun = begun_until_stopped(context, all_alike, RowError) | begun_until_stopped(context, fails, StageStopped)

    counted = Counted()
    counted.begun = [1] * SHARDS  # on a slow machine, another shard may have landed whole by now

    @flow(name="resumed-stage")
    def resumed() -> None:
        run_stage(context, stage_of(landing, counted, seconds=0.0))

    resumed()
    with reading(context.home, "loader") as con:
        assert con.execute("SELECT count(*) FROM base_instances").fetchall() == [(SHARDS * UNITS,)]
        [(calls,)] = con.execute("SELECT count(*) FROM calls").fetchall()
    assert calls >= len(begun)  # what was under way was finished and written down


def landing(context: RoundContext, unit: Unit) -> Rows:
    return {"base_instances": [{**unit.key(context.round_id), **unit.inputs}]}


def order_of(context: RoundContext) -> Order:
    with PlanWriter(context.home, "test", "ingest") as writer, writing(context.home, wait_seconds=1) as con:
        for unit in plan(context, con):
            writer.add(unit.unit_id, unit.payload, stamp=unit.stamp)
    with writing(context.home, wait_seconds=1) as con:
        register_plan(con, writer.plan)
        return next(pending(con, writer.plan, "base_instances", UNITS).orders())


async def test_shard_that_ends_with_an_error_waits_for_its_units_before_its_calls_close(
    context: RoundContext,
) -> None:
    order, recorded = order_of(context), 0

    @asynccontextmanager
    async def opened(context: RoundContext) -> AsyncIterator[UnitWork]:
        async def work(unit: Unit) -> Rows:
            nonlocal recorded
            if unit.inputs["draw"] == 0:
                await asyncio.sleep(0.05)
                raise OSError("somebody pulled the plug")
            try:
                await asyncio.sleep(60)
            finally:
                assert unit.scope.call_store is not None
                await unit.scope.call_store.record(CALL)
                recorded += 1
            return {}

        yield work

    with pytest.raises(OSError, match="pulled the plug"):
        await work_shard(context, "ingest", opened, order, 8)
    assert recorded == 7
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.parametrize("grace", [60.0, 0.0], ids=["finished", "cut-off"])
async def test_shard_whose_run_has_ended_lands_what_it_has_and_begins_nothing_more(
    context: RoundContext, grace: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Units that wait for something distant, such as a batch, are cut off when the grace is over."""
    monkeypatch.setattr(concurrency, "GRACE_SECONDS", grace)
    order, counted = order_of(context), Counted()

    @asynccontextmanager
    async def opened(context: RoundContext) -> AsyncIterator[UnitWork]:
        async def work(unit: Unit) -> Rows:
            counted.begun[0] += 1
            if counted.begun[0] > 8:
                shared_state(context.home).begin_run("test")
                await asyncio.sleep(1.0)
            return {"base_instances": [{**unit.key(context.round_id), **unit.inputs}]}

        yield work

    task = ShardTask("ingest", opened, 8, None, process="another process")
    shared_state(context.home).begin_run("test", task.run)
    report = await work_shard(context, "ingest", opened, order, 8, run=StageRun(context, task))
    assert counted.begun[0] <= 16
    assert report.halted is not None
    assert report.landed == (counted.begun[0] if grace else 8)
