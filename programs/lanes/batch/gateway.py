"""What a provider's batch endpoints are to the lane, whichever provider it is."""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from dspy.lm15 import Request

from demur.programs.errors import ErrorKind, LaneError
from demur.programs.journal import Reply


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """One request of a batch: its id, and the JSON that a batch carries for it."""

    request_id: str
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class BatchState:
    """How far a batch is at the provider; `refusal` says why the provider did not work on it at all."""

    provider_batch_id: str
    ended: bool
    cancelling: bool
    requests: int
    done: int
    failed: int
    tag: str | None = None
    created: datetime | None = None
    refusal: str | None = None
    refusal_code: str | None = None


@dataclass(frozen=True, slots=True)
class BatchResult:
    """One result of a batch, its JSON read: which request it is for, and whether it is an answer or an error."""

    request_id: str
    answered: bool
    content: dict[str, Any]


@dataclass(frozen=True, slots=True)
class BatchBounds:
    """The most that one batch may hold."""

    requests: int
    body_bytes: int


class Gateway(Protocol):
    """A provider's batch endpoints; every method raises LaneError where the provider does not do as asked."""

    bounds: BatchBounds

    def body(self, request: Request) -> dict[str, Any]:
        """Return the request as it is sent, live or in a batch."""

    async def submit(self, tag: str, requests: Sequence[BatchRequest]) -> BatchState:
        """Send a batch under a name of ours."""

    async def find(self, tag: str, requests: int, intended: datetime) -> Sequence[BatchState]:
        """Return the batches that can be the one of that name, the likeliest first; none where there is none."""

    async def state(self, provider_batch_id: str) -> BatchState:
        """Return how far a batch is."""

    async def cancel(self, provider_batch_id: str) -> BatchState:
        """Ask the provider to stop; what is done by then stays."""

    def results(self, provider_batch_id: str) -> AsyncIterator[bytes]:
        """Yield the results of an ended batch, one line of JSON each, in any order."""

    def result(self, line: bytes) -> BatchResult:
        """Return what a line of the results is; what an answer says is not looked at."""

    def read(self, result: BatchResult) -> Reply:
        """Return the reply of a result, or raise the LaneError that stands in its place."""

    async def aclose(self) -> None:
        """Give connections back."""


def read_line(line: bytes, is_answer: Callable[[dict[str, Any]], bool]) -> BatchResult:
    """Return the result that a line of JSON holds.

    Raises:
        LaneError: it holds none; fetching the results again may help.
    """
    try:
        content = json.loads(line)
        return BatchResult(str(content["custom_id"]), is_answer(content), content)
    except (ValueError, KeyError, TypeError, AttributeError) as exc:
        raise LaneError(f"a line of the results is none: {exc!r}", kind=ErrorKind.PROTOCOL) from exc
