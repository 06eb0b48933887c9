"""The lock of a round between machines, and what becomes of it when its holder ends or falls silent."""

from collections.abc import Callable

import pytest

from demur.engine.round_lock import TakenOverError, check_held, is_locked, round_lock
from demur.engine.state import shared as state_shared
from demur.engine.state.processes import NamedHold, name_held
from demur.errors import RoundBusyError
from demur.warehouse.home import Home
from tests.engine.machines import Machine

Machines = Callable[[], Machine]
ROUND = "r"


@pytest.fixture
def as_machine(home: Home, address: str | None, monkeypatch: pytest.MonkeyPatch) -> Callable[[Machine], None]:
    """Let this process be one of the machines."""
    place = address or str(home.state)
    return lambda machine: monkeypatch.setitem(state_shared._states, (place, home), machine.state)


def hold_of(machine: Machine) -> NamedHold:
    return NamedHold(machine.database, machine.heartbeat, machine.state.round_name(ROUND))


def test_round_is_worked_on_by_one_machine_until_it_ends_or_falls_silent(
    home: Home, machine: Machines, as_machine: Callable[[Machine], None]
) -> None:
    a, b, c = machine(), machine(), machine()
    as_machine(a)
    assert not is_locked(home, ROUND)
    with round_lock(home, ROUND):
        assert is_locked(home, ROUND) and not hold_of(b).take()
        a.heartbeat.session().stopping_seconds = 0.0  # it could not renew
        check_held(home, ROUND)
        assert not hold_of(b).take(), "held on"
        a.die()
        said: list[str] = []
        with name_held(b.database, b.heartbeat, b.state.round_name(ROUND), "round r", said.append):
            assert all("round r was last worked on by PID" in one for one in said)
            for _ in range(2):
                with pytest.raises(TakenOverError, match="the same command continues the round"):
                    check_held(home, ROUND)
    assert not is_locked(home, ROUND)
    as_machine(b)
    with round_lock(home, ROUND):
        assert not hold_of(c).take()
    assert hold_of(c).take()
    busy = pytest.raises(RoundBusyError, match=r"round r is being worked on by PID \d+ on ")
    with busy, round_lock(home, ROUND):
        pass
