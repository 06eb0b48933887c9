"""The lock of a round between machines, and what becomes of it when its holder ends or falls silent."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from demur.engine.round_lock import TakenOverError, check_held, is_locked, round_lock
from demur.engine.state import shared as state_shared
from demur.engine.state.holds import NamedHold, name_held
from demur.errors import ConfigError, RoundBusyError
from demur.warehouse.home import Home
from demur.warehouse.store import ObjectStore
from tests.engine.machines import QUICK, Machine

Machines = Callable[[], Machine]
ROUND = "r"


@pytest.fixture
def as_machine(home: Home, address: str | None, monkeypatch: pytest.MonkeyPatch) -> Callable[[Machine], None]:
    """Let this process be one of the machines."""
    place = address or str(home.state)
    return lambda machine: monkeypatch.setitem(state_shared._states, (place, home), machine.state)


def hold_of(machine: Machine) -> NamedHold:
    return NamedHold(machine.database, machine.heartbeat, machine.state.round_name(ROUND))


def test_round_is_worked_on_by_one_machine_and_free_when_it_ends(
    home: Home, machine: Machines, as_machine: Callable[[Machine], None]
) -> None:
    a, b = machine(), machine()
    as_machine(a)
    assert not is_locked(home, ROUND)
    with round_lock(home, ROUND):
        check_held(home, ROUND)
        assert is_locked(home, ROUND) and not hold_of(b).take()
    assert not is_locked(home, ROUND)
    as_machine(b)
    with round_lock(home, ROUND):
        assert not hold_of(a).take()


def test_lock_of_a_silent_machine_is_waited_for_and_one_that_renews_is_refused(
    home: Home, machine: Machines, as_machine: Callable[[Machine], None]
) -> None:
    a, b = machine(), machine()
    as_machine(b)
    held = hold_of(a)
    assert held.take()
    with pytest.raises(RoundBusyError, match=r"round r is being worked on by PID \d+ on "), round_lock(home, ROUND):
        pass
    a.die()
    said: list[str] = []
    with name_held(b.database, b.heartbeat, b.state.round_name(ROUND), "round r", said.append):
        assert all("round r was last worked on by PID" in one for one in said)


def test_round_that_was_taken_over_stops_and_one_that_was_not_goes_on(
    home: Home, machine: Machines, as_machine: Callable[[Machine], None]
) -> None:
    a, b = machine(), machine()
    as_machine(a)
    with round_lock(home, ROUND):
        a.heartbeat.session().stopping_seconds = 0.0  # it could not renew
        check_held(home, ROUND)
        assert not hold_of(b).take(), "held on"
        a.die()
        time.sleep(2 * QUICK.lease_seconds)
        assert hold_of(b).take()
        for _ in range(2):
            with pytest.raises(TakenOverError, match="the same command goes on"):
                check_held(home, ROUND)


def test_home_in_a_store_needs_a_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEMUR_STATE", raising=False)
    home = Home(tmp_path, ObjectStore("s3://shelf/none"))
    assert not is_locked(home, ROUND)
    said = (
        r"DEMUR_HOME s3://shelf/none: .* over a database, and none is named\. Name one \(DEMUR_STATE, as postgresql://"
    )
    with pytest.raises(ConfigError, match=said), round_lock(home, ROUND):
        pass
