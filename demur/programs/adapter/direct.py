"""Direct calls of a model's engine, without dspy.LM."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

import dspy
from dspy.lm15 import Request, Response
from dspy.utils.exceptions import LMError

from demur.programs.errors import ErrorKind, LaneError, ProgramError


class AsyncEngine(Protocol):
    """The type of dspy.LM's asynchronous engines."""

    async def complete(self, request: Request) -> Response:
        """Return the response to one request."""


@dataclass(frozen=True, slots=True)
class Direct:
    """A model's engine, called without dspy.LM.

    dspy.LM would take half of a request's CPU time, for thread switches and for checks.

    With callbacks, history, usage tracking or streams, requests go through dspy.LM.
    """

    lm: dspy.LM
    engine: AsyncEngine

    def serves(self, lm: dspy.LM) -> bool:
        """Return whether this is the engine of `lm`, and DSPy's calls are not observed."""
        seen = dspy.settings
        return (
            lm is self.lm
            and not lm.callbacks
            and not seen.callbacks
            and bool(seen.disable_history)
            and seen.usage_tracker is None
            and seen.send_stream is None
        )


@contextmanager
def engine_errors() -> Iterator[None]:
    """Turn errors inside the block into errors of demur.

    Raises:
        ProgramError, OSError: the engine raised this error.
        LaneError: the engine raised any other error.
    """
    try:
        yield
    except (ProgramError, OSError):
        raise
    except LMError as exc:
        if isinstance(exc.__cause__, (ProgramError, OSError)):
            raise exc.__cause__ from None
        raise LaneError(str(exc), kind=ErrorKind.UNEXPECTED) from exc
    except Exception as exc:
        raise LaneError(f"{type(exc).__name__}: {exc}", kind=ErrorKind.UNEXPECTED) from exc
