"""What all engines of one model share: limiter and breaker within a process, and the limits with other processes."""

import hashlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from demur.programs.errors import ProgramError
from demur.programs.lanes.breaker import Breaker
from demur.programs.lanes.limiter import Limiter
from demur.programs.lanes.seats import Seat
from demur.programs.lanes.spec import ModelSpec

GLANCE_SECONDS: Final = 1.0
"""How often a process looks who else asks its models; who comes later waits a little longer before it asks."""
LINGER_SECONDS: Final = 5.0
"""How long a process that has stopped asking a model keeps its share: until its next shard begins."""

_MODEL: Final = frozenset({"provider", "via", "region", "project", "model", "base_url", "api_key_env", "api_key_block"})
_IDENTITY: Final = _MODEL | {"limits"}


@dataclass(slots=True)
class Shared:
    """One model's limiter and breaker, and its seat among the processes that ask it."""

    limiter: Limiter
    breaker: Breaker
    model: str
    seat: Seat | None = None
    asking: int = 0
    idle_since: float = 0.0


@dataclass(slots=True)
class _Room:
    """What this process shares, and the folder where it meets others; None where it is alone."""

    folder: Path | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)
    watching: bool = False


_room: Final = _Room()
_known: Final[dict[str, Shared]] = {}


def shared(spec: ModelSpec) -> Shared:
    """Return what a model's engines share; the same model under two names with the same limits is one model."""
    identity = spec.model_dump_json(include=set(_IDENTITY))
    with _room.lock:
        if identity not in _known:
            model = hashlib.sha256(spec.model_dump_json(include=set(_MODEL)).encode()).hexdigest()[:32]
            _known[identity] = Shared(Limiter(spec.limits), Breaker(spec.limits), model)
        return _known[identity]


def share_limits(folder: Path) -> None:
    """From now on divide limits with all processes that name the same folder, in equal parts."""
    with _room.lock:
        _room.folder = folder


@contextmanager
def asking(spec: ModelSpec) -> Iterator[None]:
    """Count this process among those that ask a model, where limits are divided.

    Raises:
        ProgramError: the folder where processes meet cannot be used.
    """
    mine = shared(spec)
    with _room.lock:
        _sit_down(spec, mine)
        mine.asking += 1
    try:
        yield
    finally:
        with _room.lock:
            mine.asking -= 1
            mine.idle_since = time.monotonic()


def reset_breakers() -> None:
    """Give models that did not answer another chance: a stage begins."""
    with _room.lock:
        for known in _known.values():
            known.breaker.reset()


def _sit_down(spec: ModelSpec, mine: Shared) -> None:
    """Take a seat where there is none yet; where others sit, wait until they have noticed."""
    if mine.seat is not None or _room.folder is None:
        return
    try:
        mine.seat = Seat(_room.folder / mine.model)
        others = mine.seat.taken() - 1
    except OSError as exc:
        raise ProgramError(
            f"model '{spec.name}': {_room.folder}, where processes divide its limits, cannot be used ({exc}). It must "
            "be a folder that can be written and locked in"
        ) from exc
    mine.limiter.share(others + 1)
    if others:
        mine.limiter.pause(2 * GLANCE_SECONDS)
    if not _room.watching:
        _room.watching = True
        threading.Thread(target=_watch, name="limits", daemon=True).start()


def _watch() -> None:
    """Give every model its share, as long as it is asked."""
    while True:
        time.sleep(GLANCE_SECONDS)
        with _room.lock:
            seated = [known for known in _known.values() if known.seat is not None]
            if not seated:
                _room.watching = False
                return
            for known in seated:
                _glance(known)


def _glance(known: Shared) -> None:
    assert known.seat is not None
    try:
        if not known.asking and time.monotonic() - known.idle_since > LINGER_SECONDS:
            known.seat.leave()
            known.seat = None
        else:
            known.limiter.share(known.seat.taken())
    except OSError:
        return  # somebody removed the folder; the share stays as it is
