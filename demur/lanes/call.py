"""One attempt at a request: its row of `calls`, and the wait before the next attempt."""

import json
import random
import time
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from dspy.lm15 import Request

from demur.lanes.masking import Mask
from demur.lanes.meter import NO_CHARGE, Charge, Meter
from demur.lanes.spec import ModelLimits, ModelSpec
from demur.programs.adapter.digests import system_text, wanted_text
from demur.programs.adapter.json_adapter import task_of
from demur.programs.errors import LaneError
from demur.programs.journal import CallRecord, CallScope, Reply, SentPrompts

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
