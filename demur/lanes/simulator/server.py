"""The simulator's server: live endpoints and batch endpoints of both providers, and the statistics."""

import asyncio
import json
import signal
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress

from aiohttp import web

from demur.lanes.simulator.behaviour import SimulatorConfig, SimulatorEngine
from demur.lanes.simulator.faults import FaultPlan, SimulatorFault, scripted
from demur.lanes.simulator.simulated_batches import (
    TOO_DEEP,
    AnthropicBatches,
    OpenAIBatches,
    SimulatedBatches,
    broken_answer,
    misshapen,
)
from demur.lanes.simulator.wire import AnthropicWire, OpenAIWire, Wire
from demur.programs.errors import ProgramError

HOST = "127.0.0.1"
_LARGEST_UPLOAD = 300 * 2**20


class Simulator(SimulatorEngine):
    """A provider: its address, its received requests, and its planned faults."""

    def __init__(self, plan: FaultPlan, config: SimulatorConfig) -> None:
        super().__init__(plan, config)
        self.store = SimulatedBatches(self)
        self.port = 0

    @property
    def most_at_once(self) -> int:
        """The largest number of live requests open at once."""
        return self.counts.most_at_once

    @property
    def openai_url(self) -> str:
        """The `base_url` for chat completions."""
        return f"http://{HOST}:{self.port}/v1"

    @property
    def anthropic_url(self) -> str:
        """The `base_url` for messages."""
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
        return web.json_response(self.counts.summary())

    def _handler(self, wire: Wire) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def handle(request: web.Request) -> web.StreamResponse:
            counts = self.counts
            counts.at_once += 1
            counts.most_at_once = max(counts.most_at_once, counts.at_once)
            try:
                return await self._handle(wire, request)
            finally:
                counts.at_once -= 1

        return handle

    async def _handle(self, wire: Wire, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        outcome, seconds = self.outcome(wire, raw, wire.key(request.headers))
        if seconds:
            await asyncio.sleep(seconds)
        if not outcome.answered:
            asked = self.config.retry_after
            headers = {"Retry-After": asked} if outcome.status in (429, 503, 529) and asked else {}
            text = TOO_DEEP if outcome.fault is SimulatorFault.NESTED_ERROR else json.dumps(outcome.body)
            return web.json_response(text=text, status=outcome.status, headers=headers)
        if (odd := outcome.odd) is not None:
            return web.Response(status=odd.status, text=odd.text(outcome.body), content_type=odd.content_type)
        text = misshapen(outcome.body, outcome.fault)
        broken = await broken_answer(request, text, outcome.fault)
        if broken is not None:
            return broken
        self.delivered(wire, raw, outcome)
        return web.json_response(text=text)


async def _run(simulator: Simulator, port: int, started: Callable[[], None], ended: asyncio.Event) -> None:
    runner = web.AppRunner(simulator.app(), handler_cancellation=True, shutdown_timeout=0.1, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, HOST, port, backlog=1024).start()
        simulator.port = runner.addresses[0][1]
        started()
        await ended.wait()
    finally:
        await runner.cleanup()


@contextmanager
def serve(
    plan: FaultPlan | None = None,
    *,
    latency_seconds: float = 0.0,
    retry_after: str = "0",
    config: SimulatorConfig | None = None,
) -> Iterator[Simulator]:
    """Yield a simulator that runs in its own thread, on a free port. `config` replaces all arguments but `plan`."""
    config = config or SimulatorConfig(latency_seconds=latency_seconds, retry_after=retry_after)
    simulator = Simulator(plan or scripted(), config)
    started = threading.Event()
    loop = asyncio.new_event_loop()
    ended = asyncio.Event()
    thread = threading.Thread(
        target=lambda: loop.run_until_complete(_run(simulator, 0, started.set, ended)), daemon=True
    )
    thread.start()
    started.wait(10)
    try:
        yield simulator
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(10)
        loop.close()


def run_until_interrupted(simulator: Simulator, port: int, started: Callable[[], None]) -> None:
    """Serve on a port until SIGINT or SIGTERM; port 0 takes a free port.

    Raises:
        ProgramError: the port is taken.
    """

    async def run() -> None:
        ended = asyncio.Event()
        for sign in (signal.SIGINT, signal.SIGTERM):
            with suppress(NotImplementedError):
                asyncio.get_running_loop().add_signal_handler(sign, ended.set)
        await _run(simulator, port, started, ended)

    try:
        asyncio.run(run())
    except OSError as exc:
        raise ProgramError(f"port {port} of {HOST}: {exc.strerror or exc}. Choose another one with --port") from exc
