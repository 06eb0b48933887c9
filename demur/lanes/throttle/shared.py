"""One throttle per model in this process, and the division of a model's limits among processes."""

import hashlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final, Protocol

from demur.lanes.spec import ModelSpec
from demur.lanes.throttle.circuit_breaker import CircuitBreaker, Finding
from demur.lanes.throttle.limiter import Limiter
from demur.programs.errors import ProgramError

POLL_SECONDS: Final = 1.0
"""How often a process counts the processes that ask its models. A new process waits twice as long before it asks."""
FEED_SECONDS: Final = 0.2
"""How often a process fetches portions of shared rates."""
IDLE_SECONDS: Final = 5.0
"""How long an idle process keeps its share of a model's limits, until its next shard begins."""
REGISTERING_SECONDS: Final = 300.0
"""How long a process retries its registration, for instance while a database restarts."""
LAPSED_SECONDS: Final = 10.0
"""The pause of requests after a lapsed registration."""

_MODEL: Final = frozenset({"provider", "via", "region", "project", "model", "base_url", "api_key_env", "api_key_block"})
_IDENTITY: Final = _MODEL | {"limits"}


class Lapsed(OSError):
    """A registration expired because it was not renewed.

    Other processes may then ignore this process, so this process must stop asking.
    """


class Registration(Protocol):
    """The registration of one process that asks a model.

    `finding` tells other processes that the model does not answer; `heard` is the finding of another process.
    """

    finding: Finding | None
    heard: Finding | None

    def active(self) -> int:
        """Return the number of registered processes, including this process.

        Raises:
            Lapsed: this registration has expired.
            OSError: the registry does not answer.
        """

    def take(self, rate: str, amount: float, per_minute: float) -> float:
        """Take `amount` from the allowance of a rate that all processes share, and return the received amount.

        A negative `amount` goes back into the shared allowance.

        Raises:
            OSError: the registry does not answer.
        """

    def unregister(self) -> None:
        """End the registration."""


class Registry(Protocol):
    """A registry of processes. Messages show `str(registry)` as its name."""

    @property
    def remedy(self) -> str:
        """The remedy for an unusable registry."""

    def register(self, model: str) -> Registration:
        """Register this process for a model.

        Raises:
            ConnectionError: the registry may recover soon.
            OSError: the registry cannot be used.
        """


@dataclass(slots=True)
class Throttle:
    """The limiter and the circuit breaker of one model, and the registration of this process for the model."""

    limiter: Limiter
    breaker: CircuitBreaker
    model: str
    registration: Registration | None = None
    users: int = 0
    idle_since: float = 0.0
    registering: threading.Lock = field(default_factory=threading.Lock)


@dataclass(slots=True)
class _Sharing:
    """How this process divides limits with others.

    `registry` is the registry of all processes that divide limits; None if this process is alone. `lock` is never held
    during a query of the registry, because event loops wait for the lock. `watching` is true while threads
    update the shares.
    """

    registry: Registry | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)
    watching: bool = False


_sharing: Final = _Sharing()
_known: Final[dict[str, Throttle]] = {}


def throttle_of(spec: ModelSpec) -> Throttle:
    """Return the throttle of a model. The same model with the same limits has one throttle under all its names."""
    identity = spec.model_dump_json(include=set(_IDENTITY))
    with _sharing.lock:
        if identity not in _known:
            model = hashlib.sha256(spec.model_dump_json(include=set(_MODEL)).encode()).hexdigest()[:32]
            _known[identity] = Throttle(Limiter(spec.limits), CircuitBreaker(spec.limits), model)
        return _known[identity]


def share_limits(registry: Registry) -> None:
    """From now on divide limits equally with all processes of a registry."""
    with _sharing.lock:
        _sharing.registry = registry


@contextmanager
def in_use(spec: ModelSpec) -> Iterator[None]:
    """Register this process for a model during the block, if processes divide limits (`share_limits`).

    Raises:
        ProgramError: the registry cannot be used.
    """
    throttle = throttle_of(spec)
    with _sharing.lock:
        throttle.users += 1
    try:
        _register_patiently(spec, throttle)
        yield
    finally:
        with _sharing.lock:
            throttle.users -= 1
            throttle.idle_since = time.monotonic()


def end_sharing() -> None:
    """Stop dividing limits, and end the registrations of unused models."""
    with _sharing.lock:
        _sharing.registry = None
        idle = [known for known in _known.values() if known.registration is not None and not known.users]
        ended = [known.registration for known in idle]
        for known in idle:
            known.registration = None
    for registration in ended:
        if registration is not None:
            with suppress(OSError):  # then it ends with this process
                registration.unregister()


def reset_breakers() -> None:
    """Close the breakers of models that were given up, at the start of a stage."""
    with _sharing.lock:
        for known in _known.values():
            known.breaker.reset()


def _register_patiently(spec: ModelSpec, throttle: Throttle) -> None:
    """Register this process. While the registry does not answer, try again for some minutes."""
    deadline = time.monotonic() + REGISTERING_SECONDS
    while True:
        try:
            with throttle.registering:
                _register(spec, throttle)
            return
        except ProgramError as exc:
            if not isinstance(exc.__cause__, ConnectionError) or time.monotonic() >= deadline:
                raise
        time.sleep(POLL_SECONDS)


def _register(spec: ModelSpec, throttle: Throttle) -> None:
    """Register this process for a model, unless it is registered already.

    If other processes are registered for the model, requests pause until the other processes have counted this process.
    """
    if throttle.registration is not None or _sharing.registry is None:
        return
    try:
        registration = _sharing.registry.register(throttle.model)
        others = registration.active() - 1
    except OSError as exc:
        raise ProgramError(
            f"model '{spec.name}': {_sharing.registry}, where processes divide its limits, cannot be used ({exc}); "
            f"{_sharing.registry.remedy}"
        ) from exc
    throttle.limiter.share(others + 1)
    throttle.limiter.lease_rates()
    if others:
        throttle.limiter.cool_down(2 * POLL_SECONDS)
    with _sharing.lock:
        throttle.registration = registration
        begin = not _sharing.watching
        _sharing.watching = True
    _feed(throttle)
    if begin:
        ended = threading.Event()
        threading.Thread(target=_watch, args=(ended,), name="limits", daemon=True).start()
        threading.Thread(target=_feed_all, args=(ended,), name="rates", daemon=True).start()


def _watch(ended: threading.Event) -> None:
    """Update the shares of all registered models, until none is left."""
    while True:
        time.sleep(POLL_SECONDS)
        with _sharing.lock:
            registered = [known for known in _known.values() if known.registration is not None]
            if not registered:
                _sharing.watching = False
                ended.set()
                return
        for known in registered:
            _rebalance(known)


def _feed_all(ended: threading.Event) -> None:
    """Fetch portions of shared rates for all used models, until the watch ends."""
    while not ended.wait(FEED_SECONDS):
        for known in list(_known.values()):
            if known.users:
                _feed(known)


def _feed(known: Throttle) -> None:
    """Fetch portions of a model's rates. After an error, requests can use the rest of the last portion."""
    registration = known.registration
    if registration is not None:
        with suppress(OSError):
            known.limiter.refill(registration.take)


def _rebalance(known: Throttle) -> None:
    """Update a model's share, or end its registration if the model is idle."""
    with _sharing.lock:
        registration = known.registration
        idle = not known.users and time.monotonic() - known.idle_since > IDLE_SECONDS
        if idle:
            known.registration = None
    if registration is None:
        return  # it was ended meanwhile
    try:
        if idle:
            registration.unregister()
            return
        registration.finding = known.breaker.finding
        known.limiter.share(registration.active())
        if registration.heard is not None:
            known.breaker.hear(registration.heard)
    except Lapsed:
        known.limiter.cool_down(LAPSED_SECONDS)
    except OSError:  # the share stays as it is
        if idle:
            with _sharing.lock:
                known.registration = known.registration or registration  # to be ended next time
