"""One attempt at one request: what comes of it, within its time, with nothing in it that may not be kept."""

import asyncio
import logging
import re
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Final

from dspy.lm15 import Request

from demur.programs.errors import ErrorKind, Halted, LaneError
from demur.programs.journal import Reply
from demur.programs.lanes.masking import Mask
from demur.programs.lanes.spec import Mode, ModelSpec
from demur.programs.lanes.transport import Transport

LONGEST_ERROR: Final = 500
BUSY_SECONDS: Final = 0.05
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Outlet:
    """A lane to ask through; whatever goes wrong comes back as a LaneError, fit to keep."""

    spec: ModelSpec
    transport: Transport
    mask: Mask

    async def ask(self, request: Request) -> Reply | LaneError:
        """Return what comes of asking once; a batch takes its own time.

        Raises:
            Halted: nothing more can be asked for now.
        """
        limit = None if self.spec.mode is Mode.BATCH else self.spec.limits.timeout_seconds
        try:
            async with time_limit(limit):
                return self._fit_to_keep(await self.transport.ask(request))
        except LaneError as exc:
            reply = self._fit_to_keep(exc.reply) if exc.reply else None
            return LaneError(
                _whole(self.mask.error(str(exc))[:LONGEST_ERROR]),
                kind=exc.kind,
                retryable=exc.retryable,
                retry_after_seconds=exc.retry_after_seconds,
                reply=reply,
                may_be_billed=exc.may_be_billed,
            )
        except Halted:
            raise
        except TimeoutError:
            return LaneError(f"no answer within {limit or 0:g} s", kind=ErrorKind.TIMEOUT)
        except Exception as exc:  # a fault of ours or of a library's ends this unit, not the stage
            _log.error("%s: %s", self.spec.name, self.mask.error("".join(traceback.format_exception(exc))))
            said = self.mask.error(f"{type(exc).__name__}: {exc}")
            return LaneError(_whole(said[:LONGEST_ERROR]), kind=ErrorKind.UNEXPECTED)

    def _fit_to_keep(self, reply: Reply) -> Reply:
        """Take out the key, and halves of surrogate pairs, which no file can hold."""
        text, finish = (_whole(self.mask.reply(said)) for said in (reply.text, reply.finish_reason))
        same = text == reply.text and finish == reply.finish_reason
        return reply if same else replace(reply, text=text, finish_reason=finish)


@asynccontextmanager
async def time_limit(seconds: float | None) -> AsyncIterator[None]:
    """Stop what runs inside after so many seconds.

    What may be there already while the event loop was busy (a library being loaded) has as long again to be noticed.

    Raises:
        TimeoutError: it was stopped.
    """
    loop = asyncio.get_running_loop()
    timer: asyncio.TimerHandle | None = None

    def due(at: float) -> None:
        nonlocal timer
        late = loop.time() - at
        if late > BUSY_SECONDS:
            timer = loop.call_later(late, due, loop.time() + late)
        else:
            limit.reschedule(loop.time())

    async with asyncio.timeout(None) as limit:
        if seconds is not None:
            timer = loop.call_later(seconds, due, loop.time() + seconds)
        try:
            yield
        finally:
            if timer is not None:
                timer.cancel()


def _whole(text: str) -> str:
    return _LONE_SURROGATE.sub("\ufffd", text)
