"""The ledger's engine for DSPy's synchronous callers, its optimisers."""

import asyncio
from collections.abc import Callable

from dspy.lm15 import Request, Response

from demur.programs.errors import ProgramError
from demur.programs.lanes.ledger import LedgerEngine


class BlockingEngine:
    """Asks through an engine of its own for every call, since an engine belongs to one event loop."""

    def __init__(self, open_engine: Callable[[], LedgerEngine]) -> None:
        self._open_engine = open_engine

    def complete(self, request: Request) -> Response:
        """Return what the asynchronous engine returns.

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
