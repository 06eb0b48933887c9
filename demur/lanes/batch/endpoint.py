"""The interface of a provider's batch endpoint, and the reading of result lines."""

import json
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import datetime
from pkgutil import resolve_name
from typing import Any, ClassVar, Final

from dspy.lm15 import Request

from demur.lanes.keys import access_of
from demur.lanes.providers.openai import connection_error
from demur.lanes.spec import BLOCK_PREFIX, ModelSpec
from demur.lanes.transport import Access
from demur.programs.batch_record import BatchRecord
from demur.programs.call_scope import Reply
from demur.programs.errors import ErrorKind, LaneError, ProgramError

TRANSFER_SECONDS: Final = 600.0
"""The shortest timeout, in seconds, for sending a batch or downloading its results."""
UNREADABLE: Final = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""Exceptions that parsing JSON of an unexpected shape or depth raises."""


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """One request of a batch: its id, and its JSON body."""

    request_id: str
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class BatchState:
    """The state of a batch at the provider. `refusal` is the provider's reason for rejecting the batch.

    `done` is the number of requests with an answer. `failed` is the number of requests that ended without an answer.
    `cancelling` is true from the cancellation on, even after the batch has ended. If `archived` is true, the provider
    has deleted the results.
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
    """One result as parsed JSON. `answered` is true for an answer and false for an error."""

    request_id: str
    answered: bool
    content: dict[str, Any]


class BatchEndpoint(ABC):
    """The batches of a provider, reached through the provider's SDK.

    Every method raises LaneError if the provider refuses or fails.
    """

    most_requests: ClassVar[int]
    """The largest number of requests in a batch."""
    most_bytes: ClassVar[int]
    """The largest size of a batch's requests."""
    tagged: ClassVar[bool]
    """Whether the provider stores our batch id. Otherwise the request ids in its results identify a batch."""

    def __init__(
        self, spec: ModelSpec, client: Any, batches: Any, explained: Callable[[], AbstractContextManager[None]]
    ) -> None:
        """Use an SDK's `client` and the client's `batches`; `explained` turns the SDK's errors into LaneErrors."""
        self._spec = spec
        self._client = client
        self._batches = batches
        self._explained = explained

    @abstractmethod
    def body(self, request: Request) -> dict[str, Any]:
        """Return the JSON body of a request."""

    @abstractmethod
    async def submit(self, tag: str, requests: Sequence[BatchRequest]) -> BatchState:
        """Send a batch, and return the state of the batch; `tag` is demur's id of the batch."""

    @abstractmethod
    def results(self, provider_batch_id: str) -> AsyncGenerator[bytes, None]:
        """Yield each result of an ended batch as one line of JSON, in any order."""

    @abstractmethod
    def read(self, result: BatchResult, request: Request) -> Reply:
        """Return the reply to `request` in a result.

        Raises:
            LaneError: the result is an error.
        """

    @abstractmethod
    def _is_answer(self, content: dict[str, Any]) -> bool: ...

    @abstractmethod
    def _state(self, batch: Any) -> BatchState: ...

    async def state(self, provider_batch_id: str) -> BatchState:
        """Return the state of a batch."""
        return await self._asked(self._batches.retrieve(provider_batch_id))

    async def cancel(self, provider_batch_id: str) -> BatchState:
        """Ask the provider to cancel a batch, and return its state. Finished results stay."""
        return await self._asked(self._batches.cancel(provider_batch_id))

    async def listed(self) -> AsyncGenerator[BatchState, None]:
        """Yield the account's batches, newest first."""
        with self._explained():
            async for batch in self._batches.list(limit=100):
                yield self._read_state(batch)

    def result(self, line: bytes) -> BatchResult:
        """Parse a line of results. The content of an answer is not checked."""
        return read_line(line, self._is_answer)

    def answered_id(self, line: bytes) -> str | None:
        """Return the request id of a line with an answer; None if the line has an error or cannot be read."""
        with suppress(LaneError):
            result = self.result(line)
            return result.request_id if result.answered else None
        return None

    async def _asked(self, request: Awaitable[Any]) -> BatchState:
        with self._explained():
            return self._read_state(await request)

    def _read_state(self, batch: Any) -> BatchState:
        try:
            return self._state(batch)
        except UNREADABLE as exc:
            raise LaneError(f"the answer is not a batch: {exc}", kind=ErrorKind.PROTOCOL) from exc

    async def aclose(self) -> None:
        """Close the SDK's client."""
        await self._client.close()


def read_line(line: bytes, is_answer: Callable[[dict[str, Any]], bool]) -> BatchResult:
    """Return the result in a line of JSON.

    Raises:
        LaneError: the line is no result. The error is retryable: the next download may have the complete line.
    """
    try:
        content = json.loads(line)
        return BatchResult(str(content["custom_id"]), is_answer(content), content)
    except UNREADABLE as exc:
        raise LaneError(f"a line of the results is unreadable: {exc!r}", kind=ErrorKind.PROTOCOL) from exc


async def lines_of(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the non-empty lines of a stream of bytes. Lines end with a line feed.

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


def open_endpoint(spec: ModelSpec, access: Access) -> BatchEndpoint:
    """Import the SDK of a model's provider, and return its batch endpoint."""
    endpoint: BatchEndpoint = resolve_name(str(spec.lane.batches))(spec, access)
    return endpoint


def spec_of(record: BatchRecord) -> ModelSpec:
    """Return a model spec that suffices to ask the provider about a stored batch."""
    source = record.key_source or ""
    block = source.removeprefix(BLOCK_PREFIX) if source.startswith(BLOCK_PREFIX) else None
    return ModelSpec(
        name=record.model,
        provider=record.provider,
        model=record.provider_model,
        base_url=record.base_url,
        api_key_env=None if block else record.key_source,
        api_key_block=block,
        headers=dict(record.headers),
        parameters={"max_tokens": 1},
    )


async def cancel_batch(record: BatchRecord, spec: ModelSpec, keys: Mapping[str, str]) -> BatchState:
    """Ask a provider to cancel a batch. demur still collects the finished answers, and the provider bills them.

    `spec` is `spec_of(record)`. `keys` maps the name of an environment variable, or `block:NAME` of a Prefect block, to
    the key.

    Raises:
        ProgramError: the batch is not at the provider, or has ended.
        LaneError: the provider refuses.
    """
    if record.provider_batch_id is None or not record.status.is_open:
        raise ProgramError(f"batch {record.batch_id} is {record.status}: there is nothing to cancel")
    endpoint = open_endpoint(spec, access_of(spec, keys))
    try:
        return await endpoint.cancel(record.provider_batch_id)
    finally:
        await endpoint.aclose()
