"""Shards as Prefect tasks: in threads of the flow's process, or in a Dask or Ray cluster."""

import asyncio
import logging
import pickle
import socket
import time
import uuid
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Generator, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, cast

from prefect import Task, task
from prefect.cache_policies import NO_CACHE
from prefect.client.orchestration import get_client
from prefect.futures import PrefectFuture
from prefect.task_runners import TaskRunner

from demur.configuration.sections import EngineChoice, EngineKind
from demur.configuration.settings import engine_named, prefect_api_url, state_named
from demur.engine.concurrency import POLL_SECONDS, first_waves
from demur.engine.context import LOADER_WAIT_SECONDS, RoundContext
from demur.engine.logs import log_of_this_process, observe, observer
from demur.engine.progress_events import Progress
from demur.engine.recordings import ReplyKey
from demur.engine.round_lock import check_held, confirm_held, shard_lock
from demur.engine.shard import LeavingOut, ShardReport, work_shard
from demur.engine.state.shared import PROCESS, shared_state
from demur.engine.units import OpenWork
from demur.errors import ConfigError, FlowError
from demur.lanes.throttle.shared import divide_limits, reset_breakers
from demur.warehouse.errors import WarehouseError
from demur.warehouse.plans import Order

# Prefect's task runner for shards: threads of the flow's process, or a Dask or Ray cluster.
#
# Workers of a cluster need the same DEMUR_HOME path, the same keys and the same version of demur as the flow.


_runs: Final[set[str]] = set()
"""Runs of stages in which this worker has taken part."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster, and the number of processes that can work at a time."""

    runner: TaskRunner[Any]
    workers: int


_cluster: ContextVar[Cluster | None] = ContextVar("_cluster", default=None)
_outside: ContextVar[bool] = ContextVar("_outside", default=False)


class UnitsToDo(Exception):
    """A stage that runs outside Prefect has units to do."""


@contextmanager
def outside_prefect() -> Iterator[None]:
    """Call flows as plain functions inside the block. They ask nothing of Prefect's API.

    A stage with units to do raises `UnitsToDo` inside the block.
    """
    token = _outside.set(True)
    try:
        yield
    finally:
        _outside.reset(token)


def is_outside_prefect() -> bool:
    """Return whether this code runs in a block of `outside_prefect`."""
    return _outside.get()


@contextmanager
def open_engine(context: RoundContext) -> Iterator[None]:
    """Run the shards that are submitted inside the block on the engine that `engine_choice` returns.

    Raises:
        ConfigError: the cluster does not answer at its address, or the engine is unknown.
        ModuleNotFoundError: the extra of the engine is not installed.
    """
    choice = engine_choice(context)
    if choice.kind is EngineKind.THREADS or is_outside_prefect():
        yield
        return
    with _opened(choice, context.config.shards_at_once) as cluster:
        token = _cluster.set(cluster)
        try:
            yield
        finally:
            _cluster.reset(token)


def engine_choice(context: RoundContext) -> EngineChoice:
    """Return the engine that DEMUR_ENGINE names; without DEMUR_ENGINE, the engine of the round's configuration."""
    named = engine_named()
    return context.config.engine if named is None else EngineChoice.from_text(named, "DEMUR_ENGINE")


@contextmanager
def in_this_process() -> Iterator[None]:
    """Run the shards that are submitted inside the block in this process. They can then use local files."""
    token = _cluster.set(None)
    try:
        yield
    finally:
        _cluster.reset(token)


def is_remote() -> bool:
    """Return whether shards run in other processes."""
    return _cluster.get() is not None


def workers() -> int:
    """Return how many processes can work on shards at a time."""
    cluster = _cluster.get()
    return 1 if cluster is None else cluster.workers


def submit(task: Task[..., Any], parameters: Mapping[str, object]) -> PrefectFuture[Any]:
    """Submit a task to the engine."""
    cluster = _cluster.get()
    future = task.submit(**parameters) if cluster is None else cluster.runner.submit(task, dict(parameters))
    return cast("PrefectFuture[Any]", future)


class WorkerProgress(Progress):
    """The observer of a cluster's worker. Only notices are logged, since the flow's observer counts the units."""

    def __init__(self, round_id: str) -> None:
        self._log = log_of_this_process()
        self._log.of_round(round_id)

    def notice(self, message: str) -> None:
        """Log a notice."""
        self._log.notice(message)


def enter_worker(context: RoundContext, process: str, run: str, parts: int) -> bool:
    """If the flow runs in another process, prepare this process as a worker and return True; else return False.

    A worker uses one of `parts` equal parts of the limits of models.

    Raises:
        FlowError: DEMUR_HOME does not exist in this worker.
    """
    if process == PROCESS:
        return False
    if not context.home.root.is_dir():
        raise FlowError(
            f"{socket.gethostname()}: a worker of the engine cannot find DEMUR_HOME {context.home.root}. Let workers "
            "and flow share this folder, under the same path"
        )
    observe(WorkerProgress(context.round_id))
    divide_limits(parts)
    if run not in _runs:
        _runs.add(run)
        reset_breakers()
    return True


def check_shares_state(shared: bool, machine: str) -> None:
    """Check that this worker uses the same state (calls, budgets, limits) as its flow.

    Args:
        shared: Whether DEMUR_STATE is set for the flow.
        machine: The machine of the flow.

    Raises:
        FlowError: DEMUR_STATE is set for only one of flow and worker, or flow and worker run on different machines
            without DEMUR_STATE.
    """
    if shared != (state_named() is not None):
        here, there = ("not set", "set") if shared else ("set", "not set")
        raise FlowError(
            f"{socket.gethostname()}: DEMUR_STATE is {here} for this worker and {there} for its flow. Start both with "
            "the same DEMUR_STATE, so that they share calls, budgets and limits"
        )
    if not shared and machine != this_machine():
        raise FlowError(
            f"{socket.gethostname()}: this worker runs on another machine than its flow, but the state in DEMUR_HOME "
            "is only for processes of one machine. Set DEMUR_STATE to a PostgreSQL database for both"
        )


@cache
def this_machine() -> str:
    """Return an id of this machine and its boot, or else of its network card."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return f"{uuid.getnode():x}"


def portable(exc: Exception) -> Exception:
    """Return an error that can be unpickled in another process: the error itself, or a FlowError with its text."""
    try:
        same = type(pickle.loads(pickle.dumps(exc))) is type(exc)
    except Exception:
        same = False
    return exc if same else FlowError(f"{socket.gethostname()}: {type(exc).__name__}: {exc}")


@contextmanager
def _opened(choice: EngineChoice, here: int) -> Iterator[Cluster]:
    if choice.address is not None and prefect_api_url() is None:
        raise ConfigError(
            f"engine: workers of {choice.address} report to Prefect, but the temporary API serves this machine only. "
            "Set PREFECT_API_URL, for flow and workers, to an API that the workers can reach"
        )
    runner = _dask(choice.address, here) if choice.kind is EngineKind.DASK else _ray(choice.address, here)
    with ExitStack() as stack:
        try:
            stack.enter_context(runner)
            if choice.kind is EngineKind.DASK and choice.address is not None:
                runner.client  # noqa: B018  (connects)
        except (OSError, ValueError) as exc:
            raise ConfigError(
                f"engine: no {choice.kind} cluster answers at {choice.address} ({exc}). Start a cluster there, or "
                "leave the address out to start a cluster on this machine"
            ) from exc
        yield Cluster(runner, here if choice.address is None else max(1, _workers_there(choice, runner)))


def _workers_there(choice: EngineChoice, runner: Any) -> int:
    """Return the number of processes of a cluster that can work at a time."""
    if choice.kind is EngineKind.DASK:
        return len(runner.client.nthreads())
    import ray

    return int(ray.cluster_resources().get("CPU", 1))


def _dask(address: str | None, workers: int) -> Any:
    from prefect_dask import DaskTaskRunner

    logging.getLogger("distributed").setLevel(logging.ERROR)  # it warns of workers that end slowly
    if address is not None:
        return DaskTaskRunner(address=address)
    cluster = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "env": _environment()}
    return DaskTaskRunner(cluster_kwargs=cluster)


def _ray(address: str | None, workers: int) -> Any:
    from prefect_ray import RayTaskRunner

    if address is not None:
        return RayTaskRunner(address=address)
    runtime = {"env_vars": _environment()}
    return RayTaskRunner(init_kwargs={"num_cpus": workers, "include_dashboard": False, "runtime_env": runtime})


def _environment() -> dict[str, str]:
    """Return the environment by which workers on this machine find the flow's Prefect API."""
    with get_client(sync_client=True) as client:
        return {"PREFECT_API_URL": str(client.api_url)}


# Shards as Prefect tasks, in the flow's own process or in workers of a cluster.


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
        parts: The number of processes among which the limits of models are divided.
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
    parts: int = 1
    leaving_out: LeavingOut | None = None


class StageRun:
    """The run of a stage to which a shard belongs.

    In the flow's process the lock of the round entitles to work on shards. Workers take a lock of their shard, since a
    cluster may give the shard of a silent worker to another one.
    """

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
            with suppress(OSError):  # then the lock is lost too
                self._goes_on = shared_state(self._context.home).is_run(self._context.round_id, self._work.run)
        return self._goes_on

    @asynccontextmanager
    async def locked(self, shard: str) -> AsyncIterator[Callable[[], Awaitable[None]]]:
        """Wait until no other process can work on a shard. Yield what waits for this again after a lock was lost.

        Raises:
            TakenOverError: another process has taken over the round.
        """
        home, round_id = self._context.home, self._context.round_id
        if self._work.process == PROCESS:
            await asyncio.to_thread(check_held, home, round_id)
            yield partial(confirm_held, home, round_id)
            return
        part = f"{self._work.stage}.{shard}"
        async with shard_lock(home, round_id, part):
            yield partial(confirm_held, home, round_id, part)


def end_earlier_runs(context: RoundContext) -> None:
    """End runs of stages of the round that a killed process began, and wait until no worker works on their shards.

    Raises:
        TakenOverError: another process may have taken over the round.
        WarehouseError: a worker does not end.
    """
    check_held(context.home, context.round_id)
    state = shared_state(context.home)
    state.begin_run(context.round_id)
    state.wait_for_workers(context.round_id, wait_seconds=LOADER_WAIT_SECONDS, on_wait=observer().notice)


@task(name="shard", task_run_name="{name}", cache_policy=NO_CACHE, persist_result=False)
async def run_shard(name: str, context: RoundContext, work: ShardTask, order: Order) -> ShardReport:
    """Work on one shard. `name` (round, stage and shard) is shown as the name of the task run."""
    remote = enter_worker(context, work.process, work.run, work.parts)
    check_shares_state(work.shared, work.machine)
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
    at_once: int,
    late: Callable[[ShardReport], None],
    left_out: Collection[str] = (),
) -> Generator[ShardReport, None, None]:
    """Yield the report of each shard in the order of the shards.

    At most `at_once` shards are submitted at a time. The models in `left_out` when a shard is submitted are
    left out in this shard. When the generator ends, for any reason, no shard is running, and `late` has got the reports
    that were not yielded.
    """
    state = shared_state(context.home)
    running: deque[PrefectFuture[ShardReport]] = deque()
    _runs.add(work.run)
    state.begin_run(context.round_id, work.run)
    try:
        while True:
            while len(running) < at_once and (order := next(orders, None)) is not None:
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
            state.begin_run(context.round_id)
        for future in running:
            with suppress(Exception):  # the stage ends with the first error
                late(future.result())
