"""A circuit breaker for each model, and remedies for models that do not answer.

The breaker opens after failures in a row. Then all requests wait, and one probe tests the model.
"""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from demur.lanes.providers.provider_errors import spoken_wait
from demur.lanes.registry import PLATFORMS
from demur.lanes.spec import ModelLimits, ModelSpec
from demur.programs.errors import ErrorKind, LaneError, ModelUnavailable

# Remedies for models that do not answer.


def unavailable(spec: ModelSpec, error: LaneError) -> ModelUnavailable:
    """Return the error for a model that does not answer, with cause and remedy."""
    return ModelUnavailable(
        f"model '{spec.name}' ({spec.provider} {spec.model}) does not answer: {error}. {remedy(spec, error)}",
        kind=error.kind,
    )


def remedy(spec: ModelSpec, error: LaneError) -> str:
    """Return the remedy for a model's error, as a sentence."""
    where = spec.base_url or f"the provider ({spec.provider})"
    if error.retry_after_seconds is not None and error.retry_after_seconds > spec.limits.retry_seconds:
        return f"It allows no more requests now: run again in {spoken_wait(error.retry_after_seconds)}"
    if error.remedy is not None:
        return error.remedy
    if spec.lane.system:
        return _of_system(spec, error)
    match error.kind:
        case ErrorKind.AUTHENTICATION if spec.via is not None and spec.key_source is None:
            return PLATFORMS[spec.via].remedy
        case ErrorKind.AUTHENTICATION:
            return f"Is the key in {spec.key_source or 'its environment'} right, and still valid?"
        case ErrorKind.PERMISSION:
            return f"May the key use '{spec.model}'?"
        case ErrorKind.NOT_FOUND:
            return f"Is '{spec.model}' a model of {where}?{_address_hint(spec)}"
        case ErrorKind.REDIRECT:
            return "Is base_url right? If the model has moved, write its new address there"
        case ErrorKind.QUOTA:
            return "The account has nothing left: top it up"
        case ErrorKind.RATE_LIMIT:
            return "Lower limits.concurrency, or set limits.requests_per_minute and tokens_per_minute to what it allows"
        case ErrorKind.CONNECTION | ErrorKind.TIMEOUT:
            return f"Is {where} up, and can it be reached from here?"
        case ErrorKind.REQUEST:
            return "Are its parameters those that the model takes? Without structured outputs: structured_output: false"
        case ErrorKind.CONTEXT_LENGTH:
            return "Use a model that takes longer prompts, or start its server with a longer context"
        case ErrorKind.PROTOCOL:
            return f"Does {where} speak the interface of provider {spec.provider}?{_address_hint(spec)}"
        case ErrorKind.UNEXPECTED:
            return "This is a fault of demur or of a library: the log has more"
        case ErrorKind.REFUSAL | ErrorKind.CONTENT_FILTER:
            return "Ask another model: this one, or a filter before it, declines the text"
        case _ if error.retryable:
            return "Try again later"
        case _:
            return "Ask its provider"


def _of_system(spec: ModelSpec, error: LaneError) -> str:
    match error.kind:
        case ErrorKind.AUTHENTICATION | ErrorKind.PERMISSION:
            named = ", ".join(f"{header} from {variable}" for header, variable in spec.headers.items())
            return f"Are its headers right ({named or 'none are sent'})? Name them: headers={{Authorization: VARIABLE}}"
        case ErrorKind.NOT_FOUND | ErrorKind.REDIRECT:
            return "Is its address right, path included?"
        case ErrorKind.CONNECTION | ErrorKind.TIMEOUT:
            return "Is it up, and can it be reached from here?"
        case ErrorKind.PROTOCOL | ErrorKind.REQUEST:
            return (
                "Do its fields have other names? Say which, as in question=query,passages=contexts,answer=output.text"
            )
        case _:
            return "Look into its log"


def _address_hint(spec: ModelSpec) -> str:
    has_version = (spec.base_url or "").rstrip("/").endswith("/v1")
    if spec.base_url is None or has_version is spec.lane.address_ends_in_v1:
        return ""
    usual = "mostly ends in /v1" if spec.lane.address_ends_in_v1 else "has no /v1 at its end"
    return f" And base_url: for provider {spec.provider} it {usual}"


# A circuit breaker for each model.
#
# The breaker opens after failures in a row. Then all requests wait, and one probe tests the model.


FIRST_COOLDOWN_SECONDS: Final = 1.0
LONGEST_COOLDOWN_SECONDS: Final = 30.0
MAX_POLL_SECONDS: Final = 0.2

DEAD: Final = frozenset(
    {ErrorKind.AUTHENTICATION, ErrorKind.PERMISSION, ErrorKind.NOT_FOUND, ErrorKind.REDIRECT, ErrorKind.QUOTA}
)
"""Errors that waiting does not mend, and that mostly concern all requests to the model."""
DOWN: Final = frozenset(
    {ErrorKind.CONNECTION, ErrorKind.TIMEOUT, ErrorKind.SERVER, ErrorKind.OVERLOADED, ErrorKind.RATE_LIMIT}
)
"""Temporary errors; if many occur in a row, they concern all requests to the model."""

Probe = Callable[[], Awaitable[LaneError | None]]
"""Sends the model a probe, and returns its error; None if the model answered."""


@dataclass(slots=True)
class _Outage:
    """The state of an open breaker, with the time of the next probe; `confirmed` is true if a probe has failed."""

    since: float
    because: LaneError
    next_probe: float
    cooldown: float = FIRST_COOLDOWN_SECONDS
    probing: bool = False
    confirmed: bool = False


class CircuitBreaker:
    """Stops requests to a model while the model does not answer: an open breaker stops requests.

    The outcomes of all requests of this process count. The breaker opens after `limits.failures_in_a_row` failures that
    an outage can cause. If the provider refuses the key, the model or the account, the breaker opens at once. An open
    breaker sends probes, with growing pauses between them. The first answered probe closes the breaker. If no probe is
    answered within `limits.retry_seconds`, the model is given up until `reset`. If the provider refuses the key, the
    model or the account also in a probe, and the model has never answered, the model is given up at once.
    """

    def __init__(self, limits: ModelLimits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._has_answered = False
        self._outage: _Outage | None = None
        self._gave_up: LaneError | None = None

    @property
    def closed(self) -> bool:
        """True if requests may be sent."""
        return self._outage is None and self._gave_up is None

    @property
    def failing(self) -> bool:
        """True if the breaker is open, or if half of the failures that open the breaker have occurred in a row."""
        return not self.closed or self._failures >= self._limits.failures_in_a_row / 2

    def record(self, error: LaneError | None) -> None:
        """Count the outcome of a request. An error that concerns only this request shows that the model answers."""
        if error is None or error.kind not in DOWN | DEAD:
            self._failures = 0
            self._has_answered = self._has_answered or error is None
            return
        with self._lock:
            self._failures += 1
            asked_to_wait = error.retry_after_seconds or 0.0
            if asked_to_wait > self._limits.retry_seconds:
                self._gave_up = self._gave_up or error
            elif self._outage is None and (error.kind in DEAD or self._failures >= self._limits.failures_in_a_row):
                now = self._clock()
                wait = 0.0 if error.kind in DEAD else max(FIRST_COOLDOWN_SECONDS, asked_to_wait)
                self._outage = _Outage(now, error, now + wait)

    def reset(self) -> None:
        """Close the breaker of a model that was given up: a new run begins, and the cause may be gone."""
        with self._lock:
            if self._gave_up is not None:
                self._gave_up = None
                self._outage = None
                self._failures = 0

    async def wait_until_closed(self, spec: ModelSpec, probe: Probe) -> bool:
        """Wait until the model may be asked, and return whether a probe failed meanwhile.

        The first of the waiting callers sends the next probe.

        Raises:
            ModelUnavailable: the model was given up.
        """
        outage = self._outage
        while not self.closed:
            if self._gave_up is not None:
                raise unavailable(spec, self._gave_up)
            if self._claim():
                answered = False
                try:
                    error = await probe()
                    answered = True
                finally:
                    if not answered:
                        self._unclaim()
                self._probed(error)
            else:
                await asyncio.sleep(MAX_POLL_SECONDS)
        return outage is not None and outage.confirmed

    def _claim(self) -> bool:
        with self._lock:
            outage = self._outage
            if outage is None or outage.probing or self._clock() < outage.next_probe:
                return False
            outage.probing = True
            return True

    def _unclaim(self) -> None:
        with self._lock:
            if self._outage is not None:
                self._outage.probing = False

    def _probed(self, error: LaneError | None) -> None:
        with self._lock:
            outage = self._outage
            if outage is None:
                return
            if error is None or error.kind not in DOWN | DEAD:
                self._outage = None
                self._failures = 0
                return
            now = self._clock()
            outage.probing = False
            outage.because = error
            outage.confirmed = True
            hopeless = error.kind in DEAD and not self._has_answered
            wait = max(outage.cooldown, error.retry_after_seconds or 0.0)
            if hopeless or now + wait - outage.since > self._limits.retry_seconds:
                self._gave_up = error
                self._outage = None
            else:
                outage.next_probe = now + wait
                outage.cooldown = min(LONGEST_COOLDOWN_SECONDS, outage.cooldown * 2)
