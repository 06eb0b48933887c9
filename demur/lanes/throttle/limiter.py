"""The rate limits of one model in this process: requests in flight, requests and tokens a minute, pauses.

All shards of a process share a model's limiter, across threads and event loops. If a request need not wait, the limiter
takes microseconds.
"""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Final

from demur.lanes.spec import ModelLimits
from demur.lanes.throttle.pace import Pace, Permit, TokenBucket
from demur.programs.errors import ErrorKind, LaneError

MAX_POLL_SECONDS: Final = 0.25
"""The longest sleep of a waiting request; tokens may be returned and pauses added meanwhile."""


class Limiter:
    """The limits that hold for all requests to one model, and the pace of requests that the provider accepts.

    A 429 with a wait (Retry-After) slows all requests. Other refusals (503, 529) do not depend on the rate of requests,
    so only the refused request waits.

    Shards are served in order: requests of a later shard wait for requests of earlier shards. If shards took turns, all
    shards would end at the same time, and no request would be in flight while the next shards begin.
    """

    def __init__(self, limits: ModelLimits, clock: Callable[[], float] = time.monotonic) -> None:
        self._concurrency = self._most = limits.concurrency
        self._parts = 1
        self._longest_cooldown = limits.retry_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._in_flight = 0
        self._waiting: dict[asyncio.AbstractEventLoop, deque[asyncio.Future[None]]] = {}
        self._cooldown_until = float("-inf")
        rpm = limits.requests_per_minute
        tpm = limits.tokens_per_minute
        self._requests = TokenBucket(rpm, least=1.0) if rpm else None
        self._tokens = TokenBucket(tpm) if tpm else None
        self._pace = Pace(limits.concurrency)
        self._pollers: dict[asyncio.AbstractEventLoop, asyncio.Lock] = {}

    @property
    def counts_tokens(self) -> bool:
        """True if there is a limit of tokens a minute."""
        return self._tokens is not None

    @property
    def limit(self) -> int:
        """The number of requests that are currently allowed in flight."""
        return self._most

    @property
    def waiting(self) -> int:
        """The number of requests that wait for a slot."""
        with self._lock:
            return sum(map(len, self._waiting.values()))

    async def acquire(self, tokens: int = 0) -> Permit:
        """Wait for a permit to send a request. `tokens` is the size of the request with its longest possible reply."""
        await self._acquire_slot()
        try:
            if self.try_acquire(tokens) > 0:
                await self._wait_for_allowance(tokens)
        except BaseException:
            self._free_slot()
            raise
        permit = Permit(self._clock(), tokens)
        with self._lock:
            self._pace.sent(permit)
        return permit

    def release(self, permit: Permit, error: LaneError | None, tokens_used: int | None = None) -> None:
        """End a request: free the request's slot, and adapt the pace to the request's outcome.

        If `tokens_used` is not None, the unused tokens are available to other requests.
        """
        with self._lock:
            if self._tokens is not None and tokens_used is not None:
                self._tokens.give_back(permit.tokens - tokens_used)
            self._learn(permit, error)
        self._free_slot()

    def share(self, parts: int) -> None:
        """Use one of `parts` equal parts of the limits, since workers of the same round ask the same model."""
        with self._lock:
            if parts == self._parts:
                return
            self._most = max(1, self._concurrency // parts)
            for bucket in (self._requests, self._tokens):
                if bucket is not None:
                    bucket.per_minute *= self._parts / parts
            self._parts = parts
            freed = self._admitted()
        self._hand_out(freed)

    def cancel(self, permit: Permit) -> None:
        """End a request without an outcome: free its slot and return its tokens."""
        with self._lock:
            if self._tokens is not None:
                self._tokens.give_back(permit.tokens)
        self._free_slot()

    def _learn(self, permit: Permit, error: LaneError | None) -> None:
        now = self._clock()
        if error is None:
            self._pace.answered(permit, now)
        elif error.kind is not ErrorKind.RATE_LIMIT:
            permit.ended = True
        elif self._pace.refused(permit, now):
            wait = error.retry_after_seconds or 0.0
            if wait <= self._longest_cooldown:  # longer ones are the breaker's
                self._cooldown_until = max(self._cooldown_until, now + wait)

    def try_acquire(self, tokens: int) -> float:
        """Take the allowance of one request, and return 0; if that fails, return the seconds until the next try."""
        rate = self._pace.bucket
        if self._requests is self._tokens is rate is None and self._cooldown_until == float("-inf"):
            return 0.0
        taken = [(b, n) for b, n in ((self._requests, 1), (self._tokens, tokens), (rate, 1)) if b is not None]
        with self._lock:
            now = self._clock()
            wait = max([self._cooldown_until - now, *(bucket.wait_seconds(now) for bucket, _ in taken)])
            if wait > 0:
                return wait
            for bucket, number in taken:
                bucket.level -= number
            return 0.0

    async def _wait_for_allowance(self, tokens: int) -> None:
        """Wait until the request's allowance is taken. In each event loop only the first waiting request polls."""
        loop = asyncio.get_running_loop()
        with self._lock:
            self._pollers = {known: line for known, line in self._pollers.items() if not known.is_closed()}
            line = self._pollers.setdefault(loop, asyncio.Lock())
        async with line:
            while (wait := self.try_acquire(tokens)) > 0:
                await asyncio.sleep(min(max(wait, 0.001), MAX_POLL_SECONDS))

    async def _acquire_slot(self) -> None:
        with self._lock:
            if self._in_flight < self._most:
                self._in_flight += 1
                return
            loop = asyncio.get_running_loop()
            granted: asyncio.Future[None] = loop.create_future()
            if loop not in self._waiting:
                self._waiting = {known: line for known, line in self._waiting.items() if not known.is_closed()}
            self._waiting.setdefault(loop, deque()).append(granted)
        try:
            await granted
        except asyncio.CancelledError:
            if granted.done() and not granted.cancelled():
                self._free_slot()
            raise

    def _free_slot(self) -> None:
        with self._lock:
            self._in_flight -= 1
            chosen = self._admitted()
        self._hand_out(chosen)

    def _admitted(self) -> "list[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]]":
        """Remove as many waiting requests from the queue as there are free slots. The caller must hold the lock."""
        chosen = []
        for loop, line in self._waiting.items():
            while line and self._in_flight < self._most:
                chosen.append((loop, line.popleft()))
                self._in_flight += 1
        return chosen

    def _hand_out(self, chosen: "list[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]]") -> None:
        for loop, granted in chosen:
            self._grant(loop, granted)

    def _grant(self, loop: asyncio.AbstractEventLoop, granted: "asyncio.Future[None]") -> None:
        if loop is _running_loop():
            self._settle(granted)
            return
        try:
            loop.call_soon_threadsafe(self._settle, granted)
        except RuntimeError:  # that shard's loop has ended
            self._free_slot()

    def _settle(self, granted: "asyncio.Future[None]") -> None:
        if granted.done():  # the waiting task was cancelled
            self._free_slot()
        else:
            granted.set_result(None)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:  # a thread that only divides limits
        return None
