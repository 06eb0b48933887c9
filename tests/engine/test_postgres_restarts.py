"""A real PostgreSQL server that is started anew: every use waits for it, and nothing is bought twice."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from demur.engine.round_lock import is_held, round_lock
from demur.engine.stage import StageReport
from demur.lanes.simulator.server import serve
from demur.programs.batch_record import BatchStatus
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from tests.engine.machines import Machine as AnyMachine
from tests.engine.postgres_server import Server, started
from tests.engine.test_batches import RECORD
from tests.engine.test_calls import call
from tests.flows.capped import capped, run
from tests.flows.messages import messages

postgres = pytest.importorskip("demur.engine.state.postgres", reason="needs the extra state")

from demur.engine.state import shared as state_shared  # noqa: E402
from demur.engine.state.calls import CallStoreError  # noqa: E402
from tests.engine.test_state import SHARD, STAGE  # noqa: E402

UNITS = 80
MACHINES: list[AnyMachine] = []


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server that these tests stop, and no others."""
    with started() as one:
        yield one


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    while MACHINES:
        MACHINES.pop().close()


def Machine(home: Home, server: Server) -> AnyMachine:  # noqa: N802  (as the class is called)
    MACHINES.append(AnyMachine(home, server.address))
    return MACHINES[-1]


def started_anew(server: Server, away_seconds: float = 0.0) -> None:
    server.stop()
    time.sleep(away_seconds)
    server.start()


def connect_often(machine: AnyMachine) -> None:
    """Fill the pool, so that all its connections break."""

    def sleep(_: int) -> None:
        with machine.database._connection() as con:
            con.execute("SELECT pg_sleep(0.3)")

    with ThreadPoolExecutor(postgres.MOST_CONNECTIONS) as threads:
        list(threads.map(sleep, range(postgres.MOST_CONNECTIONS)))


def uses_of(machine: AnyMachine) -> Mapping[str, Callable[[], object]]:
    """Return everything that rounds do with a database, but for what one thing prepares for another."""
    state = machine.state
    batches = state.batches(*STAGE)
    state.set_budget(*STAGE, 80.0)
    batches.intend(RECORD, ["a", "b"])
    batches.intend(replace(RECORD, batch_id="another"), ["c"])

    def write_results() -> int:
        draft = batches.open_results("another")
        draft.write(b"{}")
        draft.commit()
        return len(list(batches.results("another")))

    async def record() -> int:
        async with state.calls("r", "respond", "000001-y") as stored:
            await stored.record(call(2))
        return len(state.known(["u2"])["u2"].answers)

    async def send() -> bool:
        async with state.calls(*STAGE, "000002-z") as stored:
            return await stored.send(replace(call(3), reserved_usd=2.0))

    return {
        "known": lambda: len(state.known(["u1"])),
        "calls": lambda: asyncio.run(record()),
        "reset": lambda: state.set_budget("r", "judge", 1.0),
        "left": lambda: state.left_usd(*STAGE) > 70,
        "send": lambda: asyncio.run(send()),
        "shard": lambda: state.lock("r", "respond.000000-x") is not None,
        "round": lambda: state.lock("r") is not None,
        "run": lambda: state.begin_run("r", "run"),
        "batches": lambda: RECORD in batches.records(),
        "batch": lambda: batches.update(replace(RECORD, batch_id="one more", status=BatchStatus.COLLECTED)),
        "results": write_results,
    }


def test_every_use_waits_for_a_database_that_is_started_anew(
    home: Home, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "TIMEOUT_SECONDS", 0.3)
    machine = Machine(home, server)
    uses = uses_of(machine)
    connect_often(machine)
    server.stop()
    with messages() as told, ThreadPoolExecutor(len(uses)) as threads:
        asked = {name: threads.submit(use) for name, use in uses.items()}
        try:
            time.sleep(1.0)
            done = [name for name, one in asked.items() if one.done()]
            assert done == [], "nothing is known, or kept, without the database"
        finally:
            server.start()  # else they wait for minutes
        found = {name: one.result(60) for name, one in asked.items()}
    assert {name: value for name, value in found.items() if value is not None} == {
        "known": 0, "calls": 1, "left": True, "send": True, "shard": True, "round": True, "batches": True,
        "results": 1,
    }  # fmt: skip
    assert machine.state.left_usd(*STAGE) == pytest.approx(78.0), "taken once, however often it was tried"
    away, *_, back = told  # more than these two where a connection broke again on a slow machine
    assert away.startswith(f"DEMUR_STATE: postgresql://127.0.0.1:{server.port}/postgres: ") and "5 minutes" in away
    assert "answers again, after" in back


@pytest.mark.slow
def test_shards_of_a_process_that_lost_its_lock_go_on_and_buy_nothing_twice(
    server: Server, prefect_api: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve(latency_seconds=0.2) as provider:
        # no request may be repeated for its time, however slow the machine
        context = capped(
            tmp_path / "round", provider.openai_url, 10.0, shards_at_once=2, limits={"timeout_seconds": 300}
        )
        machine = Machine(context.home, server)
        monkeypatch.setenv("DEMUR_STATE", server.address)
        monkeypatch.setitem(state_shared._states, (server.address, context.home), machine.state)

        def interrupt() -> None:
            while len(provider.asked) < UNITS // 4:
                time.sleep(0.02)
            started_anew(server, away_seconds=1.0)

        interruption = threading.Thread(target=interrupt)
        interruption.start()
        with round_lock(context.home, context.round_id):
            first = machine.database._locks
            assert run(context, UNITS) == StageReport("ingest", planned=UNITS, landed=UNITS, failed=0)
            interruption.join()
            assert is_held(context.home, context.round_id) and machine.database._locks is not first
        assert len(provider.counts.answered) == len(provider.asked) == UNITS + 1
        with reading(context.home, "loader") as con:
            [(calls,)] = con.execute("SELECT count(*) FROM calls").fetchall()
    assert calls == UNITS + 1, "one of them is the preflight's"


async def test_call_store_of_a_server_that_stays_away_refuses_and_names_no_password(
    home: Home, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(server, "address", server.address.replace("demur@", "demur:secret-word@"))
    state = Machine(home, server).state
    async with state.calls(*SHARD) as stored:
        await stored.record(call(1))
        server.stop()
        try:
            for _ in range(2):
                with pytest.raises(CallStoreError, match="no more calls are stored") as caught:
                    await stored.record(call(2))
                assert "secret-word" not in str(caught.value)
        finally:
            server.start()


def test_role_that_may_not_create_works_with_the_schema_that_is_there(home: Home, server: Server) -> None:
    Machine(home, server).database.facts()
    server.create("empty")
    with psycopg.connect(server.address, autocommit=True) as con:
        con.execute("CREATE ROLE worker LOGIN")
        con.execute("GRANT USAGE ON SCHEMA demur TO worker")
        con.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA demur TO worker")
    server.address = server.address.replace("demur@", "worker@")
    try:
        uses = uses_of(Machine(home, server))
        assert uses["calls"]() == 1 and uses["round"]()
        server.address = server.address.replace("/postgres", "/empty")
        with pytest.raises(
            OSError, match="permission denied for database empty.*`demur doctor` once as a role that may"
        ):
            Machine(home, server).database.facts()
    finally:
        server.address = f"postgresql://demur@127.0.0.1:{server.port}/postgres"
