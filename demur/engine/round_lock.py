"""The lock of a round: at most one process, on whichever machine, works on a round.

A check whether a round is locked blocks no process.
"""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from typing import Final

from demur.engine.logs import observer
from demur.engine.state.locks import SILENT_SECONDS, Holder, Lock
from demur.engine.state.shared import POLL_SECONDS, SharedState, shared_state
from demur.errors import RoundBusyError
from demur.programs.errors import Halted
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home

_held: Final[dict[tuple[str, str, str], Lock]] = {}
"""Locks of this process by home, round, and shard; the lock of a round has no shard."""
_taking: Final = threading.Lock()


class TakenOverError(WarehouseError):
    """This process has lost its lock, so another process may have taken over the round."""


@contextmanager
def round_lock(home: Home, round_id: str) -> Iterator[None]:
    """Hold the lock of a round inside the block. A process that holds the lock may take the lock again.

    Raises:
        RoundBusyError: another process works on the round; the message has its PID.
        LandingError: the database of the home's state cannot be used.
    """
    key = str(home.root), round_id, ""
    if key in _held:
        yield
        return
    state = shared_state(home)
    with ExitStack() as stack:
        stack.callback(_rest, state)
        with state.database.explained():
            _held[key] = _taken(state, round_id)
        stack.callback(lambda: state.release(_held.pop(key), round_id))
        yield


def _taken(state: SharedState, round_id: str) -> Lock:
    """Return the lock of a round. A holder that may be on a lost machine is waited for, until it gives a sign of life.

    Raises:
        RoundBusyError: another process works on the round.
    """
    first: Holder | None = None
    while (lock := state.lock(round_id)) is None:
        found = state.holder(round_id)
        if found is None:
            continue
        if not state.database.several_machines or (first is not None and found != first):
            raise RoundBusyError(
                f"round {round_id} is being worked on by {found.who}. Wait until that process ends, or start another "
                "round"
            )
        if first is None:
            first = found
            observer().notice(f"round {round_id}: waiting up to {SILENT_SECONDS:.0f} s for a sign of {found.who}")
        time.sleep(POLL_SECONDS)
    return lock


def _rest(state: SharedState) -> None:
    """Close the SQLite file of a home after the last round of this process."""
    if not _held:
        state.rest()


def is_locked(home: Home, round_id: str) -> bool:
    """Return whether a process works on a round.

    Raises:
        LandingError: the database of the home's state cannot be used.
    """
    if (str(home.root), round_id, "") in _held:
        return True
    state = shared_state(home)
    with state.database.explained():
        return state.holder(round_id) is not None


@asynccontextmanager
async def shard_lock(home: Home, round_id: str, part: str) -> AsyncIterator[None]:
    """Hold the lock of a shard in a worker, as soon as no other worker has it. `part` names its stage and the shard."""
    key = str(home.root), round_id, part
    state = shared_state(home)
    while (lock := await asyncio.to_thread(state.lock, round_id, part)) is None:
        await asyncio.sleep(POLL_SECONDS)
    _held[key] = lock
    try:
        yield
    finally:
        await asyncio.to_thread(state.release, _held.pop(key), round_id, part)


def is_held(home: Home, round_id: str, part: str = "") -> bool:
    """Return whether this process still has a lock that it has taken; True if it has taken none."""
    lock = _held.get((str(home.root), round_id, part))
    return lock is None or lock.is_held()


async def confirm_held(home: Home, round_id: str, part: str = "") -> None:
    """Wait until this process has its lock of a round or shard again, if it has lost it.

    Raises:
        Halted: another process has taken over the work, or the state cannot be used.
    """
    if not is_held(home, round_id, part):
        try:
            await asyncio.to_thread(check_held, home, round_id, part)
        except WarehouseError as exc:
            raise Halted(str(exc)) from exc


def check_held(home: Home, round_id: str, part: str = "") -> None:
    """Check that no other process has taken over the work of this process. A lost lock is taken again.

    Raises:
        TakenOverError: another process has taken over the work, or the home was moved.
        LandingError: the database of the home's state cannot be used.
    """
    if is_held(home, round_id, part):
        return
    state = shared_state(home)
    if not state.database.several_machines:
        raise TakenOverError(
            f"{home.root} is no longer the folder in which round {round_id} began: it was moved, deleted or replaced. "
            "Landed rows are kept there; put it back, then the same command continues the round"
        )
    with _taking, state.database.explained():
        if is_held(home, round_id, part):  # another thread has taken it
            return
        if (lock := state.lock(round_id, part, again=True)) is not None:
            _held[str(home.root), round_id, part] = lock
            return
    raise TakenOverError(
        f"round {round_id}: this process lost its lock in {state}, and another process has taken over the work. Landed "
        "rows are kept; the same command continues the round"
    )
