"""The transport of the batch lane: `ask` queues requests, sends the queue as a batch, and returns answers.

All units of a stage run at once. Each unit waits in `ask` until the answer arrives, with or without batches. Programs
and their repairs therefore need no code for batches. If a program asks for a repair or asks another question, the
request goes into the next batch.
"""

import asyncio
import json
import logging
import traceback
import uuid
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from dspy.lm15 import Request

from demur.lanes.batch.endpoint import BatchEndpoint, BatchRequest, BatchResult
from demur.lanes.batch.run import Answer, BatchContext, BatchRun, NeverSentError
from demur.lanes.batch.submission import collect, resume, send
from demur.lanes.keys import Mask
from demur.lanes.spec import ModelSpec
from demur.lanes.transport import Transport
from demur.programs.adapter.json_adapter import request_digest
from demur.programs.batch_record import BatchRecord, index_of, request_id, request_key
from demur.programs.call_scope import CallScope, Reply, current_scope
from demur.programs.errors import ErrorKind, Halted, LaneError

SETTLED_SECONDS: Final = 0.5
"""The queue is sent after this time without a new request."""
ENTRY_BYTES: Final = 200
"""Bytes of a batch's entry around its request's body."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Queued:
    key: str
    body: dict[str, Any]
    answer: Answer


class BatchTransport:
    """Sends the requests of one model in one stage as batches. An instance belongs to one event loop.

    Requests outside of a stage, such as probes, are sent at once and not in a batch.
    """

    def __init__(
        self, spec: ModelSpec, endpoint: Callable[[], BatchEndpoint], live: Callable[[], Transport], mask: Mask
    ) -> None:
        self._spec = spec
        self._fingerprint = spec.fingerprint
        self._open_endpoint = endpoint
        self._open_live = live
        self._mask = mask
        self._live: Transport | None = None
        self._context: BatchContext | None = None
        self._opening = asyncio.Lock()
        self._runs: dict[str, BatchRun] = {}
        self._queue: list[_Queued] = []
        self._queued_bytes = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._gathering = False

    async def prepaid(self, request: Request) -> bool:
        """Return whether a batch of an earlier run contains the request, which then need not be sent."""
        scope = current_scope()
        if scope is None or scope.batches is None:
            return False
        index = (await self._opened(scope)).index
        return index.batch_of(self._key(scope, request)) is not None

    async def ask(self, request: Request) -> Reply:
        """Return the reply from the request's batch.

        Raises:
            LaneError: the request's result is an error, or the batch failed.
            Halted: no batch can be sent, or a batch takes too long. The next run finds the batches that were sent.
        """
        scope = current_scope()
        if scope is None or scope.batches is None:
            self._live = self._live or self._open_live()
            return await self._live.ask(request)
        context = await self._opened(scope)
        key = self._key(scope, request)
        while True:
            paid = context.index.batch_of(key) is not None
            try:
                batch_id, result = await self._result(context, key, request)
            except NeverSentError as exc:
                if paid and scope.budget is not None:  # sent again it has to be paid again
                    raise LaneError(
                        "the provider never received the batch with this request",
                        kind=ErrorKind.CONNECTION,
                        retry_after_seconds=0.0,
                        may_be_billed=False,
                    ) from exc
                continue
            return await context.reply(batch_id, result, request)

    async def _result(self, context: BatchContext, key: str, request: Request) -> tuple[str, BatchResult]:
        """Return the id of the request's batch, and the result.

        If no batch of an earlier run contains the request, the request goes into a new batch.

        Raises:
            NeverSentError: the provider does not have the batch.
        """
        place = context.index.answers.pop(key, None)
        if place is not None:
            line = await asyncio.to_thread(context.store.result, place)
            return place.batch_id, context.endpoint.result(line)
        answer: Answer = asyncio.get_running_loop().create_future()
        pending = context.index.pending.get(key)
        if pending is None:
            context.refuse_too_many(key)
            self._enqueue(context, _Queued(key, context.endpoint.body(request), answer))
        else:
            batch_id, one = pending
            run = self._runs.get(batch_id)
            if run is None:
                run = BatchRun(context, await asyncio.to_thread(context.store.read, batch_id))
                run = self._runs.setdefault(batch_id, run)
            run.waiting[one] = answer
            if len(run.waiting) == 1:
                self._start(self._work(run))
        return await answer

    def _key(self, scope: CallScope, request: Request) -> str:
        digest = request_digest(request)
        return request_key(scope.unit_id, self._fingerprint, digest, scope.times_asked(digest))

    async def _opened(self, scope: CallScope) -> BatchContext:
        """Return the context; the first call opens the endpoint and reads the batches of earlier runs."""
        async with self._opening:
            if self._context is None:
                assert scope.batches is not None
                endpoint = self._open_endpoint()
                store = scope.batches
                index = await asyncio.to_thread(index_of, store, self._spec.name, endpoint.answered_id)
                self._context = BatchContext(self._spec, scope, endpoint, store, index, self._mask)
        return self._context

    def _enqueue(self, context: BatchContext, queued: _Queued) -> None:
        endpoint = context.endpoint
        size = len(json.dumps(queued.body, ensure_ascii=False).encode()) + ENTRY_BYTES
        if self._queue and self._queued_bytes + size > endpoint.most_bytes:
            self._send(context)
        self._queue.append(queued)
        self._queued_bytes += size
        if len(self._queue) >= min(endpoint.most_requests, self._spec.limits.batch_requests or endpoint.most_requests):
            self._send(context)
        elif not self._gathering:
            self._gathering = True
            self._start(self._gather(context))

    async def _gather(self, context: BatchContext) -> None:
        try:
            waiting = -1
            while waiting != len(self._queue):
                waiting = len(self._queue)
                await asyncio.sleep(SETTLED_SECONDS)
        finally:
            self._gathering = False
        self._send(context)

    def _send(self, context: BatchContext) -> None:
        wanted = [one for one in self._queue if not one.answer.cancelled()]
        self._queue = []
        self._queued_bytes = 0
        if not wanted:
            return
        spec = self._spec
        scope = context.scope
        batch_id = f"demur-{uuid.uuid4().hex[:20]}"
        record = BatchRecord(
            batch_id=batch_id,
            round_id=scope.round_id,
            stage=scope.stage,
            model=spec.name,
            provider=spec.provider,
            provider_model=spec.model,
            base_url=spec.base_url,
            key_source=spec.key_source,
            headers=spec.headers,
            requests=len(wanted),
            intended_at=datetime.now(UTC).isoformat(),
        )
        ids = [request_id(one.key, context.index.next_attempt(one.key), batch_id) for one in wanted]
        requests = [BatchRequest(name, one.body) for name, one in zip(ids, wanted, strict=True)]
        waiting = {name: one.answer for name, one in zip(ids, wanted, strict=True)}
        run = self._runs[batch_id] = BatchRun(context, record, requests, waiting)
        self._start(self._work(run))

    async def _work(self, run: BatchRun) -> None:
        """Send or find a batch, wait for its end, and deliver results. Errors go to the waiting requests."""
        try:
            await (send(run) if run.requests else resume(run))
            results, lacking = await collect(run)
            await run.answer(results)
            run.fail(lacking)
        except (NeverSentError, Halted, LaneError) as exc:
            run.fail(exc)
        except OSError as exc:
            run.fail(run.halted(f"cannot be written down: {exc}"))
        except Exception as exc:  # a fault of ours must neither leave units waiting for ever nor lose what they bought
            _log.error("%s", self._mask.error("".join(traceback.format_exception(exc))))
            run.fail(run.halted(f"met a fault of demur's own ({type(exc).__name__}: {exc})"))
        finally:
            self._runs.pop(run.record.batch_id, None)

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def aclose(self) -> None:
        """Cancel all tasks and close connections. Batches continue at the provider."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._context is not None:
            await self._context.endpoint.aclose()
        if self._live is not None:
            await self._live.aclose()
