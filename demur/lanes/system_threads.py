"""Threads for functions of other packages, which may block, hang, raise or fork.

Each call of a plain function has its own thread. Asynchronous functions share one event loop in a thread, so that
clients bound to a loop work. Threads are daemons: a hanging thread ends with the process.
"""

import asyncio
import inspect
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import Context
from dataclasses import dataclass
from typing import Any, Final, cast

BEAT_SECONDS: Final = 0.2
STUCK_SECONDS: Final = 1.0
"""A loop without a beat for this time is blocked."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a call: a return value or an exception."""

    returned: object = None
    raised: BaseException | None = None


class _LoopThread:
    """An event loop in a daemon thread; the loop regularly records the time, to show that no call blocks the loop."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._beaten = time.monotonic()
        threading.Thread(target=self._run, name="systems", daemon=True).start()

    @property
    def stuck(self) -> bool:
        """True if a call blocks the loop."""
        return time.monotonic() - self._beaten > STUCK_SECONDS

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self._beat()
        self.loop.run_forever()

    def _beat(self) -> None:
        self._beaten = time.monotonic()
        self.loop.call_later(BEAT_SECONDS, self._beat)


_lock: Final = threading.Lock()
_current: list[_LoopThread] = []


def _loop_thread() -> _LoopThread:
    with _lock:
        if not _current:
            _current.append(_LoopThread())
        return _current[0]


def _leave_if_stuck(thread: _LoopThread) -> None:
    """Abandon a blocked loop, so that later calls get a new loop."""
    with _lock:
        if thread.stuck and thread in _current:
            _current.remove(thread)


async def call(function: Callable[..., object], *arguments: object) -> Ended:
    """Call a function, and return its value or exception.

    If the task that awaits the result is cancelled, an asynchronous function is cancelled too, but a plain function
    continues in its thread.
    """
    if _is_async(function):
        return await _in_loop(function, arguments)
    ended = await _in_thread(function, arguments)
    if not inspect.isawaitable(ended.returned):
        return ended
    returned = ended.returned
    return await _in_loop(lambda: returned, ())


def _is_async(function: Callable[..., object]) -> bool:
    return any(map(inspect.iscoroutinefunction, (function, getattr(function, "__call__", None))))  # noqa: B004


async def _in_thread(function: Callable[..., object], arguments: tuple[object, ...]) -> Ended:
    future: Future[Ended] = Future()
    process = os.getpid()

    def work() -> None:
        try:
            ended = Ended(function(*arguments))
        except BaseException as exc:
            ended = Ended(raised=exc)
        if os.getpid() != process:
            os._exit(0)  # the function forked; the child has nothing to do here
        future.set_result(ended)

    future.set_running_or_notify_cancel()
    threading.Thread(target=work, name="system", daemon=True).start()
    return await asyncio.wrap_future(future)


async def _in_loop(function: Callable[..., object], arguments: tuple[object, ...]) -> Ended:
    process = os.getpid()

    async def work() -> Ended:
        try:
            ended = Ended(await cast("Any", function(*arguments)))
        except BaseException as exc:
            task = asyncio.current_task()
            if isinstance(exc, asyncio.CancelledError) and task is not None and task.cancelling():
                raise
            ended = Ended(raised=exc)
        if os.getpid() != process:
            os._exit(0)
        return ended

    thread = _loop_thread()
    # a context of its own: settings of our programs, such as DSPy's model, are not those of the function
    future = Context().run(asyncio.run_coroutine_threadsafe, work(), thread.loop)
    try:
        return await asyncio.wrap_future(future)
    except asyncio.CancelledError:
        _leave_if_stuck(thread)
        raise
