"""The lock of a round: at most one process, on whichever machine, works on a round.

A check whether a round is locked blocks no process.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

from demur.engine.logs import observer
from demur.engine.state.processes import BusyError, NamedHold, holder_of, name_held
from demur.engine.state.shared import SharedState, shared_state
from demur.errors import RoundBusyError
from demur.lanes.throttle.shared import end_sharing
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home

_held: Final[dict[tuple[str, str], NamedHold]] = {}


class TakenOverError(WarehouseError):
    """This process could not renew its lock in time, so another process may have taken over the round."""


@contextmanager
def round_lock(home: Home, round_id: str) -> Iterator[None]:
    """Hold the lock of a round inside the block. A process that holds the lock may take the lock again.

    Raises:
        RoundBusyError: another process works on the round; the message has its PID.
        LandingError: the database of the home's state cannot be used.
    """
    key = str(home.root), round_id
    if key in _held:
        yield
        return
    state = shared_state(home)
    with ExitStack() as stack:
        stack.callback(_rest, state)
        try:
            with state.database.explained():
                hold = name_held(
                    state.database, state.heartbeat, state.round_name(round_id), f"round {round_id}", observer().notice
                )
                _held[key] = stack.enter_context(hold)
        except BusyError as exc:
            raise RoundBusyError(str(exc)) from exc
        stack.callback(_held.pop, key)
        yield


def _rest(state: SharedState) -> None:
    """Release what this process no longer needs after a round.

    After its last round, the process gives back its shares of limits. If the process has no hold or registration
    in the home's SQLite file, the file is closed.
    """
    if not _held:
        end_sharing()
    state.rest()


def is_locked(home: Home, round_id: str) -> bool:
    """Return whether a process works on a round.

    Raises:
        LandingError: the database of the home's state cannot be used.
    """
    if (str(home.root), round_id) in _held:
        return True
    state = shared_state(home)
    with state.database.explained():
        return holder_of(state.database, state.heartbeat, state.round_name(round_id), patient=False) is not None


def check_held(home: Home, round_id: str) -> None:
    """Check that no other process has taken over a round that this process works on.

    Raises:
        TakenOverError: another process has taken over the round.
        LandingError: the database of the home's state cannot be used.
    """
    held = _held.get((str(home.root), round_id))
    if held is None or not held.lapsed:
        return
    with shared_state(home).database.explained():
        if not held.take_again():
            raise TakenOverError(
                f"round {round_id}: this process could not renew its hold in {shared_state(home)} for too long, and "
                "another process has taken over the round. Landed rows are kept; the same command continues the round"
            )
