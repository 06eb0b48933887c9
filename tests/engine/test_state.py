"""The state of rounds in either database: durable before it counts, within the cap, free when one dies."""

import asyncio
import re
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from demur.cli import doctor
from demur.engine.state.processes import this_machine
from demur.engine.state.shared import SharedState, shared_state
from demur.engine.state.sqlite import SqliteDatabase
from demur.engine.task_engine import check_shares_state
from demur.errors import ConfigError, FlowError
from demur.programs.journal import CallRecord
from demur.warehouse.errors import LandingError, WarehouseError
from demur.warehouse.home import Home
from demur.warehouse.units import Order
from tests.engine.machines import Machine, until
from tests.engine.postgres_server import Server
from tests.engine.test_calls import call, ids_of, recording

postgres = pytest.importorskip("demur.engine.state.postgres", reason="needs the extra state")

Machines = Callable[[], Machine]
SHARD = ("r", "respond", "000000-x")
STAGE = SHARD[:2]
WORKING = """
import sys
from pathlib import Path
from demur.engine.state.shared import shared_state
from demur.warehouse.home import Home
from demur.warehouse.units import Order
state = shared_state(Home(Path(sys.argv[1])))
held = state.hold("r", "respond", Order("000000-x", Path(sys.argv[1], "orders/r/respond/000000-x.1234.parquet"), 1))
registration = state.registry().register("Größe")
print(held is not None, flush=True)
sys.stdin.readline()
"""
"""Holds an order and asks a model, then waits to be told to record."""


async def record(state: SharedState, *calls: CallRecord, shard: tuple[str, str, str] = SHARD) -> None:
    async with state.calls(*shard) as stored:
        await asyncio.gather(*(stored.record(one) for one in calls))


def test_database_that_does_not_answer_is_one_clear_error(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMUR_STATE", "postgresql://demur:secret-word@127.0.0.1:9/state")
    state = shared_state(home)
    with pytest.raises(LandingError, match="DEMUR_STATE: .*refused"):
        state.check_answers()  # at once: an address may be wrong
    monkeypatch.setattr(postgres, "PATIENCE_SECONDS", 0.0)
    for use in (
        lambda: state.known(["u1"]),
        lambda: state.hold(*STAGE, order_of(home)),
        lambda: state.batches(*STAGE).records(),
        lambda: state.set_budget(*STAGE, 1.0),
        lambda: state.withdraw_all(*STAGE, wait_seconds=0, on_wait=print),
    ):
        with pytest.raises(LandingError, match="DEMUR_STATE: postgresql://127.0.0.1:9/state: .*same command") as caught:
            use()
        assert "secret-word" not in str(caught.value)


def test_homes_with_the_same_round_share_a_database_and_nothing_in_it(tmp_path: Path, address: str | None) -> None:
    one, other = (Machine(Home(tmp_path / name), address).state for name in ("one", "other"))
    asyncio.run(record(one, call(1)))
    one.set_budget(*STAGE, 5.0)
    assert one.known(["u1"]) and not other.known(["u1"])
    assert other.database.read("left", other._of(*STAGE)) == []
    same = Machine(Home(tmp_path / "one"), address).state
    assert same.known(["u1"]), "another process of the same home"


def order_of(home: Home) -> Order:
    folder = home.orders(*STAGE)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "000000-x.1234.parquet"
    path.touch()
    return Order("000000-x", path, 1)


def test_state_of_an_older_version_is_refused_with_what_to_do(
    home: Home, address: str | None, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    if address is not None:  # in a database of its own
        request.getfixturevalue("server").create("older")
        address = address.rpartition("/")[0] + "/older"
        monkeypatch.setenv("DEMUR_STATE", address)
    state = shared_state(home)
    state.check_answers()
    made_older(home, address)
    state.database.close()
    told = r"has a state of version 1, and this demur needs version \d+: install the demur that made it, or .* by their"
    with pytest.raises(LandingError, match=told):
        Machine(home, address).state.check_answers()


def made_older(home: Home, address: str | None) -> None:
    """Take a table from the state that its first version did not have."""
    if address is None:
        with closing(sqlite3.connect(home.state)) as con:
            con.executescript("DROP TABLE progress; PRAGMA user_version = 1")
        return
    import psycopg

    with psycopg.connect(address) as database:
        database.execute("DROP TABLE demur.progress")
        database.execute("COMMENT ON TABLE demur.processes IS 'version 1'")


def test_killed_process_leaves_what_it_called_durable_and_frees_what_it_held_at_once(
    home: Home, address: str | None, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it works, another records beside it. A database of PostgreSQL has no encoding here, as of locale C."""
    if address is not None:
        request.getfixturevalue("server").create("plain", "ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
        monkeypatch.setenv("DEMUR_STATE", address.rpartition("/")[0] + "/plain")
    state, order = shared_state(home), order_of(home)
    process = recording(home, 20, before=WORKING, stdin=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    assert process.stdout.readline() == "True\n"
    registration = state.registry().register("Größe")
    process.send_signal(signal.SIGSTOP)
    assert state.hold(*STAGE, order) is None, "a stopped process keeps what it holds"
    assert registration.active() == 2
    process.send_signal(signal.SIGCONT)
    process.stdin.write("go\n")
    process.stdin.flush()
    beside = ("r", "respond", "000001-y")
    asyncio.run(record(state, *map(call, range(200)), shard=beside))
    told = [int(process.stdout.readline()) for _ in range(300)]
    process.kill()
    told += [int(line) for line in process.communicate()[0].split()]
    assert {f"c{number}" for number in told} <= set(ids_of(state))
    assert sum(map(len, state.calls_beyond("r", {}, [beside[1:]]))) == 200
    held = state.hold(*STAGE, order)
    assert held is not None and registration.active() == 1, "without waiting for heartbeats"
    held.let_go()
    registration.unregister()
    state.database.close()


async def test_order_of_a_dead_process_is_free_for_another(home: Home, machine: Machines) -> None:
    one, other, order = machine(), machine(), order_of(home)
    held = one.state.hold(*STAGE, order)
    assert held is not None and held.exists()
    assert other.state.hold(*STAGE, order) is None
    time.sleep(1.2)
    assert other.state.hold(*STAGE, order) is None, "who renews keeps it"
    one.die()
    assert not held.exists(), "and stops before another may take it"
    found = []
    await until(lambda: bool(found.append(other.state.hold(*STAGE, order)) or found[-1]))
    found[-1].let_go()
    again = one.state.hold(*STAGE, order)
    assert again is not None, "a process that can renew again goes on as another"
    again.let_go()


async def test_withdrawn_order_is_waited_for_until_its_holder_has_let_go(home: Home, machine: Machines) -> None:
    worker, flow, order = machine().state, machine().state, order_of(home)
    held = worker.hold(*STAGE, order)
    assert held is not None
    with pytest.raises(WarehouseError, match="a worker of an earlier run still works on this shard"):
        flow.withdraw_all(*STAGE, wait_seconds=0, on_wait=print)
    await until(lambda: not held.exists())
    threading.Timer(0.2, held.let_go).start()
    flow.withdraw_all(*STAGE, wait_seconds=10, on_wait=print)
    with pytest.raises(FileNotFoundError):
        worker.hold(*STAGE, order)
    assert worker._held(worker._prefix(*STAGE)) == []
    again = order_of(home)
    assert worker.hold(*STAGE, again) is not None
    flow.withdraw(*STAGE, again)
    assert not again.path.exists()


def test_state_is_in_a_file_of_the_home_unless_a_database_is_named(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEMUR_STATE", raising=False)
    assert isinstance(shared_state(home).database, SqliteDatabase)
    check_shares_state(False, this_machine())
    with pytest.raises(FlowError, match="DEMUR_STATE is not set for this worker and set for its flow"):
        check_shares_state(True, this_machine())
    with pytest.raises(FlowError, match=r"this worker runs on another machine than its flow.*DEMUR_STATE"):
        check_shares_state(False, "another boot/4026531836")
    monkeypatch.setenv("DEMUR_STATE", "mysql://demur:secret-word@host/state")
    with pytest.raises(ConfigError, match=r"DEMUR_STATE 'mysql:\.\.\.' is not the address of a PostgreSQL"):
        shared_state(home)


def test_doctor_shows_version_and_clock(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMUR_STATE", server.address)
    [(ok, what, found)] = doctor._state()
    assert ok and what == "DEMUR_STATE"
    assert re.search(r"PostgreSQL \d+\.\d+[^,]*, its clock [+-]0\.\d s from ours", found)
    monkeypatch.setattr(doctor, "MOST_SKEW_SECONDS", -1.0)
    [(ok, _, found)] = doctor._state()
    assert not ok and "follow a time server" in found
