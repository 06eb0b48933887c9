"""Anthropic's message batches: one body with all requests, and results as a stream of lines."""

from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from dspy.lm15 import Request

from demur.lanes.anthropic import ANTHROPIC_URL, explained, message_body, message_reply
from demur.lanes.batch.endpoint import (
    TRANSFER_SECONDS,
    BatchEndpoint,
    BatchRequest,
    BatchResult,
    BatchState,
    lines_of,
)
from demur.lanes.decoded import Decoded
from demur.lanes.openai import NO_KEY
from demur.lanes.sdks import http_client
from demur.lanes.spec import ModelSpec
from demur.lanes.transport import no_logprobs
from demur.programs.errors import ErrorKind, LaneError
from demur.programs.journal import Reply

_KINDS: Final = {
    "invalid_request_error": ErrorKind.REQUEST,
    "authentication_error": ErrorKind.AUTHENTICATION,
    "billing_error": ErrorKind.QUOTA,
    "permission_error": ErrorKind.PERMISSION,
    "not_found_error": ErrorKind.NOT_FOUND,
    "request_too_large": ErrorKind.CONTEXT_LENGTH,
    "rate_limit_error": ErrorKind.RATE_LIMIT,
    "timeout_error": ErrorKind.TIMEOUT,
    "overloaded_error": ErrorKind.OVERLOADED,
}
_TOO_LONG: Final = "prompt is too long"


class AnthropicEndpoint(BatchEndpoint):
    """`/v1/messages/batches` through `anthropic.AsyncAnthropic`."""

    most_requests = 100_000
    most_bytes = 240_000_000
    tagged = False

    def __init__(self, spec: ModelSpec, api_key: str | None) -> None:
        import anthropic

        self._transfer_seconds = max(TRANSFER_SECONDS, spec.limits.timeout_seconds)
        client = anthropic.AsyncAnthropic(
            api_key=api_key or NO_KEY,
            base_url=spec.base_url or ANTHROPIC_URL,
            max_retries=0,
            timeout=spec.limits.timeout_seconds,
            http_client=http_client(anthropic, self._transfer_seconds),
        )
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

    def read(self, result: BatchResult) -> Reply:
        """Return the reply in a result.

        Raises:
            LaneError: the result is an error.
        """
        ended = result.content["result"]
        if result.answered:
            return message_reply(Decoded(ended["message"]))
        if ended["type"] == "expired":
            raise LaneError("the batch expired before this request", kind=ErrorKind.EXPIRED)
        if ended["type"] == "canceled":
            raise LaneError("the batch was cancelled before this request", kind=ErrorKind.CANCELLED)
        error = ended.get("error") or {}
        error = error.get("error") or error
        said = str(error.get("message", "no reason given"))
        kind = _KINDS.get(str(error.get("type")), ErrorKind.SERVER)
        if kind is ErrorKind.REQUEST and _TOO_LONG in said:
            kind = ErrorKind.CONTEXT_LENGTH
        raise LaneError(f"{error.get('type')}: {said}", kind=kind)

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
