"""A time limit that counts from when the event loop can notice an answer."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

BUSY_SECONDS: Final = 0.05


@asynccontextmanager
async def time_limit(seconds: float | None) -> AsyncIterator[None]:
    """Stop what runs inside after so many seconds.

    What may be there already while the event loop was busy (a library being loaded) has as long again to be noticed.

    Raises:
        TimeoutError: it was stopped.
    """
    loop = asyncio.get_running_loop()
    timer: asyncio.TimerHandle | None = None

    def due(at: float) -> None:
        nonlocal timer
        late = loop.time() - at
        if late > BUSY_SECONDS:
            timer = loop.call_later(late, due, loop.time() + late)
        else:
            limit.reschedule(loop.time())

    async with asyncio.timeout(None) as limit:
        if seconds is not None:
            timer = loop.call_later(seconds, due, loop.time() + seconds)
        try:
            yield
        finally:
            if timer is not None:
                timer.cancel()
