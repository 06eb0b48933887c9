"""The spending guard of a shard: no request leaves before the budget of its stage has taken its worst cost."""

import asyncio

from demur.engine.state.calls import ShardCalls
from demur.programs.errors import Halted
from demur.programs.journal import CallRecord, SentCall


class CapReached(Halted):
    """A cap leaves too little money for another request, which could cost `usd`."""

    def __init__(self, usd: float) -> None:
        super().__init__(f"the cap leaves less than the ${usd:,.4f} that one request can cost")
        self.usd = usd


class ShardBudget:
    """Reserves the worst costs of a shard's requests. An instance belongs to one event loop.

    A request is stored as sent in the transaction that takes its worst cost from the budget of the stage. When its
    answer is stored, the budget gets back what the request did not cost. If the process dies, the worst cost stays
    taken.
    """

    def __init__(self, calls: ShardCalls) -> None:
        self._calls = calls
        self._under_way = 0
        self._ended = 0
        self._changed = asyncio.Event()

    async def reserve(self, sent: CallRecord) -> None:
        """Store a request as sent. While the budget is too small, wait for requests of the shard that are under way.

        Raises:
            CapReached: the budget is too small, and no request of the shard is under way.
            CallStoreError: the request cannot be stored.
        """
        while True:
            ended, changed = self._ended, self._changed
            if await self._calls.send(sent):
                self._under_way += 1
                return
            if self._ended != ended:
                continue
            if not self._under_way:
                raise CapReached(sent.reserved_usd or 0.0)
            await changed.wait()

    def adopt(self, sent: SentCall) -> None:
        """Take over a request that an earlier run has stored as sent, and whose answer can still be had."""
        self._calls.adopt(sent)
        self._under_way += 1

    def settle(self) -> None:
        """Note that a request has ended: its answer is stored, or nobody waits for it any more."""
        self._under_way -= 1
        self._ended += 1
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()
