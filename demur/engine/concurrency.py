"""Concurrent work on units, a bounded number at a time, in the order of completion."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

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

    def exists(self) -> bool:
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
        if self.standing is not None and self._ended_at is None and not self.standing.exists():
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
