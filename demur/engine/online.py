"""A stage whose units come one at a time and are answered at once, for servers and trainers.

Calls, caps, limits and tables work as in every other stage. The plan is written each time a shard is loaded, and lists
all landed units.
"""

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Final
from weakref import WeakValueDictionary

from demur.engine.budget import ShardBudget, reset_budget, shard_budget
from demur.engine.context import RoundContext, loader_reading, loader_writing
from demur.engine.loading import StageLoader, publish_home
from demur.engine.round_lock import confirm_held
from demur.engine.shard import ShardResults, outcome_of
from demur.engine.stage import Stage
from demur.engine.state.calls import CallStoreError, KnownCalls, ShardCalls
from demur.engine.state.shared import shared_state
from demur.engine.units import PlannedUnit, Rows, Unit, UnitWork
from demur.programs.call_scope import CallScope, KnownReply
from demur.programs.errors import Halted, ProgramError
from demur.warehouse.landing import ShardRows
from demur.warehouse.plans import PlanWriter, register_plan
from demur.warehouse.statements import records

UNITS_OF_SHARD: Final = 400
"""Most units of a shard."""
SECONDS_BETWEEN_COPIES: Final = 600.0
"""Shortest time between two publications of the warehouse. A publication happens only when units land."""


@dataclass(slots=True)
class _Shard:
    results: ShardResults
    opened: AsyncExitStack
    calls: ShardCalls
    budget: ShardBudget | None
    asked: int = 0
    under_way: int = 0
    is_lost: bool = False

    @property
    def is_full(self) -> bool:
        """Whether the shard takes no further unit."""
        return self.is_lost or self.asked >= UNITS_OF_SHARD


class OnlineStage:
    """A stage that works on units on demand. Known answers are not requested again."""

    def __init__(
        self,
        context: RoundContext,
        stage: Stage,
        work: UnitWork,
        unreadable_at: dict[str, str],
        landed: dict[str, str],
    ) -> None:
        self._context = context
        self._stage = stage
        self._work = work
        self._loader = StageLoader(context, stage.name)
        self._unreadable_at = unreadable_at
        self._landed = landed
        self._confirm = partial(confirm_held, context.home, context.round_id)
        self._shard: _Shard | None = None
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._opening = asyncio.Lock()
        self._landing = asyncio.Lock()
        self._ending: set[asyncio.Task[None]] = set()
        self._published = time.monotonic()

    async def rows_of(self, planned: PlannedUnit) -> Rows:
        """Return the rows of a unit. Concurrent requests for one unit are answered by one execution.

        Raises:
            ProgramError: the unit failed. The subclass `Halted` means that no further request is possible now.
        """
        turn = self._turns.setdefault(planned.unit_id, asyncio.Lock())
        async with turn:
            outcome = await self._outcome(planned)
        if isinstance(outcome, ProgramError):
            if not isinstance(outcome, Halted):
                # with the same answers the unit would fail again
                self._unreadable_at[planned.unit_id] = datetime.now(UTC).isoformat()
            raise outcome
        return outcome

    async def close(self) -> None:
        """Load all results. Afterwards, no unit may be requested."""
        if self._shard is not None and not self._shard.is_full:
            await self._ended(self._shard)
        await asyncio.gather(*self._ending)

    async def _outcome(self, planned: PlannedUnit) -> Rows | ProgramError:
        """Return the rows of a unit, or its error. A shard whose calls cannot be stored takes no further units."""
        async with self._entered() as shard:
            unit = self._unit(planned, shard, await asyncio.to_thread(self._known, planned.unit_id))
            try:
                outcome = await outcome_of(self._work, unit)
            except CallStoreError:
                shard.is_lost = True
                raise
            if not isinstance(outcome, Halted) and self._landed.get(unit.unit_id) != unit.stamp:
                shard.results.add(unit, outcome)
        return outcome

    def _known(self, unit_id: str) -> tuple[KnownReply, ...]:
        known = shared_state(self._context.home).known([unit_id]).get(unit_id, KnownCalls()).answers
        return tuple(one for one in known if one.started_at > self._unreadable_at.get(unit_id, ""))

    def _unit(self, planned: PlannedUnit, shard: _Shard, known: tuple[KnownReply, ...]) -> Unit:
        place = self._context.round_id, self._stage.name, planned.unit_id
        scope = CallScope(*place, shard.calls, known, budget=shard.budget, confirm=self._confirm)
        inputs = json.loads(planned.payload)
        return Unit(planned.unit_id, planned.stamp, inputs, planned.lever_class, planned.intensity, scope)

    @asynccontextmanager
    async def _entered(self) -> AsyncIterator[_Shard]:
        """Yield the open shard. A full shard lands after the end of its last unit."""
        async with self._opening:
            if self._shard is None or self._shard.is_full:
                self._shard = await self._opened()
            shard = self._shard
            shard.asked += 1
            shard.under_way += 1
        try:
            yield shard
        finally:
            shard.under_way -= 1
            if shard.is_full and not shard.under_way:
                self._ending.add(asyncio.create_task(self._ended(shard)))

    async def _opened(self) -> _Shard:
        context = self._context
        name = uuid.uuid4().hex
        async with AsyncExitStack() as opening:
            recorded = shared_state(context.home).calls(context.round_id, self._stage.name, name)
            calls = await opening.enter_async_context(recorded)
            results = ShardResults(context.round_id, self._stage.name, name, context.config.gates.unreadable)
            budget = shard_budget(context, self._stage.name, calls)
            return _Shard(results, opening.pop_all(), calls, budget)
        raise AssertionError("nothing in the block is suppressed")

    async def _ended(self, shard: _Shard) -> None:
        async with self._landing:
            await shard.opened.aclose()
            await asyncio.to_thread(self._land, shard)

    def _land(self, shard: _Shard) -> None:
        """Load the results of a shard, and write the plan with all landed units."""
        context = self._context
        stage = self._stage.name
        results = shard.results
        results.fail_unlandable()
        tables = results.tables()
        rows = ShardRows.of(context.round_id, stage, results.shard, tables) if tables else None
        for unit_id in results.failures:  # the plan must not name the stamp of rows that the failure replaces
            self._landed.pop(unit_id, None)
        self._landed |= {unit_id: results.stamp(unit_id) for unit_id in results.rows}
        with PlanWriter(context.home, context.round_id, stage) as writer:
            for unit_id, stamp in sorted(self._landed.items()):
                writer.add(unit_id, "", stamp=stamp)
        self._loader.ended(results.shard, rows, patient=True)
        with loader_writing(context) as con:
            register_plan(con, writer.plan)
        if time.monotonic() - self._published > SECONDS_BETWEEN_COPIES:
            publish_home(context.home)
            self._published = time.monotonic()


@asynccontextmanager
async def open_online(context: RoundContext, stage: Stage) -> AsyncIterator[OnlineStage]:
    """Yield a stage that answers requests for units in the running event loop. The caller must hold the round's lock.

    Answers that earlier processes recorded are known, even if a process was killed.
    """
    unreadable_at, landed = await asyncio.to_thread(_left, context, stage)
    async with stage.open_work(context) as work:
        online = OnlineStage(context, stage, work, unreadable_at, landed)
        try:
            yield online
        finally:
            await online.close()
            await asyncio.to_thread(_end, context, stage)


def _left(context: RoundContext, stage: Stage) -> tuple[dict[str, str], dict[str, str]]:
    """Load the results of earlier processes; return by unit the times of unreadable answers, and stamps of rows."""
    StageLoader(context, stage.name).load()
    reset_budget(context, stage.name)
    place = [context.round_id, stage.name]
    with loader_reading(context) as con:
        unreadable_at = {row["unit_id"]: row["failed_at"] for row in records(con, "unreadable_of_round", place)}
        return unreadable_at, {row["unit_id"]: row["stamp"] for row in records(con, "landed_units", place)}


def _end(context: RoundContext, stage: Stage) -> None:
    StageLoader(context, stage.name).load()
    publish_home(context.home)
