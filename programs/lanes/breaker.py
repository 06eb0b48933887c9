"""A circuit breaker per model: where nothing comes back any more, one asks in the name of all, and then all stop."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from demur.programs.errors import ErrorKind, LaneError, ModelUnavailable
from demur.programs.lanes.platforms import PLATFORMS
from demur.programs.lanes.spec import Limits, ModelSpec

FIRST_PAUSE_SECONDS: Final = 1.0
LONGEST_PAUSE_SECONDS: Final = 30.0
LONGEST_NAP_SECONDS: Final = 0.2

DEAD: Final = frozenset({ErrorKind.AUTHENTICATION, ErrorKind.PERMISSION, ErrorKind.NOT_FOUND, ErrorKind.QUOTA})
"""What waiting does not mend, and what mostly concerns every request."""
DOWN: Final = frozenset(
    {ErrorKind.CONNECTION, ErrorKind.TIMEOUT, ErrorKind.SERVER, ErrorKind.OVERLOADED, ErrorKind.RATE_LIMIT}
)
"""What passes, and what concerns every request where it comes many times in a row."""

Probe = Callable[[], Awaitable[LaneError | None]]
"""Asks the model for one token; returns the error that came instead."""


@dataclass(slots=True)
class _Pause:
    """Nobody asks: since when, because of what, when the next probe is due and whether one is under way."""

    since: float
    because: LaneError
    next_probe: float
    length: float = FIRST_PAUSE_SECONDS
    probes: int = 0
    probing: bool = False


class Breaker:
    """Whether a model answers, as far as all requests of this process know.

    It pauses the model after `limits.failures_in_a_row` failures of which each could mean that it is down, and at once
    where it refuses key, model or account. In a pause probes of one token are sent. The first that is answered ends
    it: what failed before was the fault of single requests. Where none is answered for `limits.retry_seconds`, or the
    first is refused like the request was, the model is given up until `reset`.
    """

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._lock = threading.Lock()
        self._in_a_row = 0
        self._pause: _Pause | None = None
        self._gave_up: LaneError | None = None

    @property
    def closed(self) -> bool:
        """Whether the model may be asked just so."""
        return self._pause is None and self._gave_up is None

    def learn(self, error: LaneError | None) -> None:
        """Take notice of how a request ended; what is wrong with the request itself says that the model is there."""
        if error is None or error.kind not in DOWN | DEAD:
            self._in_a_row = 0
            return
        with self._lock:
            self._in_a_row += 1
            asked_to_wait = error.retry_after_seconds or 0.0
            if asked_to_wait > self._limits.retry_seconds:
                self._gave_up = self._gave_up or error
            elif self._pause is None and (error.kind in DEAD or self._in_a_row >= self._limits.failures_in_a_row):
                now = self._clock()
                wait = 0.0 if error.kind in DEAD else max(FIRST_PAUSE_SECONDS, asked_to_wait)
                self._pause = _Pause(now, error, now + wait)

    def reset(self) -> None:
        """Forget that the model was given up: somebody starts again, and may have mended it."""
        with self._lock:
            if self._gave_up is not None:
                self._gave_up, self._pause, self._in_a_row = None, None, 0

    async def pass_through(self, spec: ModelSpec, probe: Probe) -> None:
        """Return once the model may be asked; whoever comes first when a probe is due sends it.

        Raises:
            ModelUnavailable: it was given up.
        """
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
                await asyncio.sleep(LONGEST_NAP_SECONDS)

    def _claim(self) -> bool:
        with self._lock:
            pause = self._pause
            if pause is None or pause.probing or self._clock() < pause.next_probe:
                return False
            pause.probing = True
            return True

    def _unclaim(self) -> None:
        with self._lock:
            if self._pause is not None:
                self._pause.probing = False

    def _probed(self, error: LaneError | None) -> None:
        with self._lock:
            pause = self._pause
            if pause is None:
                return
            if error is None or error.kind not in DOWN | DEAD:
                self._pause, self._in_a_row = None, 0
                return
            now = self._clock()
            pause.probing, pause.because = False, error
            pause.probes += 1
            wait = max(pause.length, error.retry_after_seconds or 0.0)
            if error.kind in DEAD or now + wait - pause.since > self._limits.retry_seconds:
                self._gave_up, self._pause = error, None
            else:
                pause.next_probe = now + wait
                pause.length = min(LONGEST_PAUSE_SECONDS, pause.length * 2)


def unavailable(spec: ModelSpec, error: LaneError) -> ModelUnavailable:
    """Return the error that says of a model that nobody can ask it, why, and what to do."""
    return ModelUnavailable(
        f"model '{spec.name}' ({spec.provider} {spec.model}) does not answer: {error}. {remedy(spec, error)}",
        kind=error.kind,
    )


def remedy(spec: ModelSpec, error: LaneError) -> str:
    """Return what somebody can do about a model that does not answer."""
    where = spec.base_url or f"the provider ({spec.provider})"
    if error.retry_after_seconds is not None and error.retry_after_seconds > spec.limits.retry_seconds:
        return f"It asks to be left alone for {error.retry_after_seconds:g} s: run again after that"
    match error.kind:
        case ErrorKind.AUTHENTICATION if spec.via is not None and spec.key_source is None:
            return PLATFORMS[spec.via].remedy
        case ErrorKind.AUTHENTICATION:
            return f"Is the key in {spec.key_source or 'its environment'} right, and still valid?"
        case ErrorKind.PERMISSION:
            return f"May the key use '{spec.model}'?"
        case ErrorKind.NOT_FOUND:
            return f"Is '{spec.model}' a model of {where}?{_address_hint(spec)}"
        case ErrorKind.QUOTA:
            return "The account has nothing left: top it up"
        case ErrorKind.RATE_LIMIT:
            return "Lower limits.concurrency, or set limits.requests_per_minute and tokens_per_minute to what it allows"
        case ErrorKind.CONNECTION | ErrorKind.TIMEOUT:
            return f"Is {where} up, and can it be reached from here?"
        case ErrorKind.REQUEST:
            return "Are its parameters those that the model takes? Without structured outputs: structured_output: false"
        case ErrorKind.CONTEXT_LENGTH:
            return "Use a model that takes longer prompts"
        case _:
            return "Try again later"


def _address_hint(spec: ModelSpec) -> str:
    """What may be wrong with an address under which nothing is found, empty where it looks as usual."""
    has_version = (spec.base_url or "").rstrip("/").endswith("/v1")
    if spec.base_url is None or has_version is spec.lane.address_ends_in_v1:
        return ""
    usual = "mostly ends in /v1" if spec.lane.address_ends_in_v1 else "has no /v1 at its end"
    return f" And base_url: for provider {spec.provider} it {usual}"
