"""One throttle per model in this process, its limits divided with other processes."""

import hashlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

from demur.lanes.spec import ModelSpec
from demur.lanes.throttle.circuit_breaker import CircuitBreaker
from demur.lanes.throttle.limiter import Limiter
from demur.lanes.throttle.process_registry import Lapsed, Registration, Registry
from demur.programs.errors import ProgramError

POLL_SECONDS: Final = 1.0
"""How often a process looks who else asks its models; who comes later waits a little longer before it asks."""
FEED_SECONDS: Final = 0.2
"""How often a process fetches portions of rates that are shared."""
IDLE_SECONDS: Final = 5.0
"""How long a process that no longer asks a model keeps its share: until its next shard begins."""
REGISTERING_SECONDS: Final = 300.0
"""How long a process tries to register while the registry is away: a database that is started anew, say."""
LAPSED_SECONDS: Final = 10.0
"""How long nothing is asked after a registration was found to have lapsed, unless it is found so again."""

_MODEL: Final = frozenset({"provider", "via", "region", "project", "model", "base_url", "api_key_env", "api_key_block"})
_IDENTITY: Final = _MODEL | {"limits"}


@dataclass(slots=True)
class Throttle:
    """One model's limiter and circuit breaker, and this process's registration for it."""

    limiter: Limiter
    breaker: CircuitBreaker
    model: str
    registration: Registration | None = None
    users: int = 0
    idle_since: float = 0.0
    registering: threading.Lock = field(default_factory=threading.Lock)


@dataclass(slots=True)
class _Sharing:
    """The registry of processes that divide limits; None if this process is alone.

    The lock is held for moments, never during a query of the registry: event loops wait for it.
    """

    registry: Registry | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)
    watching: bool = False


_sharing: Final = _Sharing()
_known: Final[dict[str, Throttle]] = {}


def throttle_of(spec: ModelSpec) -> Throttle:
    """Return the throttle of a model; the same model under two names with the same limits has one."""
    identity = spec.model_dump_json(include=set(_IDENTITY))
    with _sharing.lock:
        if identity not in _known:
            model = hashlib.sha256(spec.model_dump_json(include=set(_MODEL)).encode()).hexdigest()[:32]
            _known[identity] = Throttle(Limiter(spec.limits), CircuitBreaker(spec.limits), model)
        return _known[identity]


def share_limits(registry: Registry) -> None:
    """From now on divide limits with all processes that name the same registry, in equal parts."""
    with _sharing.lock:
        _sharing.registry = registry


@contextmanager
def in_use(spec: ModelSpec) -> Iterator[None]:
    """Count this process among those that ask a model, where limits are divided.

    Raises:
        ProgramError: the registry of processes cannot be used.
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
    """Divide limits no more, and end the registrations of models that nothing asks now."""
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
    """Close the breakers of models that were given up: a stage begins."""
    with _sharing.lock:
        for known in _known.values():
            known.breaker.reset()


def _register_patiently(spec: ModelSpec, throttle: Throttle) -> None:
    """Register this process, and try again for minutes while the registry is away."""
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
    """Register this process where it is not yet; where others are, wait until they have noticed."""
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
    """Give every model its share, as long as it is asked."""
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
    """Fetch portions of shared rates for every model, as long as one is asked."""
    while not ended.wait(FEED_SECONDS):
        for known in list(_known.values()):
            if known.users:
                _feed(known)


def _feed(known: Throttle) -> None:
    """Fetch portions of a model's rates; if that fails, the held amount is used up, and no more."""
    registration = known.registration
    if registration is not None:
        with suppress(OSError):
            known.limiter.refill(registration.take)


def _rebalance(known: Throttle) -> None:
    """Give a model its share, or end its registration where it was not asked for long."""
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
