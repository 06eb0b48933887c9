"""The short way from a program to its model, where nobody follows what DSPy does on the long one."""

from dataclasses import dataclass
from typing import Protocol

import dspy
from dspy.lm15 import Request, Response

from demur.programs.errors import ErrorKind, LaneError, ProgramError


class AsyncEngine(Protocol):
    """What dspy.LM takes as an asynchronous engine."""

    async def complete(self, request: Request) -> Response:
        """Return the response to one request."""


@dataclass(frozen=True, slots=True)
class Direct:
    """The short way to a model: its engine, without dspy.LM's two changes of thread and checks for each request.

    They take half of the CPU of a request. What they are good for (callbacks, history, usage, streams) still happens
    where somebody has asked for it: then the long way is taken.
    """

    lm: dspy.LM
    engine: AsyncEngine

    def may_be_taken(self, lm: dspy.LM) -> bool:
        """Whether this is the way to `lm`, and nobody follows what DSPy does."""
        seen = dspy.settings
        return (
            lm is self.lm
            and not lm.callbacks
            and not seen.callbacks
            and bool(seen.disable_history)
            and seen.usage_tracker is None
            and seen.send_stream is None
        )

    async def complete(self, request: Request) -> Response:
        """Return the engine's response.

        Raises:
            ProgramError, OSError: as the engine raises them; anything else it raises becomes a LaneError.
        """
        try:
            return await self.engine.complete(request)
        except (ProgramError, OSError):
            raise
        except Exception as exc:
            raise LaneError(f"{type(exc).__name__}: {exc}", kind=ErrorKind.UNEXPECTED) from exc
