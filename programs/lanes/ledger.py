"""The engine behind every dspy.LM of ours: known answers first, then the lane, everything written down."""

import asyncio
import random
import time
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from dspy.lm15 import Message, Request, Response, Usage

from programs.adapter import TASK_PREFIX, request_digest
from programs.errors import LaneError, ProgramError
from programs.journal import CallRecord, CallScope, Reply, current_scope
from programs.lanes.spec import ModelSpec
from programs.lanes.transport import Transport, system_text

FIRST_BACKOFF_SECONDS = 0.5
LONGEST_BACKOFF_SECONDS = 30.0


@dataclass(slots=True)
class LedgerEngine:
    """Answers requests of one model in one role; belongs to one event loop."""

    spec: ModelSpec
    role: str
    transport: Transport
    _slots: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self._slots = asyncio.Semaphore(self.spec.limits.concurrency)

    async def complete(self, request: Request) -> Response:
        """Return a known answer of the current unit, else ask the lane and record every attempt.

        Raises:
            LaneError: no answer came within the model's limits.
        """
        digest = request_digest(request)
        scope = current_scope()
        known = scope.recall(digest) if scope else None
        reply = known.reply if known else await self._ask(request, digest, scope)
        return _response(self.spec.name, reply)

    async def _ask(self, request: Request, digest: str, scope: CallScope | None) -> Reply:
        deadline = time.monotonic() + self.spec.limits.retry_seconds
        attempt = 0
        while True:
            attempt += 1
            try:
                return await self._attempt(request, digest, scope, attempt)
            except LaneError as exc:
                wait = exc.retry_after_seconds
                if wait is None:
                    ceiling = min(LONGEST_BACKOFF_SECONDS, FIRST_BACKOFF_SECONDS * 2 ** (attempt - 1))
                    wait = random.uniform(ceiling / 2, ceiling)
                if not exc.retryable or attempt > self.spec.limits.retries or time.monotonic() + wait > deadline:
                    raise
                await asyncio.sleep(wait)

    async def _attempt(self, request: Request, digest: str, scope: CallScope | None, attempt: int) -> Reply:
        queued = time.monotonic()
        async with self._slots:
            asked, started = time.monotonic(), datetime.now(UTC)
            reply: Reply | None = None
            error: LaneError | None = None
            try:
                reply = await asyncio.wait_for(self.transport.ask(request), self.spec.limits.timeout_seconds)
            except LaneError as exc:
                error = exc
            except TimeoutError:
                waited = self.spec.limits.timeout_seconds
                error = LaneError(f"no answer within {waited:g} s", kind="timeout", retryable=True)
            latency = time.monotonic() - asked
        if scope is not None and scope.journal is not None:
            call_id = uuid.uuid4().hex
            await scope.journal.record(
                self._record(call_id, scope, request, digest, attempt, reply, error, started, latency, asked - queued)
            )
            scope.last_call_id = call_id
        if reply is None:
            assert error is not None
            raise error
        return reply

    def _record(
        self,
        call_id: str,
        scope: CallScope,
        request: Request,
        digest: str,
        attempt: int,
        reply: Reply | None,
        error: LaneError | None,
        started: datetime,
        latency: float,
        queue: float,
    ) -> CallRecord:
        return CallRecord(
            call_id=call_id,
            round_id=scope.round_id,
            stage=scope.stage,
            unit_id=scope.unit_id,
            role=self.role,
            model=self.spec.name,
            provider=self.spec.provider.value,
            provider_model=self.spec.model,
            program=system_text(request).partition("\n")[0].removeprefix(TASK_PREFIX),
            request_digest=digest,
            attempt=attempt,
            status="ok" if reply else "error",
            error_class=error.kind if error else None,
            error=str(error) if error else None,
            reply=reply.text if reply else None,
            finish_reason=reply.finish_reason if reply else None,
            input_tokens=reply.input_tokens if reply else None,
            output_tokens=reply.output_tokens if reply else None,
            cached_tokens=reply.cached_tokens if reply else None,
            reasoning_tokens=reply.reasoning_tokens if reply else None,
            cost_usd=cost_usd(self.spec, reply) if reply else None,
            latency_seconds=latency,
            queue_seconds=queue,
            started_at=started.isoformat(),
        )

    async def aclose(self) -> None:
        """Close the lane's connections."""
        await self.transport.aclose()


class BlockingEngine:
    """The same engine for DSPy's synchronous callers (its optimisers), one event loop per call."""

    def __init__(self, open_engine: Any) -> None:
        self._open_engine = open_engine

    def complete(self, request: Request) -> Response:
        """Return what the asynchronous engine returns."""

        async def once() -> Response:
            engine: LedgerEngine = self._open_engine()
            try:
                return await engine.complete(request)
            finally:
                await engine.aclose()

        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(once())
        raise ProgramError("this program is asynchronous here: call `await program.acall(...)`")


def cost_usd(spec: ModelSpec, reply: Reply) -> float | None:
    """Return what a reply cost, None where the price or the token counts are unknown; rules cost nothing."""
    if spec.provider == "rules":
        return 0.0
    if spec.prices is None or reply.input_tokens is None or reply.output_tokens is None:
        return None
    cached = reply.cached_tokens or 0
    cached_price = spec.prices.cached_usd_per_million
    if cached_price is None:
        cached_price = spec.prices.input_usd_per_million
    dollars = (
        (reply.input_tokens - cached) * spec.prices.input_usd_per_million
        + cached * cached_price
        + reply.output_tokens * spec.prices.output_usd_per_million
    )
    return dollars / 1e6


def _response(model: str, reply: Reply) -> Response:
    usage = Usage(input_tokens=reply.input_tokens, output_tokens=reply.output_tokens)
    finish = reply.finish_reason if reply.finish_reason in {"stop", "length", "content_filter"} else "stop"
    return Response(id=None, model=model, message=Message.assistant(reply.text), finish_reason=finish, usage=usage)
