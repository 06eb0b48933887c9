"""Shards in workers of a real Dask cluster: the same rows, nothing bought twice, errors as they were."""

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from demur.configuration.sections import EngineChoice, EngineKind
from demur.engine.context import RoundContext
from demur.engine.models import skip_preflight
from demur.engine.stage import StageReport
from demur.engine.tasks import enter_worker, portable
from demur.errors import ConfigError, FlowError
from demur.lanes.simulator.faults import SimulatedRequest, SimulatorFault
from demur.lanes.simulator.server import serve
from demur.warehouse.connection import reading
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home
from tests.flows.capped import capped
from tests.flows.capped import run as run_capped

if TYPE_CHECKING:
    from distributed import LocalCluster


pytestmark = pytest.mark.usefixtures("prefect_api")
UNITS = 80


@pytest.fixture(scope="module")
def cluster(prefect_api: str) -> "Iterator[LocalCluster]":
    distributed = pytest.importorskip("distributed", reason="needs the extra dask")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", env={"PREFECT_API_URL": prefect_api}
    ) as started:
        yield started


def run(context: RoundContext) -> StageReport:
    skip_preflight(context)
    return run_capped(context, UNITS)


def on(cluster: "LocalCluster", context: RoundContext) -> RoundContext:
    engine = EngineChoice(kind=EngineKind.DASK, address=cluster.scheduler_address)
    config = context.config.model_copy(update={"engine": engine})
    return RoundContext(context.home, config, context.folder, context.round_id, context.seed)


def landed(context: RoundContext) -> list[tuple[object, ...]]:
    with reading(context.home, "loader") as con:
        return con.execute("SELECT unit_id, base_id, title FROM base_instances ORDER BY ALL").fetchall()


def calls(context: RoundContext) -> int:
    with reading(context.home, "loader") as con:
        return int(con.execute("SELECT count(*) FROM calls WHERE status = 'ok' AND role <> 'probe'").fetchall()[0][0])


@pytest.mark.exhaustive
def test_worker_killed_in_the_middle_loses_and_repeats_only_what_was_under_way(
    cluster: "LocalCluster", tmp_path: Path
) -> None:
    victims = {worker.pid for worker in cluster.workers.values()}
    killed = threading.Event()

    def kill_one(asked: SimulatedRequest) -> SimulatorFault | None:
        if asked.number >= UNITS // 3 and not killed.is_set():
            killed.set()
            os.kill(victims.pop(), signal.SIGKILL)
        return None

    with serve(kill_one, latency_seconds=0.05) as provider:
        context = on(cluster, capped(tmp_path / "there", provider.openai_url, 10.0, shards_at_once=2))
        assert run(context) == StageReport("ingest", planned=UNITS, landed=UNITS, failed=0)
        asked = len(provider.asked)
        assert run(context).landed == UNITS
        assert len(provider.asked) == asked, "the second run asks nothing"
        here = capped(tmp_path / "here", provider.openai_url, 10.0, shards_at_once=2)
        assert run(here).landed == UNITS and landed(here) == landed(context), "workers land what threads land"
    assert killed.is_set()
    repeated = asked - UNITS
    assert 0 <= repeated <= 8, "limits.concurrency is the most that was under way"
    assert len(landed(context)) == len({row[0] for row in landed(context)}) == UNITS
    assert UNITS <= calls(context) <= asked


def test_cluster_that_does_not_answer_is_refused_before_anything_is_bought(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed", reason="needs the extra dask")
    import dask

    with serve() as provider, dask.config.set({"distributed.comm.timeouts.connect": "1s"}):
        context = capped(tmp_path, provider.openai_url, 10.0)
        monkeypatch.setenv("DEMUR_ENGINE", "dask:tcp://127.0.0.1:9")
        with pytest.raises(ConfigError, match="no dask cluster answers at tcp://127.0.0.1:9"):
            run(context)
        monkeypatch.setenv("DEMUR_ENGINE", "dusk")
        with pytest.raises(ConfigError, match="DEMUR_ENGINE 'dusk' is not one of threads, dask, dask:ADDRESS"):
            run(context)
        assert provider.asked == []


def test_worker_that_does_not_see_the_home_says_so(tmp_path: Path) -> None:
    with serve() as provider:
        context = capped(tmp_path, provider.openai_url, None)
    elsewhere = RoundContext(Home(tmp_path / "nowhere"), context.config, context.folder, "r", 1)
    with pytest.raises(FlowError, match=r"a worker of the engine cannot find DEMUR_HOME .*nowhere"):
        enter_worker(elsewhere, "another process", "run", 1)


def test_error_of_a_worker_arrives_with_its_message() -> None:
    assert str(portable(ConfigError("models served: X is not set"))) == "models served: X is not set"
    bound = WarehouseError("line 3 is none")
    bound.add_note("of a file that only this process has")
    bound.file = (line for line in ())  # type: ignore[attr-defined]
    arrived = portable(bound)
    assert type(arrived) is FlowError and "WarehouseError: line 3 is none" in str(arrived)
