"""The lease of a shard: money for its requests, granted by the budget ledger."""

import asyncio
import uuid
from collections import deque
from datetime import UTC, datetime
from typing import Final

from demur.engine.state.ledger import StageLedger
from demur.programs.errors import Halted
from demur.warehouse.leases import Lease

REQUESTS_PER_GRANT: Final = 32
"""Number of requests whose worst-case costs are granted at once, to save writes to the disk."""
TOLERANCE_USD: Final = 1e-9
"""Tolerance for sums of floating-point dollars."""


class CapReached(Halted):
    """A cap leaves too little money for another request, which could cost `usd`."""

    def __init__(self, usd: float) -> None:
        super().__init__(f"the cap leaves less than the ${usd:,.4f} that one request can cost")
        self.usd = usd


class ShardLease:
    """The spending guard of one shard. An instance belongs to one event loop.

    The sum of counted costs and reserved money never exceeds the granted money. The reserved money never exceeds a
    bound that the ledger stores. The ledger stores a grant durably before the money is spent. If a process is killed,
    the ledger therefore knows the highest possible costs: the costs of the stored calls plus the bound. If the
    process could not renew its session in time (`StageLedger.lapsed`), nothing more is reserved, because other
    processes may use the rest of the granted money.
    """

    def __init__(self, ledger: StageLedger, shard: str) -> None:
        self._ledger = ledger
        self._lease = Lease(uuid.uuid4().hex, shard, 0.0, datetime.now(UTC))
        self._counted = 0.0
        self._reserved = 0.0
        self._in_flight = 0
        self._waiting: deque[tuple[float, asyncio.Future[None]]] = deque()
        self._requesting: asyncio.Task[None] | None = None

    @property
    def lease_id(self) -> str:
        """The id of the lease, as in the rows of calls."""
        return self._lease.lease_id

    async def reserve(self, usd: float) -> None:
        """Wait until `usd` is reserved. Reservations are granted in the order in which they were requested.

        Raises:
            CapReached: lease and ledger have too little money, and no request in flight can release any.
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
        """Replace a reservation by the counted costs. Record an answered call durably before this step."""
        self._in_flight -= 1
        self._reserved = self._reserved - reserved_usd if self._in_flight else 0.0
        self._counted += counted_usd
        if self._waiting:
            self._serve()

    async def aclose(self) -> None:
        """Give back to the ledger all money of the lease that is neither spent nor reserved for requests in flight."""
        if self._requesting is not None:
            await asyncio.gather(self._requesting, return_exceptions=True)
        if self._lease.granted_usd > 0:
            await asyncio.to_thread(self._ledger.close, self._lease, self._counted + self._reserved)

    def _may(self, usd: float) -> bool:
        bound = (self._lease.in_flight_usd or 0.0) + TOLERANCE_USD
        return self._missing(usd) <= 0 and self._reserved + usd <= bound and not self._ledger.lapsed

    def _missing(self, usd: float) -> float:
        """Return the money that the lease lacks for a reservation; 0 or less if the lease suffices."""
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
        """Request grants until no reservation waits, or until only requests in flight can release money."""
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
        """Admit waiting reservations in their order, up to the first one for which money is lacking."""
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
