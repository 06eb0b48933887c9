"""Anthropic's message batches: one body with all requests, and results as a stream of lines."""

from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from dspy.lm15 import Request

from demur.lanes.anthropic import explained, message_body, message_reply, open_client
from demur.lanes.batch.endpoint import (
    TRANSFER_SECONDS,
    BatchEndpoint,
    BatchRequest,
    BatchResult,
    BatchState,
    lines_of,
)
from demur.lanes.decoded import Decoded
from demur.lanes.provider_errors import named_error
from demur.lanes.spec import ModelSpec
from demur.lanes.transport import Access, no_logprobs
from demur.programs.errors import ErrorKind, LaneError
from demur.programs.journal import Reply


class AnthropicEndpoint(BatchEndpoint):
    """`/v1/messages/batches` through `anthropic.AsyncAnthropic`."""

    most_requests = 100_000
    most_bytes = 240_000_000
    tagged = False

    def __init__(self, spec: ModelSpec, access: Access) -> None:
        import anthropic

        self._transfer_seconds = max(TRANSFER_SECONDS, spec.limits.timeout_seconds)
        client = open_client(anthropic, spec, access, self._transfer_seconds)
        super().__init__(spec, client, client.messages.batches, partial(explained, anthropic, spec))

    def body(self, request: Request) -> dict[str, Any]:
        """Return the body of a message request, with the spec's parameters."""
        if request.config.logprobs is not None:
            raise no_logprobs(self._spec)
        body = message_body(self._spec, request)
        parameters: dict[str, Any] = body.pop("extra_body")
        return body | parameters

    async def submit(self, tag: str, requests: Sequence[BatchRequest]) -> BatchState:
        """Send all requests as one batch. Anthropic does not store `tag`."""
        entries: Any = [{"custom_id": request.request_id, "params": request.body} for request in requests]
        return await self._asked(self._batches.create(requests=entries, timeout=self._transfer_seconds))

    async def results(self, provider_batch_id: str) -> AsyncGenerator[bytes, None]:
        """Yield each result of an ended batch as one line of JSON."""
        with self._explained():
            results = self._batches.with_streaming_response.results
            async with results(provider_batch_id, timeout=self._transfer_seconds) as response:
                async for line in lines_of(response.iter_bytes()):
                    yield line

    def read(self, result: BatchResult, request: Request) -> Reply:
        """Return the reply to `request` in a result.

        Raises:
            LaneError: the result is an error.
        """
        ended = result.content["result"]
        if result.answered:
            return message_reply(Decoded(ended["message"]), request)
        if ended["type"] == "expired":
            raise LaneError("the batch expired before this request", kind=ErrorKind.EXPIRED)
        if ended["type"] == "canceled":
            raise LaneError("the batch was cancelled before this request", kind=ErrorKind.CANCELLED)
        error = ended.get("error") or {}
        error = error.get("error") or error
        raise named_error(error.get("type"), str(error.get("message", "no reason given")))

    def _is_answer(self, content: dict[str, Any]) -> bool:
        return bool(content["result"]["type"] == "succeeded")

    def _state(self, batch: Any) -> BatchState:
        counts = batch.request_counts
        failed = counts.errored + counts.canceled + counts.expired
        created = batch.created_at
        created = datetime.fromisoformat(created) if isinstance(created, str) else created
        return BatchState(
            provider_batch_id=str(batch.id),
            ended=batch.processing_status == "ended",
            cancelling=batch.cancel_initiated_at is not None,
            requests=counts.processing + counts.succeeded + failed,
            done=counts.succeeded,
            failed=failed,
            created=created.astimezone(UTC),
            archived=batch.archived_at is not None,
        )
