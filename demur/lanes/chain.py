"""The chain of links that each attempt at a request passes, and the row of `calls` of an attempt."""

import asyncio
import json
import logging
import random
import time
import traceback
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final, Protocol

from dspy.lm15 import Request

from demur.lanes.costs import NO_CHARGE, Charge, Meter, most_tokens
from demur.lanes.keys import Mask, whole
from demur.lanes.providers.provider_errors import cut
from demur.lanes.spec import Mode, ModelLimits, ModelSpec
from demur.lanes.throttle.circuit_breaker import CircuitBreaker, Probe
from demur.lanes.throttle.limiter import Limiter
from demur.lanes.throttle.shared import Throttle
from demur.lanes.transport import Prepaying, Transport
from demur.programs.adapter.json_adapter import system_text, task_of, wanted_text
from demur.programs.call_scope import CallRecord, CallScope, Reply, SentPrompts, SpendGuard
from demur.programs.errors import ErrorKind, Halted, LaneError

# One attempt at a request: its row of `calls`, and the wait before the next attempt.


FIRST_BACKOFF_SECONDS: Final = 0.5
LONGEST_BACKOFF_SECONDS: Final = 30.0
LONGEST_ASKED: Final = 1.1
"""The largest factor by which a provider's requested wait is extended at random."""


_NOT_STARTED: Final = datetime.min.replace(tzinfo=UTC)

Outcome = Reply | LaneError
"""The result of an attempt: a reply or an error."""


@dataclass(slots=True)
class Call:
    """One attempt at a request, numbered from 1.

    `queued` is the time at which the attempt began to wait, by the monotonic clock. `is_reserved` is true if the budget
    has reserved the attempt's worst cost. The links of the chain (see
    `chain`) set `started` and all fields after `started`. These fields become columns of `calls`.
    """

    request: Request
    digest: str
    scope: CallScope | None
    number: int = 1
    queued: float = field(default_factory=time.monotonic)
    started: datetime = _NOT_STARTED
    queue_seconds: float = 0.0
    latency_seconds: float = 0.0
    charge: Charge = NO_CHARGE
    call_id: str = field(default_factory=lambda: uuid.uuid4().hex)
    is_reserved: bool = False


def error_of(outcome: Outcome) -> LaneError | None:
    """Return the error of an outcome; None for a reply."""
    return outcome if isinstance(outcome, LaneError) else None


def reply_of(outcome: Outcome) -> Reply | None:
    """Return the reply of an outcome; None if there is none.

    An error has a reply if the provider bills the failed request, for instance when the model refused.
    """
    return outcome if isinstance(outcome, Reply) else outcome.reply


def tokens_used(outcome: Outcome) -> int | None:
    """Return the sum of input and output tokens; None if the provider did not count them."""
    reply = reply_of(outcome)
    if reply is None or reply.input_tokens is None or reply.output_tokens is None:
        return None
    return reply.input_tokens + reply.output_tokens


def call_record(
    spec: ModelSpec, role: str, scope: CallScope, call: Call, outcome: Outcome, meter: Meter, mask: Mask
) -> CallRecord:
    """Return the row of `calls` for an attempt. The row includes the prompt if prompts are stored."""
    reply = reply_of(outcome)
    error = error_of(outcome)
    return CallRecord(
        call_id=call.call_id,
        round_id=scope.round_id,
        stage=scope.stage,
        unit_id=scope.unit_id,
        role=role,
        model=spec.name,
        provider=spec.lane_name,
        provider_model=spec.model,
        program=task_of(system_text(call.request)),
        request_digest=call.digest,
        attempt=call.number,
        status="error" if error else "ok",
        error_class=error.kind.value if error else None,
        error=str(error) if error else None,
        reply=reply.text if reply else None,
        finish_reason=reply.finish_reason if reply else None,
        input_tokens=reply.input_tokens if reply else None,
        output_tokens=reply.output_tokens if reply else None,
        cached_tokens=reply.cached_tokens if reply else None,
        reasoning_tokens=reply.reasoning_tokens if reply else None,
        cost_usd=call.charge.cost_usd,
        latency_seconds=call.latency_seconds,
        queue_seconds=call.queue_seconds,
        started_at=call.started.isoformat(),
        cache_write_tokens=reply.cache_write_tokens if reply else None,
        reserved_usd=call.charge.reserved_usd,
        charged_usd=call.charge.kept_usd,
        batch_id=reply.batch_id if reply else None,
        logprobs=json.dumps(reply.logprobs) if reply and reply.logprobs is not None else None,
        earlier_prompt=reply.earlier_prompt if reply else None,
        reasoning=reply.reasoning if reply else None,
        prompt=None if scope.prompts is None else _prompt(scope.prompts, call.request, mask),
        **meter.columns,
    )


def _prompt(prompts: SentPrompts, request: Request, mask: Mask) -> dict[str, Any]:
    turns = ((message.role, message.text or "") for message in request.messages)
    return prompts.of(system_text(request), turns, wanted_text(request), mask.prompt)


def retry_wait_seconds(
    error: LaneError, attempts: int, spent_seconds: float, limits: ModelLimits, *, others_answered: bool = False
) -> float | None:
    """Return the seconds to wait before the next attempt; None if there is no further attempt.

    If the provider names a time (Retry-After), the wait is this time plus a random part of at most a tenth. Otherwise
    `backoff_seconds` decides the wait. If other requests get answers (`others_answered`), the longest wait is smaller:
    0.25 s after the first and the second attempt. Each further attempt doubles this wait.
    """
    left = limits.retry_seconds - spent_seconds
    if not error.retryable or attempts > limits.retries:
        return None
    asked = error.retry_after_seconds
    if asked is not None:
        return min(left, asked * random.uniform(1, LONGEST_ASKED)) if asked <= left else None
    wait = backoff_seconds(max(0, attempts - 2) if others_answered else attempts)
    return wait if wait <= left else None


def backoff_seconds(attempts: int) -> float:
    """Return a random wait in seconds, between 50% and 100% of the longest wait.

    The longest wait is 0.5 s after the first attempt, and doubles with each further attempt up to 30 s.
    """
    longest = min(LONGEST_BACKOFF_SECONDS, FIRST_BACKOFF_SECONDS * 2.0 ** (attempts - 1))
    return random.uniform(longest / 2, longest)


# The chain of links that each attempt at a request passes, from the engine to the provider.
#
# call store > first wave > throttle > breaker > budget > mask > transport
#
# Each link has the method `ask`, does one task, and calls the next link. Each lane has its own transport. Only
# `chain_of` builds chains.


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
class CallStoreLink:
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
        if scope.call_store is not None:
            record = call_record(self.spec, self.role, scope, call, outcome, self.meter, self.mask)
            await scope.call_store.record(record)
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

    A request that an earlier run has sent in a batch is taken over, and reserves nothing more. No request leaves while
    another process may have taken over the work.
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
            Halted: the budget is too small, the model has no prices, or another process has taken over the work.
        """
        worst = self.meter.worst_case_usd(call.request)
        guard = call.scope.budget if call.scope else None
        if guard is not None and worst != 0.0:
            await self._reserve(guard, call, worst)
        else:
            await confirm(call.scope)
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
        record = call_record(self.spec, self.role, call.scope, call, unanswered, self.meter, self.mask)
        await guard.reserve(record)
        try:
            await confirm(call.scope)
        except BaseException:
            await guard.unreserve(record)
            raise
        call.is_reserved = True


async def confirm(scope: CallScope | None) -> None:
    """Wait, right before a model is asked, until no other process can have taken over the work.

    Raises:
        Halted: another process has taken over the work.
    """
    if scope is not None and scope.confirm is not None:
        await scope.confirm()


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
    return CallStoreLink(link, spec, role, meter, mask)
