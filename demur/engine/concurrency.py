"""Concurrent work on units, a bounded number at a time, and the first wave of a shard's requests."""

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Generic, Protocol, TypeVar

from demur.programs.errors import Halted

# Concurrent work on units, a bounded number at a time, in the order of completion.


T = TypeVar("T")
R = TypeVar("R")

STARTED_TOGETHER: Final = 16
"""Number of started units after which the event loop may send their first requests."""
POLL_SECONDS: Final = 0.5
"""Time between checks whether further units may begin, while no unit ends."""
GRACE_SECONDS: Final = 60.0
"""Time for units in flight to end when no further unit may begin, so that paid answers are kept."""


class Standing(Protocol):
    """The right to begin units, which may end."""

    def goes_on(self) -> bool:
        """Return whether units may begin."""


@dataclass(slots=True)
class UnitQueue(Generic[T]):
    """Units to start one by one, until `stopped` is set or their right to begin ends.

    Attributes:
        units: The units.
        standing: The right to begin units; None outside rounds.
        stopped: Whether no further unit starts.
    """

    units: Iterator[T]
    standing: Standing | None = None
    stopped: bool = False
    _ended_at: float | None = None

    @property
    def ended(self) -> bool:
        """Whether the right to begin units has ended."""
        if self.standing is not None and self._ended_at is None and not self.standing.goes_on():
            self._ended_at = time.monotonic()
        return self._ended_at is not None

    @property
    def overdue(self) -> bool:
        """Whether the right ended GRACE_SECONDS ago. Units in flight are then cancelled."""
        return self.ended and time.monotonic() - (self._ended_at or 0) >= GRACE_SECONDS

    def next(self) -> T | None:
        """Return the next unit to start; None if there is none."""
        return None if self.stopped or self.ended else next(self.units, None)


async def as_completed(
    work: Callable[[T], Coroutine[object, object, R]], queue: UnitQueue[T], concurrency: int
) -> AsyncGenerator[tuple[T, R], None]:
    """Yield each unit with the result of `work`, in the order of completion, `concurrency` units at a time.

    When the generator is closed or `work` raises, units in flight are cancelled and awaited.
    """
    running: dict[asyncio.Task[R], T] = {}
    ended: asyncio.Queue[asyncio.Task[R]] = asyncio.Queue()
    started = 0
    try:
        while not queue.overdue:
            while len(running) < concurrency and (unit := queue.next()) is not None:
                task = asyncio.create_task(work(unit))
                task.add_done_callback(ended.put_nowait)
                running[task] = unit
                started += 1
                if started % STARTED_TOGETHER == 0:
                    await asyncio.sleep(0)
            if not running:
                return
            try:
                async with asyncio.timeout(POLL_SECONDS):
                    task = await ended.get()
            except TimeoutError:
                continue
            yield running.pop(task), task.result()
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


# The first requests of a shard: until one reply can be read, at most one wave of requests goes out.
#
# A wave is as many requests as the models' limits allow at a time. Without this bound, every unit would repeat its
# request several times before the first unit shows that no reply can be read.


FIRST_WAVE_POLL_SECONDS: Final = 0.05
DOUBT: Final = 1e-4
"""Significance level at which the share of unreadable replies counts as too large."""


def surely_beyond(unreadable: int, ended: int, share: float) -> bool:
    """Return True if the share of unreadable units is above `share` by a binomial test.

    The ended units are treated as a random sample, because the content of a unit does not decide when the unit ends.
    """
    if unreadable <= share * ended:
        return False
    from scipy.special import betainc  # binomial tail

    return bool(betainc(unreadable, ended - unreadable + 1, share) < DOUBT)


def unreadable_message(problem: str, unreadable: int, ended: int, share: float, what: str = "units") -> str:
    """Return the message for a stage with too many unreadable replies; `problem` is the newest fault."""
    return (
        f"replies to {unreadable} of {ended} {what} could not be read, more than gates.unreadable {share:g} allows: "
        f"{problem[:200].rstrip('.')}. Change the model's settings (max_tokens, structured_output), or raise "
        "gates.unreadable; --again invalid asks again for unreadable judgements"
    )


class FirstWave:
    """Holds back a model's requests of a task after the first wave until a reply to the task could be read.

    If no reply of the wave could be read, no further request is sent, provided that so many unreadable replies surely
    exceed the allowed share. If the wave is too small to tell, the next wave is sent. The shards of one run of a stage
    share an instance, in several threads.
    """

    def __init__(self, size: int, most_unreadable: float) -> None:
        self._size = size
        self._most = most_unreadable
        self._lock = threading.Lock()
        self._sent = 0
        self._outstanding = 0
        self._read = 0
        self._problems: list[str] = []

    async def enter(self) -> None:
        """Wait until a request may be sent.

        Raises:
            Halted: none of the replies so far could be read, and these are too many.
        """
        while not self._enters():
            await asyncio.sleep(FIRST_WAVE_POLL_SECONDS)

    def leave(self) -> None:
        """Note that a request ended without a reply."""
        with self._lock:
            self._outstanding -= 1

    def note(self, problem: str | None) -> None:
        """Note a reply: None for a reply that could be read, else the reason why it could not."""
        with self._lock:
            self._outstanding -= 1
            if problem is None:
                self._read += 1
            else:
                self._problems.append(problem)

    def retract(self, problem: str) -> None:
        """Note that a reply that could be read cannot be used."""
        with self._lock:
            self._read -= 1
            self._problems.append(problem)

    def _enters(self) -> bool:
        with self._lock:
            if self._read <= 0:
                number = len(self._problems)
                if surely_beyond(number, number, self._most):
                    raise Halted(unreadable_message(self._problems[-1], number, number, self._most, "requests"))
                if self._sent >= self._size and self._outstanding > 0:
                    return False
                if self._sent >= self._size:
                    self._sent = 0
            self._sent += 1
            self._outstanding += 1
            return True


class FirstWaves:
    """The first waves of the models that a stage asks. `most_unreadable` is the allowed share of unreadable replies.

    Each task has waves of its own, since a model may answer in plain text and never give the JSON of another task.
    """

    def __init__(self, most_unreadable: float) -> None:
        self._most = most_unreadable
        self._waves: dict[tuple[str, str], FirstWave] = {}

    def of(self, model: str, task: str, size: int) -> FirstWave:
        """Return the first wave of a model and task; `size` is how many requests the model's limits allow at a time."""
        return self._waves.setdefault((model, task), FirstWave(size, self._most))


@lru_cache(maxsize=8)
def first_waves(run: str, most_unreadable: float) -> FirstWaves:
    """Return the first waves of one run of a stage in this process."""
    return FirstWaves(most_unreadable)
