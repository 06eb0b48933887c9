"""The two ways from a program to a model's engine: directly, or through dspy.LM where its calls are observed."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

import dspy
from dspy.lm15 import Request, Response
from dspy.utils.exceptions import LMError

from demur.programs.errors import ErrorKind, LaneError, ProgramError


class AsyncEngine(Protocol):
    """What dspy.LM takes as an asynchronous engine."""

    async def complete(self, request: Request) -> Response:
        """Return the response to one request."""


@dataclass(frozen=True, slots=True)
class Direct:
    """A model's engine, without dspy.LM's two changes of thread and checks for each request: half of its CPU.

    Callbacks, history, usage and streams still happen where they are asked for: then dspy.LM is used.
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
    """Pass on errors of ours, unwrapped from DSPy's, and make any other a LaneError, which ends the unit only.

    Raises:
        ProgramError, OSError: as the engine raised them; anything else becomes a LaneError.
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
