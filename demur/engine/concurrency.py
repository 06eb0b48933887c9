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
"""Time between checks for a withdrawn order while no unit ends."""
GRACE_SECONDS: Final = 60.0
"""Time for units in flight to end after the withdrawal of their order, so that paid answers are kept."""


class Standing(Protocol):
    """An order that may be withdrawn."""

    def exists(self) -> bool:
        """Return whether the order is not withdrawn."""


@dataclass(slots=True)
class UnitQueue(Generic[T]):
    """Units to start one by one, until `stopped` is set or the order is withdrawn.

    Attributes:
        units: The units.
        order: The order; None outside rounds.
        stopped: Whether no further unit starts.
    """

    units: Iterator[T]
    order: Standing | None = None
    stopped: bool = False
    _withdrawn_at: float | None = None

    @property
    def withdrawn(self) -> bool:
        """Whether the order is withdrawn."""
        if self.order is not None and self._withdrawn_at is None and not self.order.exists():
            self._withdrawn_at = time.monotonic()
        return self._withdrawn_at is not None

    @property
    def overdue(self) -> bool:
        """Whether the order has been withdrawn for GRACE_SECONDS. Units in flight are then cancelled."""
        return self.withdrawn and time.monotonic() - (self._withdrawn_at or 0) >= GRACE_SECONDS

    def next(self) -> T | None:
        """Return the next unit to start; None if there is none."""
        return None if self.stopped or self.withdrawn else next(self.units, None)


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
