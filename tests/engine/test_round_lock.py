"""The lock of a round between processes, and what becomes of it when it is lost."""

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from demur.engine.round_lock import TakenOverError, check_held, is_held, is_locked, round_lock
from demur.engine.state import shared as state_shared
from demur.engine.state.locks import SURE_SECONDS, Lock
from demur.errors import RoundBusyError
from demur.warehouse.home import Home
from tests.engine.machines import Machine, until
from tests.engine.postgres_server import Server

Machines = Callable[[], Machine]
ROUND = "r"


def be(machine: Machine, home: Home, address: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process be one of the machines."""
    monkeypatch.setitem(state_shared._states, (address or str(home.state), home), machine.state)


async def freed(machine: Machine, name: str = ROUND, part: str = "") -> Lock:
    """Return a lock once the server has freed it."""
    found: list[Lock] = []

    def take() -> bool:
        found.extend(filter(None, [machine.state.lock(name, part)]))
        return bool(found)

    await until(take)
    return found[0]


def test_round_is_worked_on_by_one_process_at_a_time(
    home: Home, machine: Machines, address: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = machine(), machine()
    be(a, home, address, monkeypatch)
    assert not is_locked(home, ROUND)
    with round_lock(home, ROUND), round_lock(home, ROUND):
        assert is_locked(home, ROUND) and is_held(home, ROUND) and b.state.lock(ROUND) is None
        other = b.state.lock("another")
        assert other is not None
        other.release()
    assert not is_locked(home, ROUND)
    taken = b.state.lock(ROUND)
    assert taken is not None and is_locked(home, ROUND)
    busy = pytest.raises(RoundBusyError, match=r"round r is being worked on by PID \d+")
    with busy, round_lock(home, ROUND):
        pass
    taken.release()


async def test_lost_lock_is_taken_again_unless_another_process_has_worked_meanwhile(
    home: Home, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEMUR_STATE", server.address)
    a, b = Machine(home, server.address), Machine(home, server.address)
    be(a, home, server.address, monkeypatch)
    with round_lock(home, ROUND):
        a.database.close()  # as the server ends the session of a silent process
        assert not is_held(home, ROUND)
        a.state.begin_run(ROUND, "a's run")
        check_held(home, ROUND)
        assert is_held(home, ROUND) and b.state.lock(ROUND) is None
        assert b.state.is_run(ROUND, "a's run"), "its workers go on"
        a.database.close()
        taken = await freed(b)
        with pytest.raises(TakenOverError, match="the same command continues the round"):
            check_held(home, ROUND)
        with monkeypatch.context() as patched:
            patched.setattr(state_shared, "PROCESS", "another process")
            patched.setattr(state_shared, "SURE_SECONDS", 0.0)
            taken.release()
            taken = await freed(b)
            b.state.begin_run(ROUND, "b's run")
        a.state.begin_run(ROUND, "a's run")
        assert b.state.is_run(ROUND, "b's run"), "a round that was lost is left as it is"
        taken.release()
        with pytest.raises(TakenOverError):
            check_held(home, ROUND)
    for one in (a, b):
        one.close()


async def test_lock_of_a_process_that_never_ended_its_work_is_waited_for_until_it_must_know(
    home: Home, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr(state_shared, "time", SimpleNamespace(sleep=waited.append))
    a, b = Machine(home, server.address), Machine(home, server.address)
    for part in ("", "respond.000001-x"):
        with monkeypatch.context() as patched:
            patched.setattr(state_shared, "PROCESS", f"another process {part}")
            assert a.state.lock(ROUND, part) is not None
        a.database.close()  # as a restart of the server frees the lock, which a is sure of for a while
        lock = await freed(b, ROUND, part)
        assert waited.pop() == SURE_SECONDS and not waited
        b.state.release(lock, ROUND, part)
        with monkeypatch.context() as patched:
            patched.setattr(state_shared, "PROCESS", f"another process {part}")
            again = await freed(a, ROUND, part)
            assert waited == [], "b has ended its work"
            again.release()
    for one in (a, b):
        one.close()


async def test_silent_session_loses_its_locks_and_its_process_knows(
    home: Home, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    postgres = pytest.importorskip("demur.engine.state.postgres")
    for name, seconds in (("SILENT_SECONDS", 1.0), ("SURE_SECONDS", 0.2), ("BEAT_SECONDS", 0.1)):
        monkeypatch.setattr(postgres, name, seconds)
    a, b = Machine(home, server.address), Machine(home, server.address)
    lasting = a.state.lock("lasts")
    monkeypatch.setattr(postgres, "BEAT_SECONDS", 60.0)
    silent = b.state.lock("silent")
    assert lasting is not None and silent is not None and silent.is_held()
    await freed(a, "silent")
    assert not silent.is_held() and lasting.is_held()
    again = b.state.lock("b goes on")
    assert again is not None
    for one in (a, b):
        one.close()


def test_home_that_was_moved_is_worked_on_no_more(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEMUR_STATE", raising=False)
    with round_lock(home, ROUND):
        home.root.rename(home.root.with_name("elsewhere"))
        assert not is_held(home, ROUND)
        with pytest.raises(TakenOverError, match=r"is no longer the folder .* moved, deleted or replaced"):
            check_held(home, ROUND)
        assert not home.root.exists()
