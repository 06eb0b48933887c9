"""The state of rounds in either database: durable before it counts, within the cap, free when one dies."""

import asyncio
import re
import signal
import sqlite3
import subprocess
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from demur.cli import doctor
from demur.engine.state.locks import Lock
from demur.engine.state.shared import SharedState, shared_state
from demur.engine.state.sqlite import SqliteDatabase
from demur.engine.tasks import check_shares_state, this_machine
from demur.errors import ConfigError, FlowError
from demur.programs.call_scope import CallRecord
from demur.warehouse.errors import LandingError, WarehouseError
from demur.warehouse.home import Home
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
state = shared_state(Home(Path(sys.argv[1])))
lock = state.lock("r", "respond.000000-x")
print(lock is not None, flush=True)
sys.stdin.readline()
"""
"""Locks a shard, then waits to be told to record."""


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
        lambda: state.batches(*STAGE).records(),
        lambda: state.set_budget(*STAGE, 1.0),
        lambda: state.begin_run("r", "run"),
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
        database.execute("COMMENT ON TABLE demur.calls IS 'version 1'")


def test_killed_process_leaves_what_it_called_durable_and_frees_what_it_held_at_once(
    home: Home, address: str | None, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it works, another records beside it. A database of PostgreSQL has no encoding here, as of locale C."""
    if address is not None:
        request.getfixturevalue("server").create("plain", "ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
        monkeypatch.setenv("DEMUR_STATE", address.rpartition("/")[0] + "/plain")
    state = shared_state(home)
    process = recording(home, 20, before=WORKING, stdin=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    assert process.stdout.readline() == "True\n"
    process.send_signal(signal.SIGSTOP)
    assert state.lock("r", "respond.000000-x") is None, "a stopped process keeps what it holds"
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
    found: list[Lock | None] = []
    asyncio.run(until(lambda: bool(found.append(state.lock("r", "respond.000000-x")) or found[-1])))
    assert found[-1] is not None
    found[-1].release()
    state.database.close()


def test_worker_of_an_earlier_run_is_waited_for_until_it_has_let_go(machine: Machines) -> None:
    worker, flow = machine().state, machine().state
    flow.begin_run("r", "first")
    lock = worker.lock("r", "respond.000000-x")
    assert lock is not None and worker.is_run("r", "first")
    flow.begin_run("r", "second")
    assert not worker.is_run("r", "first") and not worker.is_run("another", "second")
    with pytest.raises(WarehouseError, match="a worker of an earlier run still works on a shard"):
        flow.wait_for_workers("r", wait_seconds=0, on_wait=print)
    threading.Timer(0.2, lock.release).start()
    flow.wait_for_workers("r", wait_seconds=10, on_wait=print)


def test_state_is_in_a_file_of_the_home_unless_a_database_is_named(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEMUR_STATE", raising=False)
    assert isinstance(shared_state(home).database, SqliteDatabase)
    check_shares_state(False, this_machine())
    with pytest.raises(FlowError, match="DEMUR_STATE is not set for this worker and set for its flow"):
        check_shares_state(True, this_machine())
    with pytest.raises(FlowError, match=r"this worker runs on another machine than its flow.*DEMUR_STATE"):
        check_shares_state(False, "another boot")
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
