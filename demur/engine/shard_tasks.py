"""Shards as Prefect tasks, in the flow's own process or in workers of a cluster."""

import time
import uuid
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.futures import PrefectFuture

from demur.configuration.settings import state_named
from demur.engine.concurrency import POLL_SECONDS
from demur.engine.context import LOADER_WAIT_SECONDS, RoundContext
from demur.engine.first_wave import first_waves
from demur.engine.progress import observer
from demur.engine.reply_key import ReplyKey
from demur.engine.round_lock import check_held
from demur.engine.shard import LeavingOut, ShardReport, work_shard
from demur.engine.state.processes import this_machine
from demur.engine.state.shared import shared_state
from demur.engine.task_engine import PROCESS, check_shares_state, enter_worker, portable, submit
from demur.engine.units import OpenWork
from demur.lanes.throttle.shared import share_limits
from demur.warehouse.errors import WarehouseError
from demur.warehouse.units import Order

_runs: Final[set[str]] = set()
"""Runs of stages of this process that have not ended."""


@dataclass(frozen=True, slots=True)
class ShardTask:
    """The settings of a stage for workers, without the stage's plan. The settings are picklable.

    Attributes:
        stage: The name of the stage.
        open_work: Opens models and programs.
        concurrency: The number of units in work at a time.
        reply_key: The key of the stage's replies.
        run: The id of this run of the stage.
        process: The id of the flow's process.
        shared: Whether DEMUR_STATE is set for the flow.
        machine: The machine of the flow.
        leaving_out: When a model is left out; None if no model is.
    """

    stage: str
    open_work: OpenWork
    concurrency: int
    reply_key: ReplyKey | None
    run: str = field(default_factory=lambda: uuid.uuid4().hex)
    process: str = PROCESS
    shared: bool = field(default_factory=lambda: state_named() is not None)
    machine: str = field(default_factory=this_machine)
    leaving_out: LeavingOut | None = None


class StageRun:
    """The run of a stage to which a shard belongs."""

    def __init__(self, context: RoundContext, work: ShardTask) -> None:
        self._context = context
        self._work = work
        self._goes_on = True
        self._asked_at = float("-inf")

    def goes_on(self) -> bool:
        """Return whether the run has not ended. Workers ask the state, at most twice a second."""
        if self._work.process == PROCESS:
            return self._work.run in _runs
        if self._goes_on and time.monotonic() - self._asked_at >= POLL_SECONDS:
            self._asked_at = time.monotonic()
            with suppress(OSError):  # then this process can soon not renew its hold of the shard either
                self._goes_on = shared_state(self._context.home).is_run(self._context.round_id, self._work.run)
        return self._goes_on


def end_earlier_runs(context: RoundContext) -> None:
    """End runs of stages of the round that a killed process began, and wait until no worker works on their shards.

    Raises:
        TakenOverError: another process may have taken over the round.
        WarehouseError: a worker does not end.
    """
    check_held(context.home, context.round_id)
    state = shared_state(context.home)
    state.begin_run(context.round_id, "")
    state.wait_for_workers(context.round_id, wait_seconds=LOADER_WAIT_SECONDS, on_wait=observer().notice)


@task(name="shard", task_run_name="{name}", cache_policy=NO_CACHE, persist_result=False)
async def run_shard(name: str, context: RoundContext, work: ShardTask, order: Order) -> ShardReport:
    """Work on one shard. `name` (round, stage and shard) is shown as the name of the task run."""
    remote = enter_worker(context, work.process, work.run)
    check_shares_state(work.shared, work.machine)
    share_limits(shared_state(context.home).registry())
    try:
        # Models that can be left out fail on their own, also with replies that nobody can read.
        waves = first_waves(work.run, context.config.gates.unreadable) if work.leaving_out is None else None
        return await work_shard(
            *(context, work.stage, work.open_work, order, work.concurrency, work.reply_key),
            leaving_out=work.leaving_out,
            waves=waves,
            run=StageRun(context, work),
        )
    except Exception as exc:
        if not remote:
            raise
        raise portable(exc) from None


def shard_reports(
    context: RoundContext,
    work: ShardTask,
    orders: Iterator[Order],
    late: Callable[[ShardReport], None],
    left_out: Collection[str] = (),
) -> Generator[ShardReport, None, None]:
    """Yield the report of each shard in the order of the shards.

    At most `shards_at_once` + 1 shards are submitted at a time. The models in `left_out` when a shard is submitted are
    left out in this shard. When the generator ends, for any reason, no shard is running, and `late` has got the reports
    that were not yielded.
    """
    state = shared_state(context.home)
    running: deque[PrefectFuture[ShardReport]] = deque()
    _runs.add(work.run)
    state.begin_run(context.round_id, work.run)
    try:
        while True:
            while len(running) < context.config.shards_at_once + 1 and (order := next(orders, None)) is not None:
                name = f"{context.round_id}/{work.stage}/{order.shard}"
                if work.leaving_out is not None:
                    work = replace(work, leaving_out=replace(work.leaving_out, labels=frozenset(left_out)))
                running.append(submit(run_shard, {"name": name, "context": context, "work": work, "order": order}))
            if not running:
                break
            report = running[0].result()
            running.popleft()
            if report.halted is not None:
                orders = iter(())
            yield report
    finally:
        _runs.discard(work.run)
        with suppress(WarehouseError):  # shards of workers then run to their end, and are awaited below
            state.begin_run(context.round_id, "")
        for future in running:
            with suppress(Exception):  # the stage ends with the first error
                late(future.result())
