"""Starts the simulator: in a thread, for tests, or as the main work of a process until it is interrupted."""

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from aiohttp import web

from demur.lanes.simulator.engine import SimulatorConfig
from demur.lanes.simulator.faults import FaultPlan, scripted
from demur.lanes.simulator.server import HOST, Simulator
from demur.programs.errors import ProgramError


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
    """Yield a simulator that runs in a thread of its own, on a free port; `config` stands for the other two."""
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
    """Serve on a port of this machine until Ctrl-C or a polite kill; port 0 takes a free one.

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
