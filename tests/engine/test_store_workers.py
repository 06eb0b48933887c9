"""Shards in workers that have another disk than their flow: all that they share is a store and a database."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from demur.configuration.engine_choice import EngineChoice, EngineKind
from demur.configuration.settings import home_at
from demur.engine.context import RoundContext, loader_writing
from demur.engine.preflight import skip_preflight
from demur.engine.round_lock import TakenOverError, round_lock
from demur.engine.stage import StageReport
from demur.engine.state import shared as state_shared
from demur.engine.state.holds import NamedHold
from demur.errors import ConfigError
from demur.lanes.simulator.server import serve
from demur.warehouse.connection import reading, writing
from demur.warehouse.home import Home
from demur.warehouse.replay import follow_store
from demur.warehouse.store import ObjectStore
from demur.warehouse.units import Order
from tests.engine.machines import QUICK, Machine
from tests.engine.postgres_server import Server
from tests.flows.capped import capped, stored
from tests.flows.capped import run as run_capped
from tests.object_store import needs_store, running_store

pytest.importorskip("demur.engine.state.postgres", reason="needs the extra state")
pytestmark = needs_store
UNITS = 80


@pytest.fixture(scope="module", autouse=True)
def _store(server: Server) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch, running_store(patch):
        patch.setenv("DEMUR_STATE", server.address)
        yield


def machine(folder: Path, name: str) -> Home:
    return Home(folder / name, ObjectStore(f"s3://shelf/{folder.name}"))


def offered(home: Home) -> Order:
    path = home.orders("r", "respond") / "000000-x.1234.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"what to do")
    return Order("000000-x", path, 1)


def test_order_is_found_on_another_disk_until_it_is_withdrawn(server: Server, tmp_path: Path) -> None:
    flow, worker, later = (machine(tmp_path, name) for name in ("flow", "worker", "later"))
    machines = [Machine(home, server.address) for home in (flow, worker, later)]
    states = [one.state for one in machines]
    assert len({state._id for state in states}) == 1, "one home, wherever it is worked with"
    here = offered(flow)
    there = replace(here, path=worker.root / flow.key(here.path))
    with pytest.raises(FileNotFoundError):
        states[1].hold("r", "respond", there)
    states[0].offer(here)
    held = states[1].hold("r", "respond", there)
    assert held is not None and there.path.read_bytes() == b"what to do"
    assert states[0].hold("r", "respond", here) is None
    held.let_go()
    states[2].withdraw_all("r", "respond", wait_seconds=5, on_wait=print)
    with pytest.raises(FileNotFoundError):
        states[1].hold("r", "respond", there)
    for one in machines:
        one.close()


def test_flow_whose_round_another_took_over_neither_withdraws_orders_nor_writes(
    server: Server, prefect_api: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEMUR_CACHE", str(tmp_path / "flow"))
    context = stored(capped(tmp_path / "here", "http://127.0.0.1:9", 1.0), f"s3://shelf/{tmp_path.name}")
    home = context.home
    flow, other = (Machine(home, server.address) for _ in range(2))
    monkeypatch.setitem(state_shared._states, (server.address, home), flow.state)
    with round_lock(home, context.round_id):
        store = home.store
        assert store is not None
        store.put("orders/test/ingest/000000-x.1234.parquet", b"of another flow")
        flow.die()
        time.sleep(2 * QUICK.lease_seconds)
        took = NamedHold(other.database, other.heartbeat, other.state.round_name("test"))
        assert took.take()
        with pytest.raises(TakenOverError, match="the same command continues the round"):
            run(context)
        with pytest.raises(TakenOverError), loader_writing(context):
            pass
        assert store.get("orders/test/ingest/000000-x.1234.parquet") == b"of another flow"
    flow.close()
    other.close()


def run(context: RoundContext) -> StageReport:
    skip_preflight(context)
    return run_capped(context, UNITS)


def landed(home: Home) -> list[tuple[object, ...]]:
    with reading(home, "loader") as con:
        return con.execute("SELECT unit_id, title FROM base_instances ORDER BY ALL").fetchall()


@pytest.mark.repeated
@pytest.mark.parametrize("mode", ["live", "batch"])
def test_stage_in_workers_of_other_machines_lands_what_it_lands_in_a_folder(
    mode: str, server: Server, prefect_api: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed", reason="needs the extra dask")
    elsewhere = {"PREFECT_API_URL": prefect_api, "DEMUR_CACHE": str(tmp_path / "worker")}
    monkeypatch.setenv("DEMUR_CACHE", str(tmp_path / "flow"))
    home = home_at(f"s3://shelf/{tmp_path.name}")
    with writing(home, wait_seconds=5):
        pass
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", env=elsewhere
        ) as cluster,
        serve() as provider,
    ):
        here = capped(tmp_path / "here", provider.openai_url, 10.0, shards_at_once=2, mode=mode)
        engine = EngineChoice(kind=EngineKind.DASK, address=cluster.scheduler_address)
        there = replace(here, home=home, config=here.config.model_copy(update={"engine": engine}))
        with monkeypatch.context() as patch:
            patch.delenv("DEMUR_STATE")
            with pytest.raises(ConfigError, match=r"needs a database for journals and budgets.*DEMUR_STATE"):
                run(there)
            assert run(here) == StageReport("ingest", planned=UNITS, landed=UNITS, failed=0)
        assert run(there) == StageReport("ingest", planned=UNITS, landed=UNITS, failed=0)
        assert len(provider.asked) == 2 * UNITS
        assert run(there).landed == UNITS
        assert len(provider.asked) == 2 * UNITS, "the second run asks nothing"
    assert landed(here.home) == landed(home)
    [worker] = (tmp_path / "worker").iterdir()
    assert worker.name == home.root.name
    assert not [path for path in worker.rglob("*.parquet") if "landing" in path.parts], "nobody would load it"
    assert home.store is not None and home.store.list("orders/") == []
    follow_store(machine(tmp_path, "later"), wait_seconds=5)
