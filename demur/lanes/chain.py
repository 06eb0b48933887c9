"""The chain of links that each attempt at a request passes, from the engine to the provider.

    journal > first wave > throttle > breaker > budget > mask > transport

Each link has the method `ask`, does one task, and calls the next link. Each lane has its own transport. Only `chain_of`
builds chains.
"""

import asyncio
import logging
import time
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final, Protocol

from dspy.lm15 import Request

from demur.lanes.call import Call, Outcome, call_record, error_of, tokens_used
from demur.lanes.masking import Mask, whole
from demur.lanes.meter import Charge, Meter, most_tokens
from demur.lanes.provider_errors import cut
from demur.lanes.spec import Mode, ModelSpec
from demur.lanes.throttle.circuit_breaker import CircuitBreaker, Probe
from demur.lanes.throttle.limiter import Limiter
from demur.lanes.throttle.shared import Throttle
from demur.lanes.transport import Prepaying, Transport
from demur.programs.adapter.digests import system_text
from demur.programs.adapter.json_adapter import task_of
from demur.programs.errors import ErrorKind, Halted, LaneError
from demur.programs.journal import Reply, SpendGuard

BUSY_SECONDS: Final = 0.05


@asynccontextmanager
async def time_limit(seconds: float | None) -> AsyncIterator[None]:
    """Stop the block after `seconds`; None means no limit.

    The event loop may be blocked when the time runs out, for instance by an import. A result may then have arrived
    unnoticed. The block therefore gets extra time: the time by which the timer was late.

    Raises:
        TimeoutError: the block was stopped.
    """
    loop = asyncio.get_running_loop()
    timer: asyncio.TimerHandle | None = None

    def due(at: float) -> None:
        nonlocal timer
        late = loop.time() - at
        if late > BUSY_SECONDS:
            timer = loop.call_later(late, due, loop.time() + late)
        else:
            limit.reschedule(loop.time())

    async with asyncio.timeout(None) as limit:
        if seconds is not None:
            timer = loop.call_later(seconds, due, loop.time() + seconds)
        try:
            yield
        finally:
            if timer is not None:
                timer.cancel()


PROBE_ROLE: Final = "probe"
COALESCE_SECONDS: Final = 0.01
"""A recalled answer counts as in flight for this time, so that equal requests of a unit share it."""
_log = logging.getLogger(__name__)


class Link(Protocol):
    """A part of the chain."""

    async def ask(self, call: Call) -> Outcome:
        """Return the outcome of an attempt.

        Raises:
            Halted: no more requests can be sent now.
        """


@dataclass(frozen=True, slots=True)
class JournalLink:
    """Stores each attempt durably before the reply is used, and so frees what the budget had reserved beyond its cost.

    The scope's `last_call_id` becomes the id of the newest attempt. Probes do not change `last_call_id`.
    """

    inner: Link
    spec: ModelSpec
    role: str
    meter: Meter
    mask: Mask

    async def ask(self, call: Call) -> Outcome:
        """Return the outcome after the attempt is stored.

        Raises:
            OSError: the attempt cannot be stored.
        """
        outcome = await self.inner.ask(call)
        scope = call.scope
        if scope is None:
            return outcome
        if scope.journal is not None:
            record = call_record(self.spec, self.role, scope, call, outcome, self.meter, self.mask)
            await scope.journal.record(record)
            if self.role != PROBE_ROLE:
                scope.last_call_id = record.call_id
        if scope.budget is not None and call.is_reserved:
            scope.budget.settle()
        return outcome


@dataclass(frozen=True, slots=True)
class FirstWaveLink:
    """Delays attempts after the first wave of a stage until a reply of the model to the same task could be read."""

    inner: Link
    spec: ModelSpec

    async def ask(self, call: Call) -> Outcome:
        """Return the outcome.

        Raises:
            Halted: none of the model's first replies to the task could be read.
        """
        scope = call.scope
        if scope is None or scope.waves is None:
            return await self.inner.ask(call)
        task = task_of(system_text(call.request))
        wave = scope.waves.of(self.spec.name, task, self.spec.limits.concurrency)
        await wave.enter()
        try:
            outcome = await self.inner.ask(call)
        except BaseException:
            wave.leave()
            raise
        if error_of(outcome) is None:
            scope.awaits_note(wave)
        else:
            wave.leave()
        return outcome


@dataclass(frozen=True, slots=True)
class ThrottleLink:
    """Delays attempts until the model's limits allow them."""

    inner: Link
    spec: ModelSpec
    limiter: Limiter

    async def ask(self, call: Call) -> Outcome:
        """Return the outcome. The attempt holds a permit of the limiter until the attempt ends."""
        tokens = most_tokens(self.spec, call.request) if self.limiter.counts_tokens else 0
        permit = await self.limiter.acquire(tokens)
        try:
            outcome = await self.inner.ask(call)
        except BaseException:
            self.limiter.cancel(permit)
            raise
        self.limiter.release(permit, error_of(outcome), tokens_used(outcome))
        return outcome


@dataclass(frozen=True, slots=True)
class BreakerLink:
    """Delays attempts while the model's circuit breaker is open. `probe` tests whether the model answers again."""

    inner: Link
    spec: ModelSpec
    breaker: CircuitBreaker
    probe: Probe

    async def ask(self, call: Call) -> Outcome:
        """Return the outcome.

        Raises:
            ModelUnavailable: the breaker has given the model up.
        """
        if not self.breaker.closed:
            await self.breaker.wait_until_closed(self.spec, self.probe)
        outcome = await self.inner.ask(call)
        self.breaker.record(error_of(outcome))
        return outcome


@dataclass(frozen=True, slots=True)
class BudgetLink:
    """Stores an attempt as sent and reserves its worst-case cost, if a cap applies, before the request leaves.

    A request that an earlier run has sent in a batch is taken over, and reserves nothing more.
    """

    inner: Link
    spec: ModelSpec
    role: str
    meter: Meter
    mask: Mask
    prepaid: Callable[[Request], Awaitable[bool]] | None = None

    async def ask(self, call: Call) -> Outcome:
        """Return the outcome.

        Raises:
            Halted: the budget is too small, or the model has no prices.
        """
        worst = self.meter.worst_case_usd(call.request)
        guard = call.scope.budget if call.scope else None
        if guard is not None and worst != 0.0:
            await self._reserve(guard, call, worst)
        try:
            outcome = await self.inner.ask(call)
        except BaseException:
            if guard is not None and call.is_reserved:
                guard.settle()  # its answer is not waited for any more; it may be billed
            raise
        call.charge = self.meter.charge(worst, outcome)
        return outcome

    async def _reserve(self, guard: SpendGuard, call: Call, worst: float | None) -> None:
        assert call.scope is not None
        if self.prepaid is not None and await self.prepaid(call.request):
            answerer = self.role, self.spec.name, str(self.meter.columns["fingerprint"])
            if (sent := call.scope.take_unanswered(call.digest, answerer)) is not None:
                guard.adopt(sent)
                call.call_id, call.is_reserved = sent.call_id, True
            return
        if worst is None:
            raise Halted(f"model '{self.spec.name}' has no prices, so it cannot be asked under a cap")
        call.started, call.charge = datetime.now(UTC), Charge(worst, None, worst)
        unanswered = LaneError("no outcome was stored", kind=ErrorKind.UNANSWERED)
        await guard.reserve(call_record(self.spec, self.role, call.scope, call, unanswered, self.meter, self.mask))
        call.is_reserved = True


@dataclass(frozen=True, slots=True)
class MaskLink:
    """Sends an attempt within its timeout, removes API keys from the reply, and turns all errors into LaneErrors."""

    transport: Transport
    spec: ModelSpec
    mask: Mask

    async def ask(self, call: Call) -> Outcome:
        """Return the outcome of sending the request once. A request in a batch has no timeout."""
        call.started, began = datetime.now(UTC), time.monotonic()
        call.queue_seconds = began - call.queued
        outcome = await self._sent(call.request)
        call.latency_seconds = time.monotonic() - began
        return outcome

    async def _sent(self, request: Request) -> Outcome:
        limit = None if self.spec.mode is Mode.BATCH else self.spec.limits.timeout_seconds
        try:
            async with time_limit(limit):
                return self._fit_to_keep(await self.transport.ask(request))
        except LaneError as exc:
            reply = self._fit_to_keep(exc.reply) if exc.reply else None
            return exc.restated(cut(self.mask.error(str(exc))), reply=reply)
        except Halted:
            raise
        except TimeoutError:
            return LaneError(f"no answer within {limit or 0:g} s", kind=ErrorKind.TIMEOUT)
        except Exception as exc:  # a fault of ours or of a library's ends this unit, not the stage
            _log.error("%s: %s", self.spec.name, self.mask.error("".join(traceback.format_exception(exc))))
            said = self.mask.error(f"{type(exc).__name__}: {exc}")
            return LaneError(cut(said), kind=ErrorKind.UNEXPECTED)

    def _fit_to_keep(self, reply: Reply) -> Reply:
        """Return the reply without keys, and without lone surrogates, which UTF-8 cannot encode."""
        said = (reply.text, reply.finish_reason, reply.reasoning or "")
        text, finish, reasoning = fit = tuple(whole(self.mask.reply(one)) for one in said)
        return reply if fit == said else replace(reply, text=text, finish_reason=finish, reasoning=reasoning or None)


def chain_of(
    spec: ModelSpec,
    role: str,
    transport: Transport,
    meter: Meter,
    mask: Mask,
    throttle: Throttle | None = None,
    probe: Probe | None = None,
) -> Link:
    """Return the chain of a model in a role.

    If `throttle` or `probe` is None, the chain has no limits and no circuit breaker.
    """
    link: Link = MaskLink(transport, spec, mask)
    prepaid = transport.prepaid if isinstance(transport, Prepaying) else None
    link = BudgetLink(link, spec, role, meter, mask, prepaid)
    if throttle is not None and probe is not None:
        link = BreakerLink(link, spec, throttle.breaker, probe)
        link = ThrottleLink(link, spec, throttle.limiter)
        link = FirstWaveLink(link, spec)
    return JournalLink(link, spec, role, meter, mask)
