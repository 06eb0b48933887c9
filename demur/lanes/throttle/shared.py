"""One throttle per model in this process, and the division of a model's limits among the workers of a cluster."""

import threading
from dataclasses import dataclass, field
from typing import Final

from demur.lanes.spec import ModelSpec
from demur.lanes.throttle.circuit_breaker import CircuitBreaker
from demur.lanes.throttle.limiter import Limiter

_IDENTITY: Final = frozenset(
    {"provider", "via", "region", "project", "model", "base_url", "api_key_env", "api_key_block", "limits"}
)


@dataclass(frozen=True, slots=True)
class Throttle:
    """The limiter and the circuit breaker of one model."""

    limiter: Limiter
    breaker: CircuitBreaker


@dataclass(slots=True)
class _Throttles:
    """The throttles of this process, and the number of processes that divide the limits of models."""

    known: dict[str, Throttle] = field(default_factory=dict)
    parts: int = 1
    lock: threading.Lock = field(default_factory=threading.Lock)


_throttles: Final = _Throttles()


def throttle_of(spec: ModelSpec) -> Throttle:
    """Return the throttle of a model. The same model with the same limits has one throttle under all its names."""
    identity = spec.model_dump_json(include=set(_IDENTITY))
    with _throttles.lock:
        if identity not in _throttles.known:
            limiter = Limiter(spec.limits)
            limiter.share(_throttles.parts)
            _throttles.known[identity] = Throttle(limiter, CircuitBreaker(spec.limits))
        return _throttles.known[identity]


def divide_limits(parts: int) -> None:
    """From now on, use one of `parts` equal parts of the limits of all models."""
    with _throttles.lock:
        _throttles.parts = parts
        for known in _throttles.known.values():
            known.limiter.share(parts)


def reset_breakers() -> None:
    """Close the breakers of models that were given up, at the start of a stage."""
    with _throttles.lock:
        for known in _throttles.known.values():
            known.breaker.reset()
