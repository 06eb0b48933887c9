"""Prefect's task runner for shards: threads of the flow's process, or a Dask or Ray cluster.

Workers of a cluster need the same DEMUR_HOME path, the same keys and the same version of demur as the flow.
"""

import logging
import pickle
import socket
import uuid
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any, Final, cast

from prefect import Task
from prefect.client.orchestration import get_client
from prefect.futures import PrefectFuture
from prefect.task_runners import TaskRunner

from demur.configuration.engine_choice import EngineChoice, EngineKind
from demur.configuration.settings import engine_named, prefect_api_url, state_named
from demur.engine.context import RoundContext
from demur.engine.progress import Progress, log_of_this_process, observe
from demur.engine.state.processes import this_machine
from demur.errors import ConfigError, FlowError
from demur.lanes.throttle.shared import reset_breakers

PROCESS: Final = uuid.uuid4().hex
"""The id of this process. Workers of a cluster have other ids than their flow."""
_runs: Final[set[str]] = set()
"""Runs of stages in which this worker has taken part."""
_runner: ContextVar[TaskRunner[Any] | None] = ContextVar("_runner", default=None)


@contextmanager
def open_engine(context: RoundContext) -> Iterator[None]:
    """Run the shards that are submitted inside the block on the engine that `engine_choice` returns.

    Raises:
        ConfigError: the cluster does not answer at its address, or the engine is unknown.
        ModuleNotFoundError: the extra of the engine is not installed.
    """
    choice = engine_choice(context)
    if choice.kind is EngineKind.THREADS:
        yield
        return
    with _opened(choice, context.config.shards_at_once) as runner:
        token = _runner.set(runner)
        try:
            yield
        finally:
            _runner.reset(token)


def engine_choice(context: RoundContext) -> EngineChoice:
    """Return the engine that DEMUR_ENGINE names; without DEMUR_ENGINE, the engine of the round's configuration."""
    named = engine_named()
    return context.config.engine if named is None else EngineChoice.from_text(named, "DEMUR_ENGINE")


@contextmanager
def in_this_process() -> Iterator[None]:
    """Run the shards that are submitted inside the block in this process. They can then use local files."""
    token = _runner.set(None)
    try:
        yield
    finally:
        _runner.reset(token)


def is_remote() -> bool:
    """Return whether shards run in other processes."""
    return _runner.get() is not None


def submit(task: Task[..., Any], parameters: Mapping[str, object]) -> PrefectFuture[Any]:
    """Submit a task to the engine."""
    runner = _runner.get()
    future = task.submit(**parameters) if runner is None else runner.submit(task, dict(parameters))
    return cast("PrefectFuture[Any]", future)


class WorkerProgress(Progress):
    """The observer of a cluster's worker. Only notices are logged, since the flow's observer counts the units."""

    def __init__(self, round_id: str) -> None:
        self._log = log_of_this_process()
        self._log.of_round(round_id)

    def notice(self, message: str) -> None:
        """Log a notice."""
        self._log.notice(message)


def enter_worker(context: RoundContext, process: str, run: str) -> bool:
    """If the flow runs in another process, prepare this process as a worker and return True; else return False.

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
    if not shared and machine.partition("/")[0] != this_machine().partition("/")[0]:
        raise FlowError(
            f"{socket.gethostname()}: this worker runs on another machine than its flow, but the state in DEMUR_HOME "
            "is only for processes of one machine. Set DEMUR_STATE to a PostgreSQL database for both"
        )


def portable(exc: Exception) -> Exception:
    """Return an error that can be unpickled in another process: the error itself, or a FlowError with its text."""
    try:
        same = type(pickle.loads(pickle.dumps(exc))) is type(exc)
    except Exception:
        same = False
    return exc if same else FlowError(f"{socket.gethostname()}: {type(exc).__name__}: {exc}")


@contextmanager
def _opened(choice: EngineChoice, workers: int) -> Iterator[TaskRunner[Any]]:
    if choice.address is not None and prefect_api_url() is None:
        raise ConfigError(
            f"engine: workers of {choice.address} report to Prefect, but the temporary API serves this machine only. "
            "Set PREFECT_API_URL, for flow and workers, to an API that the workers can reach"
        )
    runner = _dask(choice.address, workers) if choice.kind is EngineKind.DASK else _ray(choice.address, workers)
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
        yield runner


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
