"""One shard of a stage: its units worked on concurrently, every answer journalled, the rows landed together."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from demur.flows.batching.book import StageBatches
from demur.flows.context import RoundContext
from demur.flows.journal import ShardJournal
from demur.flows.memory import spare_what_stays
from demur.flows.money.budget import till_of
from demur.flows.money.lease import CapReached, ShardLease, shard_lease
from demur.flows.progress import observer
from demur.programs.errors import Halted, LaneError, ProgramError, ReplyError
from demur.programs.journal import CallScope, KnownReply, Reply, call_scope, read_logprobs
from demur.warehouse.landing import land
from demur.warehouse.units import Order, OrderUnit, read_order

BEGUN_AT_ONCE: Final = 16
"""After so many units have been made ready the first requests are sent, while the next ones are."""

Row = Mapping[str, object]
Rows = Mapping[str, Sequence[Row]]


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit of work: its id, the inputs that were planned for it, and the stratum it belongs to."""

    unit_id: str
    inputs: dict[str, Any]
    lever_class: str | None
    intensity: str | None
    scope: CallScope

    def key(self, round_id: str) -> dict[str, object]:
        """Return the columns that every row of this unit begins with."""
        return {"round_id": round_id, "unit_id": self.unit_id}


UnitWork = Callable[[Unit], Awaitable[Rows]]
"""Does one unit: returns its rows by table, or raises ProgramError where it ends without a result."""

OpenWork = Callable[[RoundContext], AbstractAsyncContextManager[UnitWork]]
"""Opens what a stage's units need (models, programs) for the running event loop."""


@dataclass(frozen=True, slots=True)
class ShardReport:
    """How a shard ended: units with rows and units without.

    `halted` says why the rest was left pending, `lacking_usd`, where that is for want of money, what one more
    request could cost.
    """

    shard: str
    landed: int
    failed: int
    halted: str | None = None
    lacking_usd: float | None = None


async def work_shard(
    context: RoundContext, stage: str, open_work: OpenWork, order: Order, concurrency: int
) -> ShardReport:
    """Work on every unit of an order and land all rows at once.

    Where nothing more can be asked for now (`Halted`), what is under way is finished and no further unit begun.

    Raises:
        LandingError: rows cannot be written; answers stay in the journal.
    """
    gathered: dict[str, list[Row]] = {}
    failures: list[Row] = []
    landed = 0
    halted: Halted | None = None
    journal_path = context.home.journals(context.round_id, stage) / f"{order.shard}.jsonl"
    till = till_of(context, stage)
    async with (
        shard_lease(till, order.shard) as lease,
        ShardJournal(journal_path) as journal,
        open_work(context) as work,
    ):
        spare_what_stays()
        units = _Feed(_units(context, stage, order, journal, lease))
        async for unit, outcome in _each(work, units, concurrency):
            if isinstance(outcome, Halted):
                halted = halted or outcome
                units.stopped = True
                continue
            if isinstance(outcome, ProgramError):
                failures.append(_failure(context, stage, unit, outcome))
            else:
                landed += 1
                for table, rows in outcome.items():
                    gathered.setdefault(table, []).extend(rows)
            observer().advanced(stage, 1)
    tables: dict[str, Sequence[Row]] = {**gathered}
    if failures:
        tables["failures"] = failures
    if tables or halted is None:
        land(context.home, context.round_id, stage, order.shard, tables)
    order.path.unlink(missing_ok=True)
    why = None if halted is None else str(halted)
    lacking = halted.usd if isinstance(halted, CapReached) else None
    return ShardReport(order.shard, landed, len(failures), why, lacking)


@dataclass(slots=True)
class _Feed:
    """Units one by one, until somebody says stop."""

    units: Iterator[Unit]
    stopped: bool = False

    def __iter__(self) -> Iterator[Unit]:
        return self

    def __next__(self) -> Unit:
        if self.stopped:
            raise StopIteration
        return next(self.units)


async def _each(
    work: UnitWork, units: Iterator[Unit], concurrency: int
) -> AsyncIterator[tuple[Unit, Rows | ProgramError]]:
    """Yield each unit with its rows or its error, as they end, `concurrency` at a time."""

    async def one(unit: Unit) -> tuple[Unit, Rows | ProgramError]:
        with call_scope(unit.scope):
            try:
                return unit, await work(unit)
            except ProgramError as exc:
                return unit, exc

    running: set[asyncio.Task[tuple[Unit, Rows | ProgramError]]] = set()
    ended: asyncio.Queue[asyncio.Task[tuple[Unit, Rows | ProgramError]]] = asyncio.Queue()
    begun = 0
    try:
        while True:
            while len(running) < concurrency and (unit := next(units, None)) is not None:
                task = asyncio.create_task(one(unit))
                task.add_done_callback(ended.put_nowait)
                running.add(task)
                begun += 1
                if begun % BEGUN_AT_ONCE == 0:
                    await asyncio.sleep(0)
            if not running:
                return
            task = await ended.get()
            running.remove(task)
            yield task.result()
    finally:
        for task in running:
            task.cancel()


def _units(
    context: RoundContext, stage: str, order: Order, journal: ShardJournal, lease: ShardLease | None
) -> Iterator[Unit]:
    batches = StageBatches(context.home, context.round_id, stage)
    for planned in read_order(order.path):
        scope = CallScope(
            context.round_id, stage, planned.unit_id, journal, _known(planned), purse=lease, batches=batches
        )
        yield Unit(planned.unit_id, json.loads(planned.payload), planned.lever_class, planned.intensity, scope)


def _known(planned: OrderUnit) -> tuple[KnownReply, ...]:
    return tuple(
        KnownReply(
            known.call_id,
            known.request_digest,
            known.attempt,
            Reply(
                known.reply,
                known.finish_reason or "stop",
                known.input_tokens,
                known.output_tokens,
                known.cached_tokens,
                known.reasoning_tokens,
                logprobs=read_logprobs(known.logprobs),
            ),
        )
        for known in planned.known
    )


def _failure(context: RoundContext, stage: str, unit: Unit, error: ProgramError) -> Row:
    detail = str(error)
    if isinstance(error, ReplyError):
        detail = f"{detail}; the reply as it came: {error.reply}"
    return {
        **unit.key(context.round_id),
        "stage": stage,
        "class": unit.lever_class,
        "intensity": unit.intensity,
        "reason": error.kind if isinstance(error, LaneError) else "unreadable",
        "detail": detail[:20_000],
        "call_id": unit.scope.last_call_id,
        "failed_at": datetime.now(UTC),
    }
