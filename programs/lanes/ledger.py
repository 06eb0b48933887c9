"""The engine behind every dspy.LM of ours: known answers first, then the lane, everything written down."""

import asyncio
import logging
import random
import re
import time
import traceback
import uuid
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final

from dspy.lm15 import Message, Request, Response, Usage

from programs.adapter import request_digest, system_text, task_of
from programs.errors import ErrorKind, LaneError
from programs.journal import CallRecord, CallScope, Reply, current_scope
from programs.lanes.meter import Charge, Meter
from programs.lanes.spec import Limits, ModelSpec, Prices
from programs.lanes.transport import Transport

FIRST_BACKOFF_SECONDS: Final = 0.5
LONGEST_BACKOFF_SECONDS: Final = 30.0
LONGEST_ERROR: Final = 500
HIDDEN: Final = "[key]"
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_KNOWN_FINISHES: Final = frozenset({"stop", "length", "content_filter"})
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One request to the lane: when it was made, how long it waited and took, what came of it, and what it cost."""

    number: int
    started: datetime
    queue_seconds: float
    latency_seconds: float
    outcome: Reply | LaneError
    charge: Charge

    @property
    def reply(self) -> Reply | None:
        """What came and was paid for, a model's refusal included."""
        return self.outcome if isinstance(self.outcome, Reply) else self.outcome.reply


@dataclass(slots=True)
class LedgerEngine:
    """Answers requests of one model in one role; belongs to one event loop.

    `key` is what must not appear in anything that is kept or said, whoever repeats it to us.
    """

    spec: ModelSpec
    role: str
    transport: Transport
    prices: Prices | None = None
    key: str | None = field(default=None, repr=False)
    _slots: asyncio.Semaphore = field(init=False)
    _meter: Meter = field(init=False)

    def __post_init__(self) -> None:
        self._meter = Meter(self.spec, self.prices)
        self._slots = asyncio.Semaphore(self.spec.limits.concurrency)

    async def complete(self, request: Request) -> Response:
        """Return a known answer of the current unit, else ask the lane and record every attempt.

        Raises:
            LaneError: no answer came within the model's limits.
            Halted: the cap leaves no money for it.
            OSError: an answer came but could not be written down.
        """
        digest = request_digest(request)
        scope = current_scope()
        known = scope.recall(digest) if scope else None
        reply = known.reply if known else await self._ask(request, digest, scope)
        return _response(self.spec.name, reply)

    async def _ask(self, request: Request, digest: str, scope: CallScope | None) -> Reply:
        began = time.monotonic()
        number = 1
        while True:
            attempt = await self._attempt(request, number, scope)
            if scope is not None and scope.journal is not None:
                record = self._record(scope, request, digest, attempt)
                await scope.journal.record(record)
                scope.last_call_id = record.call_id
            if scope is not None and scope.purse is not None and attempt.charge.reserved_usd:
                scope.purse.settle(attempt.charge.reserved_usd, attempt.charge.counted_usd)
            if isinstance(attempt.outcome, Reply):
                return attempt.outcome
            wait = retry_wait_seconds(attempt.outcome, number, time.monotonic() - began, self.spec.limits)
            if wait is None:
                raise attempt.outcome
            await asyncio.sleep(wait)
            number += 1

    async def _attempt(self, request: Request, number: int, scope: CallScope | None) -> _Attempt:
        queued = time.monotonic()
        async with self._slots:
            reserved = await self._meter.reserve(scope.purse if scope else None, request)
            asked, started = time.monotonic(), datetime.now(UTC)
            outcome = await self._outcome(request)
            took, charge = time.monotonic() - asked, self._meter.charge(reserved, outcome)
            return _Attempt(number, started, asked - queued, took, outcome, charge)

    async def _outcome(self, request: Request) -> Reply | LaneError:
        """What comes of asking once, with nothing in it that may not be kept."""
        limit = self.spec.limits.timeout_seconds
        try:
            async with asyncio.timeout(limit):
                return self._fit_to_keep(await self.transport.ask(request))
        except LaneError as exc:
            reply = self._fit_to_keep(exc.reply) if exc.reply else None
            return LaneError(
                self._without_key(str(exc))[:LONGEST_ERROR],
                kind=exc.kind,
                retryable=exc.retryable,
                retry_after_seconds=exc.retry_after_seconds,
                reply=reply,
                may_be_billed=exc.may_be_billed,
            )
        except TimeoutError:
            return LaneError(f"no answer within {limit:g} s", kind=ErrorKind.TIMEOUT)
        except Exception as exc:  # a fault of ours or of a library's ends this unit, not the stage
            _log.error("%s: %s", self.spec.name, self._without_key("".join(traceback.format_exception(exc))))
            said = self._without_key(f"{type(exc).__name__}: {exc}")
            return LaneError(said[:LONGEST_ERROR], kind=ErrorKind.UNEXPECTED)

    def _fit_to_keep(self, reply: Reply) -> Reply:
        """Take out the key, and halves of surrogate pairs, which no file can hold."""
        text = _LONE_SURROGATE.sub("\ufffd", self._without_key(reply.text))
        return reply if text == reply.text else replace(reply, text=text)

    def _without_key(self, text: str) -> str:
        return text.replace(self.key, HIDDEN) if self.key else text

    def _record(self, scope: CallScope, request: Request, digest: str, attempt: _Attempt) -> CallRecord:
        reply = attempt.reply
        error = attempt.outcome if isinstance(attempt.outcome, LaneError) else None
        return CallRecord(
            call_id=uuid.uuid4().hex,
            round_id=scope.round_id,
            stage=scope.stage,
            unit_id=scope.unit_id,
            role=self.role,
            model=self.spec.name,
            provider=self.spec.provider.value,
            provider_model=self.spec.model,
            program=task_of(system_text(request)),
            request_digest=digest,
            attempt=attempt.number,
            status="error" if error else "ok",
            error_class=error.kind.value if error else None,
            error=_LONE_SURROGATE.sub("\ufffd", str(error)) if error else None,
            reply=reply.text if reply else None,
            finish_reason=reply.finish_reason if reply else None,
            input_tokens=reply.input_tokens if reply else None,
            output_tokens=reply.output_tokens if reply else None,
            cached_tokens=reply.cached_tokens if reply else None,
            reasoning_tokens=reply.reasoning_tokens if reply else None,
            cost_usd=attempt.charge.cost_usd,
            latency_seconds=attempt.latency_seconds,
            queue_seconds=attempt.queue_seconds,
            started_at=attempt.started.isoformat(),
            cache_write_tokens=reply.cache_write_tokens if reply else None,
            reserved_usd=attempt.charge.reserved_usd,
            lease_id=scope.purse.lease_id if scope.purse and attempt.charge.reserved_usd else None,
            **self._meter.columns(),
        )

    async def aclose(self) -> None:
        """Close the lane's connections."""
        await self.transport.aclose()


def retry_wait_seconds(error: LaneError, attempts: int, spent_seconds: float, limits: Limits) -> float | None:
    """Return how long to wait before asking again, None to give up.

    What the provider asks for counts; else waits double from half a second to half a minute, each somewhere between
    half and all of that, so that many callers do not come back at once.
    """
    if not error.retryable or attempts > limits.retries:
        return None
    wait = error.retry_after_seconds
    if wait is None:
        longest = min(LONGEST_BACKOFF_SECONDS, FIRST_BACKOFF_SECONDS * 2 ** (attempts - 1))
        wait = random.uniform(longest / 2, longest)
    return wait if spent_seconds + wait <= limits.retry_seconds else None


def _response(model: str, reply: Reply) -> Response:
    usage = Usage(input_tokens=reply.input_tokens, output_tokens=reply.output_tokens)
    finish = reply.finish_reason if reply.finish_reason in _KNOWN_FINISHES else "stop"
    return Response(id=None, model=model, message=Message.assistant(reply.text), finish_reason=finish, usage=usage)
