"""An event loop whose clock goes on only while everybody sleeps: minutes of waiting take no time, and are exact."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class _NobodyWaits(selectors.SelectSelector):
    """Moves the loop's clock on by the time that the loop would have slept."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return what is ready; nothing is waited for."""
        self.now += timeout or 0.0
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop that never sleeps."""

    def __init__(self) -> None:
        self._clock = _NobodyWaits()
        super().__init__(self._clock)

    def time(self) -> float:
        """Return the time that has passed in sleeping."""
        return self._clock.now


def run_virtually(main: Coroutine[Any, Any, Result]) -> Result:
    """Return what a coroutine returns that waits for nothing but time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
