"""The batch lane: `ask` parks a request until no more come, sends all that wait as a batch, and returns its answer.

Units of a stage are all under way at once; each waits in `ask` as it would for a live answer, so programs, adapter,
repairs and ledger know nothing of batches. A repair, or a program's second question, goes into a following batch.
"""

import asyncio
import json
import uuid
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from dspy.lm15 import Request

from demur.programs.digests import request_digest
from demur.programs.errors import ErrorKind, LaneError
from demur.programs.journal import CallScope, Reply, current_scope
from demur.programs.lanes.batch.book import BatchRecord
from demur.programs.lanes.batch.desk import AskAgain, Desk, Waiting
from demur.programs.lanes.batch.errand import Errand
from demur.programs.lanes.batch.gateway import UNREADABLE, BatchRequest, BatchResult, Gateway
from demur.programs.lanes.batch.requests import register_of, request_id, request_key
from demur.programs.lanes.batch.tracked import TrackedBatch
from demur.programs.lanes.masking import Mask
from demur.programs.lanes.spec import ModelSpec
from demur.programs.lanes.transport import Prepaid, Transport

SETTLED_SECONDS: Final = 0.5
"""So long no further request must have come before those that wait are sent."""
ENTRY_BYTES: Final = 200
"""What an entry has around the body of its request."""


@dataclass(frozen=True, slots=True)
class _Parked:
    """A request that waits to be sent, and who waits for it."""

    key: str
    attempt: int
    body: dict[str, Any]
    size_bytes: int
    answer: Waiting


class BatchTransport:
    """Sends the requests of one model in one stage as batches; belongs to one event loop.

    Outside of a stage, where nothing would be gathered (a probe, an optimiser), it asks live.
    """

    def __init__(
        self, spec: ModelSpec, gateway: Callable[[], Gateway], live: Callable[[], Transport], mask: Mask
    ) -> None:
        self._spec = spec
        self._open_gateway, self._open_live, self._mask = gateway, live, mask
        self._live: Transport | None = None
        self._desk: Desk | None = None
        self._opening = asyncio.Lock()
        self._errands: dict[str, Errand] = {}
        self._parked: list[_Parked] = []
        self._parked_bytes = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._gathering = False

    async def prepaid(self, request: Request) -> Prepaid | None:
        """Return what paid for a request that is in a batch of an earlier run, None where it has to be sent now."""
        scope = current_scope()
        if scope is None or scope.batches is None:
            return None
        desk = await self._opened(scope)
        batch_id = desk.register.batch_of(_key(scope, request))
        return None if batch_id is None else Prepaid(desk.register.leases.get(batch_id))

    async def ask(self, request: Request) -> Reply:
        """Return the reply that a batch brings.

        Raises:
            LaneError: the request's entry in its batch holds an error, or the batch was refused as a whole.
            Halted: no batch can be sent, or one takes longer than it may; what was sent is found by the next run.
        """
        scope = current_scope()
        if scope is None or scope.batches is None:
            self._live = self._live or self._open_live()
            return await self._live.ask(request)
        desk = await self._opened(scope)
        key = _key(scope, request)
        while True:
            paid = desk.register.batch_of(key) is not None
            try:
                batch_id, result = await self._result(desk, scope, key, request)
            except AskAgain as exc:
                if paid and scope.purse is not None:  # sent again it has to be paid again
                    raise _never_sent() from exc
                continue
            return await _reply(desk, batch_id, result)

    async def _result(self, desk: Desk, scope: CallScope, key: str, request: Request) -> tuple[str, BatchResult]:
        """Return the result of a request and its batch: of an earlier run's, else of one that is waited for now.

        Raises:
            AskAgain: the provider never had the batch.
        """
        place = desk.register.answers.pop(key, None)
        if place is not None:
            return place.batch_id, desk.gateway.result(await asyncio.to_thread(desk.book.result, place))
        answer: Waiting = asyncio.get_running_loop().create_future()
        pending = desk.register.pending.get(key)
        if pending is None:
            self._refuse_too_many(desk, key)
            body = desk.gateway.body(request)
            size = len(json.dumps(body, ensure_ascii=False).encode()) + ENTRY_BYTES
            self._park(desk, scope, _Parked(key, desk.register.next_attempt(key), body, size, answer))
        else:
            batch_id, one = pending
            errand = self._errands.get(batch_id)
            if errand is None:
                errand = Errand(TrackedBatch(desk, await asyncio.to_thread(desk.book.read, batch_id)))
                errand = self._errands.setdefault(batch_id, errand)
            begins = not errand.waiting
            errand.waiting[one] = answer
            if begins:
                self._begin(errand)
        return await answer

    def _refuse_too_many(self, desk: Desk, key: str) -> None:
        """Refuse to buy a request once more that was bought in vain as often as it may be sent again."""
        times = desk.register.times_forfeited(key)
        if times > self._spec.limits.retries:
            raise LaneError(
                f"this request was sent {times} times in batches that brought nothing for it, which may all be on the "
                f"bill, and limits.retries is {self._spec.limits.retries}: raise it to send the request again",
                kind=ErrorKind.LOST,
                retryable=False,
                may_be_billed=False,
            )

    async def _opened(self, scope: CallScope) -> Desk:
        """Open the gateway and read the book, once."""
        async with self._opening:
            if self._desk is None:
                assert scope.batches is not None
                gateway, book = self._open_gateway(), scope.batches
                register = await asyncio.to_thread(register_of, book, self._spec.name, gateway.result)
                self._desk = Desk(self._spec, gateway, book, register, self._mask)
        return self._desk

    def _park(self, desk: Desk, scope: CallScope, parked: _Parked) -> None:
        """Let a request wait; send what waits first where a batch can take no more."""
        bounds = desk.gateway.bounds
        most = min(bounds.requests, self._spec.limits.batch_requests or bounds.requests)
        if self._parked and self._parked_bytes + parked.size_bytes > bounds.body_bytes:
            self._send(desk, scope)
        self._parked.append(parked)
        self._parked_bytes += parked.size_bytes
        if len(self._parked) >= most:
            self._send(desk, scope)
        elif not self._gathering:
            self._gathering = True
            self._start(self._gather(desk, scope))

    async def _gather(self, desk: Desk, scope: CallScope) -> None:
        """Send what waits once no more comes."""
        try:
            waiting = -1
            while waiting != len(self._parked):
                waiting = len(self._parked)
                await asyncio.sleep(SETTLED_SECONDS)
        finally:
            self._gathering = False
        if self._parked:
            self._send(desk, scope)

    def _send(self, desk: Desk, scope: CallScope) -> None:
        """Make a batch of what waits, and let it go its way."""
        parked, self._parked, self._parked_bytes = self._parked, [], 0
        wanted = [one for one in parked if not one.answer.cancelled()]
        if not wanted:
            return
        spec = self._spec
        record = BatchRecord(
            batch_id=f"demur-{uuid.uuid4().hex[:20]}",
            round_id=scope.round_id,
            stage=scope.stage,
            model=spec.name,
            provider=spec.provider.value,
            provider_model=spec.model,
            base_url=spec.base_url,
            key_source=spec.key_source,
            requests=len(wanted),
            intended_at=datetime.now(UTC).isoformat(),
            lease_id=scope.purse.lease_id if scope.purse is not None else None,
        )
        ids = [request_id(one.key, one.attempt, record.batch_id) for one in wanted]
        requests = [BatchRequest(name, one.body) for name, one in zip(ids, wanted, strict=True)]
        errand = Errand(TrackedBatch(desk, record), requests)
        errand.waiting = {name: one.answer for name, one in zip(ids, wanted, strict=True)}
        self._begin(errand)

    def _begin(self, errand: Errand) -> None:
        async def run() -> None:
            try:
                await errand.run()
            finally:
                self._errands.pop(batch_id, None)

        batch_id = errand.batch.record.batch_id
        self._errands[batch_id] = errand
        self._start(run())

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def aclose(self) -> None:
        """Stop waiting and close connections; batches go on at the provider."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._desk is not None:
            await self._desk.gateway.aclose()
        if self._live is not None:
            await self._live.aclose()


def _key(scope: CallScope, request: Request) -> str:
    digest = request_digest(request)
    return request_key(scope.unit_id, digest, scope.times_asked(digest))


def _never_sent() -> LaneError:
    return LaneError(
        "the provider never had the batch of this request",
        kind=ErrorKind.CONNECTION,
        retry_after_seconds=0.0,
        may_be_billed=False,
    )


async def _reply(desk: Desk, batch_id: str, result: BatchResult) -> Reply:
    """Return the reply of a result, marked with its batch; an error is, too, and may be asked again at once."""
    try:
        return replace(desk.gateway.read(result), batch_id=batch_id)
    except UNREADABLE as exc:
        error = LaneError(f"the answer cannot be read: {exc!r}", kind=ErrorKind.PROTOCOL)
    except LaneError as exc:
        error = exc
    useless = result.answered and error.retryable
    if useless:
        await desk.forfeit([result.request_id])
    raise LaneError(
        f"{error} (batch {batch_id})",
        kind=error.kind,
        retryable=error.retryable,
        retry_after_seconds=0.0,
        reply=error.reply and replace(error.reply, batch_id=batch_id),
        may_be_billed=useless,
    ) from error
