"""What a provider's batch endpoints are to the lane, whichever provider it is."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol

from dspy.lm15 import Request

from demur.programs.errors import ErrorKind, LaneError
from demur.programs.journal import Reply
from demur.programs.lanes.openai import connection_error

UNREADABLE: Final = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""What reading JSON of another shape, or nested too deeply, raises."""


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """One request of a batch: its id, and the JSON that a batch carries for it."""

    request_id: str
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class BatchState:
    """How far a batch is at the provider; `refusal` says why the provider did not work on it at all.

    `done` counts answers, `failed` requests that ended without one; `cancelling` holds after the end, too; `archived`
    says that its results are gone for good.
    """

    provider_batch_id: str
    ended: bool
    cancelling: bool
    requests: int
    done: int
    failed: int
    created: datetime
    tag: str | None = None
    archived: bool = False
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
    tagged: bool
    """Whether a batch carries our name at the provider; where not, its results tell whose it is."""

    def body(self, request: Request) -> dict[str, Any]:
        """Return the request as it is sent, live or in a batch."""

    async def submit(self, tag: str, requests: Sequence[BatchRequest]) -> BatchState:
        """Send a batch under a name of ours."""

    def listed(self) -> AsyncGenerator[BatchState, None]:
        """Yield the account's batches, newest first."""

    async def state(self, provider_batch_id: str) -> BatchState:
        """Return how far a batch is."""

    async def cancel(self, provider_batch_id: str) -> BatchState:
        """Ask the provider to stop; what is done by then stays."""

    def results(self, provider_batch_id: str) -> AsyncGenerator[bytes, None]:
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
    except UNREADABLE as exc:
        raise LaneError(f"a line of the results is none: {exc!r}", kind=ErrorKind.PROTOCOL) from exc


async def lines_of(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the lines of a stream that are not empty; nothing but a line feed ends one.

    Raises:
        LaneError: the stream broke off.
    """
    begun: list[bytes] = []
    while True:
        try:
            chunk = await anext(chunks, None)
        except Exception as exc:  # several HTTP libraries raise here, each its own
            raise connection_error(exc) from exc
        *ends, rest = (chunk or b"\n").split(b"\n")
        for end in ends:
            line = b"".join([*begun, end])
            begun = []
            if line.strip():
                yield line
        begun.append(rest)
        if chunk is None:
            return
