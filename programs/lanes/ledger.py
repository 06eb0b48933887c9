"""The engine behind every dspy.LM of ours: known answers first, then the lane, everything written down."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from dspy.lm15 import Message, Request, Response, TokenLogprob, TopLogprob, Usage

from demur.programs.adapter.digests import request_digest
from demur.programs.errors import LaneError
from demur.programs.journal import CallScope, Reply, current_scope
from demur.programs.lanes.attempts import Attempt, call_record, most_tokens, retry_wait_seconds
from demur.programs.lanes.masking import Mask
from demur.programs.lanes.meter import Meter, cost_shares
from demur.programs.lanes.outlet import Outlet
from demur.programs.lanes.prices import prices_of
from demur.programs.lanes.probe import probe_error, probe_request, probe_spec, wants_more_tokens
from demur.programs.lanes.spec import Mode, ModelSpec, Prices
from demur.programs.lanes.throttle.circuit_breaker import DEAD, DOWN
from demur.programs.lanes.throttle.limiter import Permit
from demur.programs.lanes.throttle.shared import Throttle
from demur.programs.lanes.transport import Prepaying, Transport

MERGING_SECONDS: Final = 0.01
"""For so long a recalled answer counts as under way, so that who asks at the same time shares it as when it was asked.

DSPy prepares requests in threads; so the same time is not the same turn of the event loop."""
PROBE_ROLE: Final = "probe"
_KNOWN_FINISHES: Final = frozenset({"stop", "length", "content_filter"})


@dataclass(slots=True)
class LedgerEngine:
    """Answers requests of one model in one role; belongs to one event loop.

    `mask` takes out what must not appear in anything that is kept or said, whoever repeats it to us; `throttle` has the
    limits that hold for all who ask this model, None for one that needs none; `open_probe` opens a lane that asks for
    one token.
    """

    spec: ModelSpec
    role: str
    transport: Transport
    prices: Prices | None = None
    mask: Mask = field(default_factory=Mask, repr=False)
    throttle: Throttle | None = None
    open_probe: Callable[[], Transport] | None = None
    _outlet: Outlet = field(init=False, repr=False)
    _meter: Meter = field(init=False)
    _probing: tuple[Outlet, Meter] | None = None
    _under_way: "dict[tuple[int, str], asyncio.Future[Reply | Exception | None]]" = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._meter = Meter(self.spec, self.prices, cost_shares(self.spec, self.role))
        self._outlet = Outlet(self.spec, self.transport, self.mask)

    async def complete(self, request: Request) -> Response:
        """Return a known answer of the current unit, else ask the lane and record every attempt.

        What one unit asks while it is waiting for the answer to the very same request is not asked again: both get
        that answer.

        Raises:
            LaneError: no answer came within the model's limits.
            Halted: nothing more can be asked for now; the unit stays pending.
            OSError: an answer came but could not be written down.
        """
        digest = request_digest(request)
        scope = current_scope()
        if scope is None:
            return _response(self.spec.name, await self._ask(request, digest, None))
        key = (id(scope), digest)
        while (leader := self._under_way.get(key)) is not None:
            found = await asyncio.shield(leader)
            if isinstance(found, Exception):
                raise found
            if found is not None:  # None: who was waiting for it was cancelled
                return _response(self.spec.name, found)
        mine = self._under_way[key] = asyncio.get_running_loop().create_future()
        settled: Reply | Exception | None = None
        try:
            settled = await self._answer(request, digest, scope)
            return _response(self.spec.name, settled)
        except Exception as exc:
            settled = exc
            raise
        finally:
            del self._under_way[key]
            mine.set_result(settled)

    async def _answer(self, request: Request, digest: str, scope: CallScope) -> Reply:
        known = scope.recall(digest)
        if known is None:
            return await self._ask(request, digest, scope)
        await asyncio.sleep(MERGING_SECONDS)
        return known.reply

    async def _ask(self, request: Request, digest: str, scope: CallScope | None) -> Reply:
        began = time.monotonic()
        number = 1
        excused = False
        while True:
            attempt = await self._attempt(request, number, scope)
            call_id = await self._write_down(scope, request, digest, attempt, self._meter)
            if scope is not None and call_id is not None:
                scope.last_call_id = call_id
            error = attempt.outcome
            if isinstance(error, Reply):
                return error
            spent = 0.0 if self.spec.mode is Mode.BATCH else time.monotonic() - began
            wait = retry_wait_seconds(error, number, spent, self.spec.limits)
            if wait is None:
                if excused or not await self._is_not_to_blame(error):
                    raise error
                excused = True
            else:
                await asyncio.sleep(wait)
            number += 1

    async def _is_not_to_blame(self, error: LaneError) -> bool:
        """Whether a request that would fail now deserves another attempt, because its model was down for everybody.

        Raises:
            ModelUnavailable: it still is.
        """
        if self.throttle is None or self.throttle.breaker.closed or error.kind not in DOWN | DEAD:
            return False
        await self.throttle.breaker.wait_until_closed(self.spec, self.probe)
        return error.kind in DOWN

    def open_probing(self) -> None:
        """Open the lane that probes go through; what takes long is done here, before anything is sent."""
        if self._probing is None and self.open_probe is not None:
            few = probe_spec(self.spec)
            self._probing = Outlet(few, self.open_probe(), self.mask), Meter(few, prices_of(few))

    async def probe(self) -> LaneError | None:
        """Ask for one token, whatever limits and pauses there are, and return the error that came instead."""
        self.open_probing()
        if self._probing is None:
            return None
        request, scope = probe_request(self.spec), current_scope()
        digest, (outlet, meter) = request_digest(request), self._probing
        attempt = await self._attempt_now(request, 1, scope, time.monotonic(), outlet, meter)
        await self._write_down(scope, request, digest, attempt, meter, PROBE_ROLE)
        if wants_more_tokens(attempt.outcome):
            if self.spec.mode is Mode.BATCH:
                return None  # it has looked at the parameters, so it is there; its own lane would take hours
            attempt = await self._attempt_now(request, 2, scope, time.monotonic(), self._outlet, self._meter)
            await self._write_down(scope, request, digest, attempt, self._meter, PROBE_ROLE)
        return probe_error(attempt.outcome)

    async def _write_down(
        self, scope: CallScope | None, request: Request, digest: str, attempt: Attempt, meter: Meter, role: str = ""
    ) -> str | None:
        """Make an attempt durable, then give back what was set aside for it; return its id in the ledger."""
        if scope is None:
            return None
        record = None
        if scope.journal is not None:
            record = call_record(self.spec, role or self.role, scope, request, digest, attempt, meter)
            await scope.journal.record(record)
        if scope.purse is not None and attempt.lease_id == scope.purse.lease_id and attempt.charge.reserved_usd:
            scope.purse.settle(attempt.charge.reserved_usd, attempt.charge.counted_usd)
        return record.call_id if record is not None else None

    async def _attempt(self, request: Request, number: int, scope: CallScope | None) -> Attempt:
        """Ask once, as soon as the model's limits allow it."""
        queued = time.monotonic()
        if self.throttle is None:
            return await self._attempt_now(request, number, scope, queued, self._outlet, self._meter)
        permit = await self._permit(request, self.throttle)
        try:
            attempt = await self._attempt_now(request, number, scope, queued, self._outlet, self._meter)
        except BaseException:
            self.throttle.limiter.cancel(permit)
            raise
        self.throttle.breaker.record(attempt.error)
        self.throttle.limiter.release(permit, attempt.error, attempt.tokens_used)
        return attempt

    async def _permit(self, request: Request, throttle: Throttle) -> Permit:
        tokens = most_tokens(self.spec, request) if throttle.limiter.counts_tokens else 0
        while True:
            if not throttle.breaker.closed:
                await throttle.breaker.wait_until_closed(self.spec, self.probe)
            permit = await throttle.limiter.acquire(tokens)
            if throttle.breaker.closed:
                return permit
            throttle.limiter.cancel(permit)

    async def _attempt_now(
        self, request: Request, number: int, scope: CallScope | None, queued: float, outlet: Outlet, meter: Meter
    ) -> Attempt:
        purse = scope.purse if scope else None
        prepaid = None
        if purse is not None and isinstance(outlet.transport, Prepaying):
            prepaid = await outlet.transport.prepaid(request)
        if prepaid is not None:
            purse = None
        reserved = await meter.reserve(purse, request)
        asked, started = time.monotonic(), datetime.now(UTC)
        try:
            outcome = await outlet.ask(request)
        except BaseException:
            if purse is not None and reserved:
                purse.settle(reserved, reserved)  # nobody waits for the answer any more; it may be billed
            raise
        took, charge = time.monotonic() - asked, meter.charge(reserved, outcome)
        lease_id = prepaid.lease_id if prepaid is not None else purse.lease_id if purse and reserved else None
        return Attempt(number, started, asked - queued, took, outcome, charge, lease_id)

    async def aclose(self) -> None:
        """Close the lane's connections."""
        await self.transport.aclose()
        if self._probing is not None:
            await self._probing[0].transport.aclose()


def _response(model: str, reply: Reply) -> Response:
    usage = Usage(input_tokens=reply.input_tokens, output_tokens=reply.output_tokens)
    finish = reply.finish_reason if reply.finish_reason in _KNOWN_FINISHES else "stop"
    message = Message.assistant(reply.text)
    if reply.logprobs is None:
        return Response(id=None, model=model, message=message, finish_reason=finish, usage=usage)
    top = tuple(TopLogprob(token=token, logprob=logprob) for token, logprob in reply.logprobs)
    first = (TokenLogprob(token=top[0].token, logprob=top[0].logprob, top=top),) if top else None
    return Response(id=None, model=model, message=message, finish_reason=finish, usage=usage, logprobs=first)
