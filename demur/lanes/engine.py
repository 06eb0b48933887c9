"""Engines: an engine answers the requests that a dspy.LM makes to one model. The speed of a model on this machine."""

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Final, cast

import dspy
from dspy.lm15 import Message, Request, Response, TokenLogprob, TopLogprob, Usage

from demur.lanes.batch.endpoint import open_endpoint
from demur.lanes.batch.queue import BatchTransport
from demur.lanes.chain import COALESCE_SECONDS, PROBE_ROLE, Call, Link, chain_of, retry_wait_seconds
from demur.lanes.costs import Meter, cost_shares
from demur.lanes.keys import Mask, access_of
from demur.lanes.prices import prices_of
from demur.lanes.probe import ModelProbe
from demur.lanes.spec import Mode, ModelSpec, Prices
from demur.lanes.throttle.circuit_breaker import DEAD, DOWN
from demur.lanes.throttle.shared import Throttle, throttle_of
from demur.lanes.transport import Access, Holding, Indexing, Transport
from demur.levers.catalogue import Catalogue
from demur.programs.adapter.json_adapter import Direct, JsonAdapter, request_digest
from demur.programs.call_scope import Answerer, CallScope, Reply, current_scope
from demur.programs.errors import LaneError, ProgramError
from demur.programs.model import Model

if TYPE_CHECKING:
    from demur.rules.rivals import Corpus


# Engines: an engine answers the requests that a dspy.LM makes to one model.
#
# An engine returns the stored answer to a request if there is one, gives identical requests one answer, and retries
# failed requests. The chain sends the requests and records each attempt.


_KNOWN_FINISHES: Final = frozenset({"stop", "length", "content_filter"})
PROBING_SECONDS: Final = 15.0
"""The longest time for retries of a probe before a round begins."""
logging.getLogger("dspy.clients.lm").addFilter(lambda record: "truncated" not in record.getMessage())
"""DSPy's warning about replies cut off is hidden: such a reply is a ReplyError, or complete JSON."""


@dataclass(slots=True)
class ModelEngine:
    """Answers requests of one model in one role. An instance belongs to one event loop.

    `mask` removes keys from stored and shown texts. `throttle` has the limits of the model; None means no limits.
    `open_probe` opens a transport for probes. `fallback` answers requests that are missing in a recording; these calls
    are stored with the fallback's name.
    """

    spec: ModelSpec
    role: str
    transport: Transport
    prices: Prices | None = None
    mask: Mask = field(default_factory=Mask, repr=False)
    throttle: Throttle | None = None
    open_probe: Callable[[ModelSpec], Transport] | None = None
    fallback: "ModelEngine | None" = None
    _answerer: Answerer = field(init=False, repr=False)
    _chain: Link = field(init=False, repr=False)
    _probe: ModelProbe | None = field(init=False, default=None, repr=False)
    _in_flight: "dict[tuple[int, str], asyncio.Future[Reply | Exception | None]]" = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._answerer = self.role, self.spec.name, self.spec.fingerprint  # computed once: it may read a whole file
        meter = Meter(self.spec, self.prices, cost_shares(self.spec, self.role))
        if self.open_probe is not None:
            own = chain_of(self.spec, PROBE_ROLE, self.transport, meter, self.mask)
            self._probe = ModelProbe(self.spec, own, self._open_probe_chain)
        self._chain = chain_of(self.spec, self.role, self.transport, meter, self.mask, self.throttle, self.probe)

    async def complete(self, request: Request) -> Response:
        """Return the unit's stored answer to the request; if there is none, ask the lane and record each attempt.

        If an identical request of the unit is in flight, both requests get the same answer.

        Raises:
            LaneError: no answer came within the model's limits.
            Halted: no more requests can be sent now; the unit stays pending.
            OSError: an answer could not be stored.
        """
        digest = request_digest(request)
        scope = current_scope()
        if scope is None:
            return _response(self.spec.name, await self._ask(request, digest, None))
        reply = scope.last_reply = await self._shared_answer(request, digest, scope)
        return _response(self.spec.name, reply)

    async def _shared_answer(self, request: Request, digest: str, scope: CallScope) -> Reply:
        key = (id(scope), digest)
        while (leader := self._in_flight.get(key)) is not None:
            found = await asyncio.shield(leader)
            if isinstance(found, Exception):
                raise found
            if found is not None:  # None: who was waiting for it was cancelled
                return found
        mine = self._in_flight[key] = asyncio.get_running_loop().create_future()
        settled: Reply | Exception | None = None
        try:
            return (settled := await self._answer(request, digest, scope))
        except Exception as exc:
            settled = exc
            raise
        finally:
            del self._in_flight[key]
            mine.set_result(settled)

    async def _answer(self, request: Request, digest: str, scope: CallScope) -> Reply:
        if self.fallback is not None and isinstance(self.transport, Holding) and not self.transport.holds(request):
            return await self.fallback._answer(request, digest, scope)
        known = scope.recall(digest, self._answerer)
        if known is None:
            return await self._ask(request, digest, scope)
        await asyncio.sleep(COALESCE_SECONDS)
        return known.reply

    async def _ask(self, request: Request, digest: str, scope: CallScope | None) -> Reply:
        began = time.monotonic()
        excused = False
        for number in count(1):
            outcome = await self._chain.ask(Call(request, digest, scope, number))
            if isinstance(outcome, Reply):
                return outcome
            spent = 0.0 if self.spec.mode is Mode.BATCH else time.monotonic() - began
            answering = self.throttle is not None and not self.throttle.breaker.failing
            wait = retry_wait_seconds(outcome, number, spent, self.spec.limits, others_answered=answering)
            if wait is not None:
                await asyncio.sleep(wait)
            elif excused or not await self._excused_by_outage(outcome):
                raise outcome
            else:
                excused = True
        raise AssertionError("a count has no end")

    async def _excused_by_outage(self, error: LaneError) -> bool:
        """Return whether a failed request gets another attempt: the model was down, and now answers again.

        Raises:
            ModelUnavailable: the model is still down.
        """
        if self.throttle is None or self.throttle.breaker.closed or error.kind not in DOWN | DEAD:
            return False
        was_down = await self.throttle.breaker.wait_until_closed(self.spec, self.probe)
        return was_down or error.kind in DOWN

    def open_probing(self) -> None:
        """Open the chain for probes, before requests are sent, since opening is slow."""
        if self._probe is not None:
            self._probe.open()

    async def probe(self) -> LaneError | None:
        """Send a probe, to which no limits apply, and return its error; None if the model answered."""
        return None if self._probe is None else await self._probe.ask()

    def _open_probe_chain(self, few: ModelSpec) -> tuple[Link, Transport]:
        assert self.open_probe is not None
        transport = self.open_probe(few)
        return chain_of(few, PROBE_ROLE, transport, Meter(few, prices_of(few)), self.mask), transport

    async def aclose(self) -> None:
        """Close all connections."""
        await self.transport.aclose()
        if self.fallback is not None:
            await self.fallback.aclose()
        if self._probe is not None:
            await self._probe.aclose()


class BlockingEngine:
    """Runs each request in its own event loop, with a new engine."""

    def __init__(self, open_engine: Callable[[], ModelEngine]) -> None:
        self._open_engine = open_engine

    def complete(self, request: Request) -> Response:
        """Return the response of a new engine to the request.

        Raises:
            ProgramError: an event loop is running in this thread.
        """
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self._complete(request))
        raise ProgramError("an event loop is running here: call `await program.acall(...)`")

    async def _complete(self, request: Request) -> Response:
        engine = self._open_engine()
        try:
            return await engine.complete(request)
        finally:
            await engine.aclose()


def open_transport(spec: ModelSpec, access: Access) -> Transport:
    """Import the SDK of a spec's lane, and return the lane's transport."""
    if spec.mode is Mode.BATCH:
        live = spec.model_copy(update={"mode": Mode.LIVE})
        return BatchTransport(
            spec,
            lambda: open_endpoint(spec, access),
            lambda: open_transport(live, access),
            Mask(access.api_key),
        )
    transport: Transport = resolve_name(spec.lane.transport)(spec, access)
    return transport


@asynccontextmanager
async def open_models(
    specs: Sequence[ModelSpec],
    role: str,
    keys: Mapping[str, str],
    catalogue: Catalogue | None = None,
    corpus: "Corpus | None" = None,
) -> AsyncIterator[dict[str, Model]]:
    """Yield the models of `specs` by name, for use in the running event loop.

    `keys` maps the name of an environment variable, or `block:NAME` of a Prefect block, to the value.

    Raises:
        ProgramError: a model's key is missing.
    """
    async with AsyncExitStack() as open_engines:
        models: dict[str, Model] = {}
        for spec in specs:
            open_engine = engine_of(spec, role, keys, catalogue, corpus)
            engine = open_engine()
            open_engines.push_async_callback(engine.aclose)
            lm = dspy.LM(
                f"demur/{spec.name}",
                engine=BlockingEngine(open_engine),
                async_engine=engine,
                cache=False,
                num_retries=0,
            )
            models[spec.name] = Model(spec.name, lm, JsonAdapter(Direct(lm, engine)))
        yield models


@asynccontextmanager
async def open_system(spec: ModelSpec, keys: Mapping[str, str]) -> AsyncIterator[Indexing]:
    """Yield the transport of a system, for indexing passages. The transport is closed after the block."""
    system = cast("Indexing", open_transport(spec, access_of(spec, keys)))
    try:
        yield system
    finally:
        await system.aclose()


def open_probe(spec: ModelSpec, keys: Mapping[str, str]) -> Callable[[], Awaitable[None]]:
    """Return a function that sends one probe to a model, then closes the model.

    The current scope of the function's caller records the probe. The function raises LaneError if the model does not
    answer after retries.

    Raises:
        ProgramError: a key or a package is missing.
    """
    engine = engine_of(spec, "probe", keys, None)()
    engine.open_probing()
    limits = spec.limits.model_copy(update={"retry_seconds": min(spec.limits.retry_seconds, PROBING_SECONDS)})

    async def probe() -> None:
        began = time.monotonic()
        try:
            for number in count(1):
                error = await engine.probe()
                if error is None:
                    return
                wait = retry_wait_seconds(error, number, time.monotonic() - began, limits)
                if wait is None:
                    raise error
                await asyncio.sleep(wait)
        finally:
            await engine.aclose()

    return probe


def engine_of(
    spec: ModelSpec,
    role: str,
    keys: Mapping[str, str],
    catalogue: Catalogue | None,
    corpus: "Corpus | None" = None,
) -> Callable[[], ModelEngine]:
    """Return a function that opens a new engine for a spec.

    Raises:
        ProgramError: the model's key is missing, or cannot be sent.
    """
    access = replace(access_of(spec, keys), catalogue=catalogue, corpus=corpus)
    prices = prices_of(spec, batch=spec.mode is Mode.BATCH)
    limited = spec.lane.limited
    mask = Mask(access.api_key, keys.values(), access.headers.values())
    fallback = None if spec.fallback is None else engine_of(spec.fallback, role, keys, catalogue, corpus)
    return lambda: ModelEngine(
        spec,
        role,
        open_transport(spec, access),
        prices,
        mask,
        throttle_of(spec) if limited and spec.mode is not Mode.BATCH else None,
        (lambda probing: open_transport(probing, access)) if limited else None,
        fallback() if fallback else None,
    )


def _response(model: str, reply: Reply) -> Response:
    usage = Usage(input_tokens=reply.input_tokens, output_tokens=reply.output_tokens)
    finish = reply.finish_reason if reply.finish_reason in _KNOWN_FINISHES else "stop"
    message = Message.assistant(reply.text)
    if reply.logprobs is None:
        return Response(id=None, model=model, message=message, finish_reason=finish, usage=usage)
    top = tuple(TopLogprob(token=token, logprob=logprob) for token, logprob in reply.logprobs)
    first = (TokenLogprob(token=top[0].token, logprob=top[0].logprob, top=top),) if top else None
    return Response(id=None, model=model, message=message, finish_reason=finish, usage=usage, logprobs=first)


_LINES: Final = 12
_WRITTEN: Final = 32
READ: Final = 240
WRITTEN: Final = 60
"""Tokens that a model reads and writes for an item of `embedded`; what requests share is read once."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Tokens that a model reads and writes in a second."""

    read: float
    written: float

    def minutes(self, items: int) -> float:
        """Return the minutes that so many items of `embedded` take, with one set of prompts."""
        return items * (READ / self.read + WRITTEN / self.written) / 60


async def measured_speed(spec: ModelSpec) -> Speed:
    """Ask a model three times, and return its speed. The first answer waits until the model is loaded.

    Raises:
        ProgramError: the model cannot be opened, or does not answer.
    """
    nonce = secrets.token_hex(8)  # a prompt that a warm server has read before would be read in no time
    prompt = f"{nonce}\n" + "\n".join(
        f"Keeper {n} of the lighthouse counted {n * 37 % 91} ships." for n in range(_LINES)
    )
    speeds = []
    for text, tokens in (("Hello.", 1), (prompt, 1), (prompt, _WRITTEN)):
        limited = spec.model_copy(update={"parameters": spec.parameters | {"max_tokens": tokens}})
        transport = open_transport(limited, Access())
        try:
            began = time.monotonic()
            reply = await transport.ask(Request(model=spec.name, system="Go on.", messages=(Message.user(text),)))
            seconds = time.monotonic() - began
        finally:
            await transport.aclose()
        read = (reply.input_tokens or 0) - (reply.cached_tokens or 0)
        speeds.append((reply.output_tokens or 1 if tokens > 1 else max(read, 1)) / seconds)
    return Speed(speeds[1], speeds[2])
