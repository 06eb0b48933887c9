"""A shard's lease: money that its requests may spend, asked from the till in portions."""

import asyncio
import uuid
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from demur.programs.errors import Halted
from demur.warehouse.till import Lease, Till

PORTION: Final = 32
"""Requests' worth that a lease asks for at a time: for one visit to the disk, some hundred requests, which cost less
than their worst case."""
CLOSE_ENOUGH: Final = 1e-9
"""US dollars that sums in floating point may differ by."""


class CapReached(Halted):
    """A cap leaves no money for another request, which could cost `usd`."""

    def __init__(self, usd: float) -> None:
        super().__init__(f"the cap leaves less than the ${usd:,.4f} that one request can cost")
        self.usd = usd


class ShardLease:
    """What one shard may spend; belongs to one event loop.

    What is counted and set aside never exceeds what was granted, and grants are durable before they are spent. So
    whatever moment a process dies at, the till knows a bound of what it may have spent.
    """

    def __init__(self, till: Till, shard: str) -> None:
        self._till = till
        self._lease = Lease(uuid.uuid4().hex, shard, 0.0, datetime.now(UTC))
        self._counted = 0.0
        self._reserved = 0.0
        self._under_way = 0
        self._waiting: deque[tuple[float, asyncio.Future[None]]] = deque()
        self._asking: asyncio.Task[None] | None = None

    @property
    def lease_id(self) -> str:
        """What calls that were paid from it name."""
        return self._lease.lease_id

    async def reserve(self, usd: float) -> None:
        """Return once `usd` is set aside; first come, first served.

        Raises:
            CapReached: neither lease nor till has so much, and nothing under way can give it back.
            LandingError: the till cannot be read or written.
        """
        if not self._waiting and self._missing(usd) <= 0:
            self._set_aside(usd)
            return
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((usd, granted))
        self._serve()
        try:
            await granted
        except asyncio.CancelledError:
            if granted.done() and not granted.cancelled() and granted.exception() is None:
                self.settle(usd, 0.0)
            raise

    def settle(self, reserved_usd: float, counted_usd: float) -> None:
        """Give back what was set aside, less what counts as spent; only once the call is durable."""
        self._under_way -= 1
        self._reserved = self._reserved - reserved_usd if self._under_way else 0.0
        self._counted += counted_usd
        if self._waiting:
            self._serve()

    async def close(self) -> None:
        """Give back to the till what was neither spent nor is under way."""
        if self._asking is not None:
            await asyncio.gather(self._asking, return_exceptions=True)
        if self._lease.granted_usd > 0:
            await asyncio.to_thread(self._till.close, self._lease, self._counted + self._reserved)

    def _missing(self, usd: float) -> float:
        """What the lease lacks to set so much aside; at most 0 where it does not."""
        return self._counted + self._reserved + usd - self._lease.granted_usd - CLOSE_ENOUGH

    def _set_aside(self, usd: float) -> None:
        self._reserved += usd
        self._under_way += 1

    def _serve(self) -> None:
        """Serve who waits, as far as the lease goes, and ask the till where it does not."""
        self._admit()
        if self._waiting and (self._asking is None or self._asking.done()):
            self._asking = asyncio.create_task(self._ask())

    async def _ask(self) -> None:
        """Ask the till for what those who wait need, until nobody waits or only answers under way can help."""
        while self._waiting:
            first, _ = self._waiting[0]
            least = self._missing(first) + CLOSE_ENOUGH
            most = least + sum(usd for usd, _ in self._waiting) + PORTION * first
            before = self._lease
            try:
                self._lease = await asyncio.to_thread(self._till.grant, before, least, most)
            except Exception as exc:
                self._refuse_all(exc)
                return
            self._admit()
            if self._lease is before and self._waiting:
                if self._under_way:
                    return  # the next settlement serves again
                self._refuse_first()

    def _admit(self) -> None:
        """Serve those who wait in their order, up to the first one that the lease has too little for."""
        while self._waiting:
            usd, granted = self._waiting[0]
            if not granted.done():
                if self._missing(usd) > 0:
                    return
                self._set_aside(usd)
                granted.set_result(None)
            self._waiting.popleft()

    def _refuse_first(self) -> None:
        usd, granted = self._waiting.popleft()
        if not granted.done():
            granted.set_exception(CapReached(usd))

    def _refuse_all(self, exc: Exception) -> None:
        while self._waiting:
            _, granted = self._waiting.popleft()
            if not granted.done():
                granted.set_exception(exc)


@asynccontextmanager
async def shard_lease(till: Path | None, shard: str) -> AsyncIterator[ShardLease | None]:
    """Yield the lease of a shard, None where no cap holds, and give back what it did not use."""
    if till is None:
        yield None
        return
    lease = ShardLease(Till(till), shard)
    try:
        yield lease
    finally:
        await lease.close()
