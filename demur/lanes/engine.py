"""The engine of a model, behind every dspy.LM of ours: known answers, shared answers, retries; then the chain."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from dspy.lm15 import Message, Request, Response, TokenLogprob, TopLogprob, Usage

from demur.lanes.call import Call, retry_wait_seconds
from demur.lanes.chain import COALESCE_SECONDS, PROBE_ROLE, Link, chain_of
from demur.lanes.masking import Mask
from demur.lanes.meter import Meter, cost_shares
from demur.lanes.prices import prices_of
from demur.lanes.probe import ModelProbe
from demur.lanes.spec import Mode, ModelSpec, Prices
from demur.lanes.throttle.circuit_breaker import DEAD, DOWN
from demur.lanes.throttle.shared import Throttle
from demur.lanes.transport import Holding, Transport
from demur.programs.adapter.digests import request_digest
from demur.programs.errors import LaneError, ProgramError
from demur.programs.journal import CallScope, Reply, current_scope

_KNOWN_FINISHES: Final = frozenset({"stop", "length", "content_filter"})


@dataclass(slots=True)
class ModelEngine:
    """Answers requests of one model in one role; belongs to one event loop.

    `mask` removes keys from stored and shown texts. `throttle` has the limits of the model, None if it has none.
    `open_probe` opens a lane for requests of one token. `fallback` answers, under its own name, requests missing in a
    recording.
    """

    spec: ModelSpec
    role: str
    transport: Transport
    prices: Prices | None = None
    mask: Mask = field(default_factory=Mask, repr=False)
    throttle: Throttle | None = None
    open_probe: Callable[[ModelSpec], Transport] | None = None
    fallback: "ModelEngine | None" = None
    _chain: Link = field(init=False, repr=False)
    _probe: ModelProbe | None = field(init=False, default=None, repr=False)
    _in_flight: "dict[tuple[int, str], asyncio.Future[Reply | Exception | None]]" = field(default_factory=dict)

    def __post_init__(self) -> None:
        meter = Meter(self.spec, self.prices, cost_shares(self.spec, self.role))
        if self.open_probe is not None:
            own = chain_of(self.spec, PROBE_ROLE, self.transport, meter, self.mask)
            self._probe = ModelProbe(self.spec, own, self._open_probe_chain)
        self._chain = chain_of(self.spec, self.role, self.transport, meter, self.mask, self.throttle, self.probe)

    async def complete(self, request: Request) -> Response:
        """Return a known answer of the current unit, else ask the lane and record every attempt.

        A unit does not repeat an identical request while the first one is under way: both get its answer.

        Raises:
            LaneError: no answer came within the model's limits.
            Halted: no more requests for now; the unit stays pending.
            OSError: an answer came but could not be written down.
        """
        digest = request_digest(request)
        scope = current_scope()
        if scope is None:
            return _response(self.spec.name, await self._ask(request, digest, None))
        key = (id(scope), digest)
        while (leader := self._in_flight.get(key)) is not None:
            found = await asyncio.shield(leader)
            if isinstance(found, Exception):
                raise found
            if found is not None:  # None: who was waiting for it was cancelled
                return _response(self.spec.name, found)
        mine = self._in_flight[key] = asyncio.get_running_loop().create_future()
        settled: Reply | Exception | None = None
        try:
            settled = await self._answer(request, digest, scope)
            return _response(self.spec.name, settled)
        except Exception as exc:
            settled = exc
            raise
        finally:
            del self._in_flight[key]
            mine.set_result(settled)

    async def _answer(self, request: Request, digest: str, scope: CallScope) -> Reply:
        if self.fallback is not None and isinstance(self.transport, Holding) and not self.transport.holds(request):
            return await self.fallback._answer(request, digest, scope)
        known = scope.recall(digest)
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
        """Return whether a request that would fail now deserves another attempt: its model was down for all, and is up.

        Raises:
            ModelUnavailable: it still is down.
        """
        if self.throttle is None or self.throttle.breaker.closed or error.kind not in DOWN | DEAD:
            return False
        was_down = await self.throttle.breaker.wait_until_closed(self.spec, self.probe)
        return was_down or error.kind in DOWN

    def open_probing(self) -> None:
        """Open the lane for probes; slow steps are done here, before anything is sent."""
        if self._probe is not None:
            self._probe.open()

    async def probe(self) -> LaneError | None:
        """Ask for one token, regardless of limits, and return an error if there was one."""
        return None if self._probe is None else await self._probe.ask()

    def _open_probe_chain(self, few: ModelSpec) -> tuple[Link, Transport]:
        assert self.open_probe is not None
        transport = self.open_probe(few)
        return chain_of(few, PROBE_ROLE, transport, Meter(few, prices_of(few)), self.mask), transport

    async def aclose(self) -> None:
        """Close the lane's connections."""
        await self.transport.aclose()
        if self.fallback is not None:
            await self.fallback.aclose()
        if self._probe is not None:
            await self._probe.aclose()


class BlockingEngine:
    """Asks through an engine of its own for every call, since an engine belongs to one event loop."""

    def __init__(self, open_engine: Callable[[], ModelEngine]) -> None:
        self._open_engine = open_engine

    def complete(self, request: Request) -> Response:
        """Return the result of the asynchronous engine.

        Raises:
            ProgramError: an event loop is running here, which this would block.
        """
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self._complete(request))
        raise ProgramError("this program is asynchronous here: call `await program.acall(...)`")

    async def _complete(self, request: Request) -> Response:
        engine = self._open_engine()
        try:
            return await engine.complete(request)
        finally:
            await engine.aclose()


def _response(model: str, reply: Reply) -> Response:
    usage = Usage(input_tokens=reply.input_tokens, output_tokens=reply.output_tokens)
    finish = reply.finish_reason if reply.finish_reason in _KNOWN_FINISHES else "stop"
    message = Message.assistant(reply.text)
    if reply.logprobs is None:
        return Response(id=None, model=model, message=message, finish_reason=finish, usage=usage)
    top = tuple(TopLogprob(token=token, logprob=logprob) for token, logprob in reply.logprobs)
    first = (TokenLogprob(token=top[0].token, logprob=top[0].logprob, top=top),) if top else None
    return Response(id=None, model=model, message=message, finish_reason=finish, usage=usage, logprobs=first)
