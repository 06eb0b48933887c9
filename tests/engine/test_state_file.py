"""The state in a file of the home: several processes on it, killed, forked and copied; what it says where it fails."""

import asyncio
import os
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from demur.engine.state import sqlite
from demur.engine.state.shared import SharedState, shared_state
from demur.engine.state.sqlite import SqliteDatabase
from demur.warehouse.errors import LandingError
from demur.warehouse.home import Home
from tests.engine.test_calls import SHARD, call, ids_of, recording
from tests.engine.test_state import STAGE


@pytest.fixture(autouse=True)
def _file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEMUR_STATE", raising=False)


@pytest.fixture
def state(home: Home) -> Iterator[SharedState]:
    found = shared_state(home)
    yield found
    found.database.close()


async def record(state: SharedState, *numbers: int, shard: tuple[str, str, str] = SHARD) -> None:
    async with state.calls(*shard) as stored:
        await asyncio.gather(*(stored.record(call(number)) for number in numbers))


def test_home_that_is_copied_while_it_writes_opens_and_resumes(home: Home, tmp_path: Path) -> None:
    process = recording(home, 4)
    assert process.stdout is not None
    for number in range(3):
        told = [int(process.stdout.readline()) for _ in range(40)]
        copied = Home(tmp_path / f"copy-{number}")
        subprocess.run(["cp", "-a", home.root, copied.root], check=True)
        state = shared_state(copied)
        found = ids_of(state)
        assert {f"c{one}" for one in told} <= set(found), "what was durable before the copy began is in it"
        assert sorted(found, key=lambda one: int(one[1:])) == [f"c{one}" for one in range(len(found))]
        asyncio.run(record(state, 10**7))
        lock = state.lock("r")
        assert lock is not None and len(ids_of(state)) == len(found) + 1
        lock.release()
        state.database.close()
    process.kill()
    process.communicate()


def test_forked_process_opens_the_state_anew(home: Home, state: SharedState) -> None:
    asyncio.run(record(state, 1))
    lock = state.lock("r")
    assert lock is not None
    child = os.fork()
    if child == 0:  # no assertion may leave this block: the tests would go on in two processes
        try:
            asyncio.run(record(state, 2))
            os._exit(0 if state.lock("r") is None else 3)
        except BaseException:
            os._exit(4)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    asyncio.run(record(state, 3))
    assert ids_of(state) == ["c1", "c2", "c3"] and lock.is_held()
    assert state.lock("r") is None, "the child's end frees nothing"
    lock.release()


def test_file_that_another_program_locks_is_one_clear_error(
    home: Home, state: SharedState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.1)
    state.check_answers()
    state.database.close()
    locking = sqlite3.connect(home.state, isolation_level=None)
    locking.execute("BEGIN IMMEDIATE")
    with pytest.raises(LandingError, match=r"state\.db: another program has kept the file locked .*same command"):
        state.set_budget(*STAGE, 1.0)
    locking.execute("ROLLBACK")
    locking.close()
    state.set_budget(*STAGE, 1.0)


def test_file_of_another_version_is_refused(home: Home, state: SharedState) -> None:
    state.check_answers()
    state.database.close()
    with sqlite3.connect(home.state) as con:
        con.execute("PRAGMA user_version = 99")
    con.close()
    told = (
        r"state\.db has a state of version 99, and this demur needs version \d+: install the demur that made it, or set"
    )
    with pytest.raises(LandingError, match=told):
        state.check_answers()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_home_that_cannot_be_written_is_one_clear_error(home: Home) -> None:
    home.root.chmod(0o500)
    try:
        with pytest.raises(LandingError, match=r"state\.db: Permission denied; it must be a file .* can be written"):
            shared_state(home).check_answers()
    finally:
        home.root.chmod(0o700)


def test_home_that_is_deleted_and_made_again_begins_anew(home: Home) -> None:
    database = SqliteDatabase(home.state)
    values = {"home": "", "round_id": "r", "stage": "s", "usd": 1.0}
    database.write("set_budget", values)
    for path in home.root.glob("state.db*"):
        path.unlink()
    database.write("set_budget", {**values, "usd": 2.0})
    assert database.read("left", values) == [(2.0,)]
    database.close()


def test_home_that_is_moved_while_work_goes_on_is_not_made_anew(home: Home) -> None:
    database = SqliteDatabase(home.state)
    values = {"home": "", "round_id": "r", "stage": "s", "usd": 1.0}
    database.write("set_budget", values)
    moved = home.root.rename(home.root.with_name("moved"))
    for _ in range(2):
        with pytest.raises(OSError, match="moved, deleted, unmounted or replaced while work went on"):
            database.write("set_budget", values)
        assert not home.root.exists()
    home.root.mkdir()  # as the mount point of a disk that is gone
    with pytest.raises(OSError, match="moved, deleted"):
        database.write("set_budget", values)
    home.root.rmdir()
    moved.rename(home.root)
    database.write("set_budget", {**values, "usd": 3.0})
    assert database.read("left", values) == [(3.0,)]
    database.close()
