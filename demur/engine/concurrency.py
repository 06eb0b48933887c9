"""Units worked on at the same time, a bounded number at once, in the order in which they end."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

T = TypeVar("T")
R = TypeVar("R")

STARTED_TOGETHER: Final = 16
"""After so many units were started the event loop sends their first requests, before more are started."""
POLL_SECONDS: Final = 0.5
"""Time between looks at whether the order was withdrawn, while no unit ends."""
GRACE_SECONDS: Final = 60.0
"""Time for units in flight to end once the order was withdrawn; an answer that was paid for should be kept."""


class Standing(Protocol):
    """An order, by its file or by who holds it."""

    def exists(self) -> bool:
        """Return whether it was not withdrawn."""


@dataclass(slots=True)
class UnitQueue(Generic[T]):
    """Units to start one by one, until `stopped` is set or the order is withdrawn; outside rounds there is none.

    A withdrawal reaches workers of other processes and machines too, and needs no space on a full disk.
    """

    units: Iterator[T]
    order: Standing | None = None
    stopped: bool = False
    _withdrawn_at: float | None = None

    @property
    def withdrawn(self) -> bool:
        """Whether the order was withdrawn."""
        if self.order is not None and self._withdrawn_at is None and not self.order.exists():
            self._withdrawn_at = time.monotonic()
        return self._withdrawn_at is not None

    @property
    def overdue(self) -> bool:
        """Whether the order was withdrawn so long ago that units in flight are cancelled."""
        return self.withdrawn and time.monotonic() - (self._withdrawn_at or 0) >= GRACE_SECONDS

    def next(self) -> T | None:
        """Return the next unit to begin, None where there is none."""
        return None if self.stopped or self.withdrawn else next(self.units, None)


async def as_completed(
    work: Callable[[T], Coroutine[object, object, R]], queue: UnitQueue[T], concurrency: int
) -> AsyncGenerator[tuple[T, R], None]:
    """Yield each unit with what `work` returned for it, as they end, `concurrency` at a time.

    Closing the generator cancels units in flight and waits until they have ended; so does an exception of `work`.
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
