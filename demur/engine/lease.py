"""A shard's lease: what its requests may spend, granted by the budget ledger."""

import asyncio
import uuid
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Final, Protocol

from demur.programs.errors import Halted
from demur.warehouse.leases import Lease

REQUESTS_PER_GRANT: Final = 32
"""Worst cases of so many requests are granted at a time; since requests cost less, some hundred of them go out for one
access to the disk."""
TOLERANCE_USD: Final = 1e-9
"""By how much sums in floating point may differ."""


class Grants(Protocol):
    """A budget ledger, as a lease sees it."""

    @property
    def lapsed(self) -> bool:
        """Whether others may take back what its leases were granted."""

    def grant(self, lease: Lease, least_usd: float, most_usd: float, in_flight_usd: float) -> Lease:
        """Return the lease with between so much and so much more, or as it was where not so much is left.

        No more than `in_flight_usd` of it may be under way from now on.
        """

    def close(self, lease: Lease, used_usd: float) -> None:
        """Take back what a lease did not use."""


class CapReached(Halted):
    """A cap leaves no money for another request, which could cost `usd`."""

    def __init__(self, usd: float) -> None:
        super().__init__(f"the cap leaves less than the ${usd:,.4f} that one request can cost")
        self.usd = usd


class LeaseLapsed(Halted):
    """This process could not renew its holds in time; other processes may have them. The shard starts again."""


class ShardLease:
    """The spend guard of one shard; belongs to one event loop.

    What is counted and reserved never exceeds what was granted, nor what is reserved a bound that the ledger knows, and
    grants are durable before they are spent. So the ledger bounds what a process may have spent, whenever it is killed:
    what its calls say, and the bound of what was under way. Once the ledger has lapsed nothing is reserved: what an
    ended process was granted and cannot have spent is given to others.
    """

    def __init__(self, ledger: Grants, shard: str) -> None:
        self._ledger = ledger
        self._lease = Lease(uuid.uuid4().hex, shard, 0.0, datetime.now(UTC))
        self._counted = 0.0
        self._reserved = 0.0
        self._in_flight = 0
        self._waiting: deque[tuple[float, asyncio.Future[None]]] = deque()
        self._requesting: asyncio.Task[None] | None = None

    @property
    def lease_id(self) -> str:
        """The lease's id, in the rows of calls that it pays."""
        return self._lease.lease_id

    async def reserve(self, usd: float) -> None:
        """Return once `usd` is reserved; first come, first served.

        Raises:
            CapReached: neither lease nor ledger has so much, and no request in flight can give it back.
            LandingError: the ledger cannot be read or written.
        """
        if not self._waiting and self._may(usd):
            self._reserve(usd)
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
        """Release a reservation, less what counts as spent; only once the call is durable."""
        self._in_flight -= 1
        self._reserved = self._reserved - reserved_usd if self._in_flight else 0.0
        self._counted += counted_usd
        if self._waiting:
            self._serve()

    async def close(self) -> None:
        """Return to the ledger what was neither spent nor is in flight."""
        if self._requesting is not None:
            await asyncio.gather(self._requesting, return_exceptions=True)
        if self._lease.granted_usd > 0:
            await asyncio.to_thread(self._ledger.close, self._lease, self._counted + self._reserved)

    def _may(self, usd: float) -> bool:
        """Return whether so much can be reserved now."""
        bound = (self._lease.in_flight_usd or 0.0) + TOLERANCE_USD
        return self._missing(usd) <= 0 and self._reserved + usd <= bound and not self._ledger.lapsed

    def _missing(self, usd: float) -> float:
        """Return the money that the lease lacks to reserve so much; at most 0 where it suffices."""
        return self._counted + self._reserved + usd - self._lease.granted_usd - TOLERANCE_USD

    def _reserve(self, usd: float) -> None:
        self._reserved += usd
        self._in_flight += 1

    def _serve(self) -> None:
        """Admit waiting reservations as far as the lease suffices, and request a grant for the others."""
        self._admit()
        if self._waiting and (self._requesting is None or self._requesting.done()):
            self._requesting = asyncio.create_task(self._request())

    async def _request(self) -> None:
        """Request grants until no reservation waits, or only answers in flight can free what is needed."""
        while self._waiting:
            first, _ = self._waiting[0]
            waiting = sum(usd for usd, _ in self._waiting)
            least = max(0.0, self._missing(first) + TOLERANCE_USD)
            most = least + waiting + REQUESTS_PER_GRANT * first if self._missing(waiting) > 0 else 0.0
            before = self._lease
            try:
                most_under_way = 2 * (self._reserved + waiting)
                self._lease = await asyncio.to_thread(self._ledger.grant, before, least, most, most_under_way)
            except Exception as exc:
                self._refuse_all(exc)
                return
            self._admit()
            if self._lease is before and self._waiting:
                if self._in_flight:
                    return  # the next settlement admits again
                self._refuse_first()

    def _admit(self) -> None:
        """Admit waiting reservations in their order, up to the first one that the lease has too little for."""
        while self._waiting:
            usd, granted = self._waiting[0]
            if not granted.done():
                if not self._may(usd):
                    return
                self._reserve(usd)
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
async def closing(lease: ShardLease) -> AsyncIterator[ShardLease]:
    """Yield a lease, and give back what it did not use."""
    try:
        yield lease
    finally:
        await lease.close()
