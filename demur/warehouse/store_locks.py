"""Who works on a round of a home in a store: one process of all machines, until it ends or says nothing for too long.

locks/<round>/<number>.json    a holder, created; the highest number counts

A holder writes its object again every few seconds, and at the end once more, as free. Times are the store's, as it
writes them on objects, so that clocks of machines do not matter.
"""

import json
import os
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import PurePosixPath
from typing import Final

from demur.levers.durable import write_once
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home, segment
from demur.warehouse.store import ObjectStore, Stored, StoreError

RENEWED_SECONDS: Final = 10.0
LEASE_SECONDS: Final = 45.0
"""After so long without a word from its holder a lock is free."""
POLL_SECONDS: Final = 2.0
ENDING_SECONDS: Final = 2.0
_FREE: Final = b"{}"
_held: dict[tuple[str, str], "_Held"] = {}


class TakenOverError(WarehouseError):
    """Another process has taken a round over, since this one was silent for too long."""


class StoreLockBusyError(WarehouseError):
    """Another process holds the lock; the message names it."""


class _Held:
    """A lock that this process holds: renewed in a thread."""

    def __init__(self, store: ObjectStore, prefix: str, number: int, content: bytes) -> None:
        self._store = store
        self._prefix = prefix
        self._number = number
        self._content = content
        self._key = f"{prefix}{number:012d}.json"
        self._ended = threading.Event()
        self._heard = time.monotonic()
        self._answered = True
        self.lost = False
        self._thread = threading.Thread(target=self._renew, name="store-lock", daemon=True)
        self._thread.start()

    @property
    def doubtful(self) -> bool:
        """Whether others may take the lock for free, since the store has not answered."""
        return time.monotonic() - self._heard > LEASE_SECONDS - RENEWED_SECONDS

    def _renew(self) -> None:
        while not self._ended.wait(RENEWED_SECONDS):
            asked = time.monotonic()
            self._answered = False
            with suppress(StoreError):  # what is done meanwhile goes on; the round meets the error itself
                newest = _newest(self._store, self._prefix)
                if newest is None or newest.key != self._key:
                    self.lost = True
                    return
                self._store.put(self._key, self._content)
                self._heard = asked
                self._answered = True

    def end(self) -> None:
        """Free the lock; of a store that does not answer now it is free for others after a while."""
        self._ended.set()
        self._thread.join(ENDING_SECONDS)
        if not self.lost and not self._thread.is_alive() and self._answered:
            with suppress(StoreError):  # then others wait until it is taken for free
                self._store.put(self._key, _FREE)


@contextmanager
def store_lock(home: Home, round_id: str, *, on_wait: Callable[[str], None]) -> Iterator[None]:
    """Keep processes of other machines off a round inside the block; a home without a store has no such lock.

    Call it with the machine's own lock held: what a process of this machine left is free at once.

    Raises:
        StoreLockBusyError: a process of another machine works on the round.
        StoreError: the store does not answer.
    """
    if home.store is None:
        yield
        return
    held = _held[home.address, round_id] = _taken(home, home.store, round_id, on_wait)
    try:
        yield
    finally:
        del _held[home.address, round_id]
        held.end()


def check_held(home: Home, round_id: str) -> None:
    """Return if nobody can have taken over a round that this process works on.

    Raises:
        TakenOverError: somebody has, or may have.
    """
    held = _held.get((home.address, round_id))
    if held is not None and (held.lost or held.doubtful):
        raise TakenOverError(
            f"round {round_id}: for {LEASE_SECONDS:.0f} s or more the store did not answer, so that another process "
            "may work on the round. What landed is kept, and the same command goes on"
        )


def is_held(home: Home, round_id: str) -> bool:
    """Return whether a process of any machine works on a round of a home in a store."""
    if home.store is None:
        return False
    newest = _newest(home.store, _prefix(home, round_id))
    return newest is not None and _holder(home.store, newest) is not None and _seconds_left(home.store, newest) > 0


def _taken(home: Home, store: ObjectStore, round_id: str, on_wait: Callable[[str], None]) -> _Held:
    prefix = _prefix(home, round_id)
    machine = machine_id(home)
    while True:
        newest = _newest(store, prefix)
        holder = None if newest is None else _holder(store, newest)
        if newest is not None and holder is not None and holder["machine"] != machine:
            _wait_until_free(store, newest, f"round {round_id}", f"PID {holder['pid']} on {holder['host']}", on_wait)
        number = 1 if newest is None else int(PurePosixPath(newest.key).stem) + 1
        me = {"machine": machine, "host": socket.gethostname(), "pid": os.getpid(), "id": uuid.uuid4().hex}
        content = json.dumps(me).encode()
        if store.create(f"{prefix}{number:012d}.json", content):
            if newest is not None:
                store.delete(newest.key)
            return _Held(store, prefix, number, content)


def _wait_until_free(store: ObjectStore, newest: Stored, what: str, who: str, on_wait: Callable[[str], None]) -> None:
    """Return once the holder of a lock has been silent for too long."""
    left = _seconds_left(store, newest)
    if left > 0:
        on_wait(f"{what} was last worked on by {who}, which has not ended it; waiting up to {left:.0f} s for its word")
    end = time.monotonic() + left
    while (now := time.monotonic()) < end:
        time.sleep(min(POLL_SECONDS, end - now))
        found = store.head(newest.key)
        if found is None or found.version != newest.version:
            return
        if found.modified_at != newest.modified_at:
            raise StoreLockBusyError(f"{what} is being worked on by {who}. Wait for it, or start another round")


def _seconds_left(store: ObjectStore, newest: Stored) -> float:
    """Return for how long a lock is not free yet without a word from its holder."""
    return LEASE_SECONDS - (store.now() - newest.modified_at).total_seconds()


def _holder(store: ObjectStore, found: Stored) -> dict[str, str] | None:
    """Return who holds a lock, None where it is free."""
    content = store.get(found.key)
    return json.loads(content) or None if content is not None else None


def _prefix(home: Home, round_id: str) -> str:
    return f"{home.key(home.locks)}/{segment('round', round_id)}/"


def _newest(store: ObjectStore, prefix: str) -> Stored | None:
    return max(store.list(prefix), key=lambda one: one.key, default=None)


def machine_id(home: Home) -> str:
    """Return what tells this machine's folder of the home from those of others."""
    path = home.root / "machine"
    if not path.exists():
        home.root.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".machine-{uuid.uuid4().hex[:8]}")
        write_once(draft, uuid.uuid4().hex.encode())
        with suppress(FileExistsError):
            path.hardlink_to(draft)
        draft.unlink()
    return path.read_text()
