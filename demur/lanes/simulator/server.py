"""The simulator's pages: both providers' live endpoints, their batch endpoints, and the statistics."""

import asyncio
import json
from collections.abc import Awaitable, Callable

from aiohttp import web

from demur.lanes.simulator.anthropic_batches import AnthropicBatches
from demur.lanes.simulator.batches import SimulatedBatches
from demur.lanes.simulator.engine import SimulatorConfig, SimulatorEngine
from demur.lanes.simulator.faults import STATUS, FaultPlan, SimulatedRequest, SimulatorFault
from demur.lanes.simulator.odd_answers import TOO_DEEP, broken_answer, misshapen
from demur.lanes.simulator.openai_batches import OpenAIBatches
from demur.lanes.simulator.wire import AnthropicWire, OpenAIWire, Wire

HOST = "127.0.0.1"
_LARGEST_UPLOAD = 300 * 2**20


class Simulator:
    """A provider: its address, its received requests, and its future faults."""

    def __init__(self, plan: FaultPlan, config: SimulatorConfig) -> None:
        self.engine = SimulatorEngine(plan, config)
        self.store = SimulatedBatches(self.engine)
        self.port = 0

    @property
    def plan(self) -> FaultPlan:
        """The plan of faults; may be replaced at any time."""
        return self.engine.plan

    @plan.setter
    def plan(self, plan: FaultPlan) -> None:
        self.engine.plan = plan

    @property
    def asked(self) -> list[SimulatedRequest]:
        """Every request so far, in the order in which they came, those in batches included."""
        return self.engine.asked

    @property
    def faults(self) -> list[SimulatorFault | None]:
        """The fault that each of them met."""
        return self.engine.faults

    @property
    def most_at_once(self) -> int:
        """The most live requests that were open at one time."""
        return self.engine.counts.most_at_once

    @property
    def openai_url(self) -> str:
        """Base URL for clients of chat completions."""
        return f"http://{HOST}:{self.port}/v1"

    @property
    def anthropic_url(self) -> str:
        """Base URL for clients of messages."""
        return f"http://{HOST}:{self.port}"

    def app(self) -> web.Application:
        """Return the web application."""
        app = web.Application(client_max_size=_LARGEST_UPLOAD)
        for wire in (OpenAIWire(), AnthropicWire()):
            app.router.add_post(wire.path, self._handler(wire))
        app.router.add_get("/stats", self._stats)
        app.add_routes(OpenAIBatches(self.store).routes())
        app.add_routes(AnthropicBatches(self.store).routes())
        return app

    async def _stats(self, request: web.Request) -> web.Response:
        return web.json_response(self.engine.counts.summary())

    def _handler(self, wire: Wire) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def handle(request: web.Request) -> web.StreamResponse:
            counts = self.engine.counts
            counts.at_once += 1
            counts.most_at_once = max(counts.most_at_once, counts.at_once)
            try:
                return await self._handle(wire, request)
            finally:
                counts.at_once -= 1

        return handle

    async def _handle(self, wire: Wire, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        outcome, seconds = self.engine.outcome(wire, raw, wire.key(request.headers))
        if seconds:
            await asyncio.sleep(seconds)
        if not outcome.answered:
            retry = outcome.status in (429, 503, 529) and outcome.fault in STATUS
            asked = self.engine.config.retry_after
            headers = {"Retry-After": asked} if retry and asked else {}
            text = TOO_DEEP if outcome.fault is SimulatorFault.NESTED_ERROR else json.dumps(outcome.body)
            return web.json_response(text=text, status=outcome.status, headers=headers)
        text = misshapen(outcome.body, outcome.fault)
        broken = await broken_answer(request, text, outcome.fault)
        if broken is not None:
            return broken
        self.engine.delivered(wire, raw, outcome)
        return web.json_response(text=text)
