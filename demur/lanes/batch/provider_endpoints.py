"""Batch endpoints of OpenAI (files) and Anthropic (one body, and results as a stream of lines)."""

import io
import json
from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from dspy.lm15 import Request

from demur.lanes.batch.endpoint import TRANSFER_SECONDS, BatchEndpoint, BatchRequest, BatchResult, BatchState, lines_of
from demur.lanes.providers.anthropic import explained as anthropic_explained
from demur.lanes.providers.anthropic import message_body, message_reply
from demur.lanes.providers.anthropic import open_client as anthropic_open_client
from demur.lanes.providers.decoded import Decoded
from demur.lanes.providers.openai import chat_body, chat_parameters, chat_reply, explained, open_client
from demur.lanes.providers.provider_errors import named_error, provider_words, status_error
from demur.lanes.providers.sdks import load_openai
from demur.lanes.spec import ModelSpec
from demur.lanes.transport import Access, no_logprobs
from demur.programs.call_scope import Reply
from demur.programs.errors import ErrorKind, LaneError

# OpenAI's batches: an uploaded file of requests, and downloaded files of answers and errors.


TAG: Final = "demur_batch"
_URL: Final = "/v1/chat/completions"
_ENDED: Final = frozenset({"completed", "failed", "expired", "cancelled"})
_ERRORS: Final = {
    "batch_expired": ("the batch expired before this request", ErrorKind.EXPIRED),
    "batch_cancelled": ("the batch was cancelled before this request", ErrorKind.CANCELLED),
}


class OpenAIEndpoint(BatchEndpoint):
    """`/v1/files` and `/v1/batches` through `openai.AsyncOpenAI`."""

    most_requests = 50_000
    most_bytes = 190_000_000
    tagged = True

    def __init__(self, spec: ModelSpec, access: Access) -> None:
        openai = load_openai()
        self._transfer_seconds = max(TRANSFER_SECONDS, spec.limits.timeout_seconds)
        client = open_client(openai, spec, access, self._transfer_seconds)
        super().__init__(spec, client, client.batches, partial(explained, openai))

    def body(self, request: Request) -> dict[str, Any]:
        """Return the body of a chat completion request, with the spec's parameters."""
        body = chat_body(self._spec, request, system_role=self._spec.system_role)
        return {**body, **chat_parameters(self._spec, request)}

    async def submit(self, tag: str, requests: Sequence[BatchRequest]) -> BatchState:
        """Upload a file of requests, and start a batch of these requests; the batch's metadata has the tag."""
        data = b"".join(_line(request) for request in requests)
        try:
            with self._explained():
                file = await self._client.files.create(
                    file=(f"{tag}.jsonl", io.BytesIO(data)), purpose="batch", timeout=self._transfer_seconds
                )
        except LaneError as exc:
            exc.may_be_billed = False  # nobody works on a file alone
            raise
        batch = self._batches.create(input_file_id=file.id, endpoint=_URL, completion_window="24h", metadata={TAG: tag})
        return await self._asked(batch)

    async def results(self, provider_batch_id: str) -> AsyncGenerator[bytes, None]:
        """Yield the lines of the file of answers, then the lines of the file of errors."""
        with self._explained():
            batch = await self._batches.retrieve(provider_batch_id)
            for file_id in (batch.output_file_id, batch.error_file_id):
                if file_id:
                    content = self._client.files.with_streaming_response.content
                    async with content(file_id, timeout=self._transfer_seconds) as response:
                        async for line in lines_of(response.iter_bytes()):
                            yield line

    def read(self, result: BatchResult, request: Request) -> Reply:
        """Return the reply to `request` in a result.

        Raises:
            LaneError: the result is an error.
        """
        response = result.content.get("response") or {}
        error = result.content.get("error") or {}
        status = response.get("status_code")
        body = response.get("body")
        if status == 200 and isinstance(body, dict):
            return chat_reply(Decoded(body), request)
        if isinstance(status, int):
            said = body.get("error") if isinstance(body, dict) else None
            codes = (said.get("code"), said.get("type")) if isinstance(said, dict) else ()
            raise status_error(status, provider_words(body, str(body)), {}, *codes, body=body)
        code = str(error.get("code"))
        what, kind = _ERRORS.get(code, (code, ErrorKind.SERVER))
        raise LaneError(f"{what}: {error.get('message', 'no reason given')}", kind=kind)

    def _is_answer(self, content: dict[str, Any]) -> bool:
        return (content.get("response") or {}).get("status_code") == 200

    def _state(self, batch: Any) -> BatchState:
        counts = batch.request_counts
        refusal = code = None
        if batch.status == "failed":
            problems = batch.errors.data if batch.errors else None
            refusal = "; ".join(str(problem.message) for problem in problems or ()) or "no reason given"
            code = problems[0].code if problems else None
        return BatchState(
            provider_batch_id=str(batch.id),
            ended=batch.status in _ENDED,
            cancelling=batch.status in ("cancelling", "cancelled"),
            requests=counts.total if counts else 0,
            done=counts.completed if counts else 0,
            failed=counts.failed if counts else 0,
            created=datetime.fromtimestamp(batch.created_at, UTC),
            tag=(batch.metadata or {}).get(TAG),
            refusal=refusal,
            refusal_code=code,
        )


def _line(request: BatchRequest) -> bytes:
    line = {"custom_id": request.request_id, "method": "POST", "url": _URL, "body": request.body}
    return json.dumps(line, ensure_ascii=False).encode() + b"\n"


# Anthropic's message batches: one body with all requests, and results as a stream of lines.


class AnthropicEndpoint(BatchEndpoint):
    """`/v1/messages/batches` through `anthropic.AsyncAnthropic`."""

    most_requests = 100_000
    most_bytes = 240_000_000
    tagged = False

    def __init__(self, spec: ModelSpec, access: Access) -> None:
        import anthropic

        self._transfer_seconds = max(TRANSFER_SECONDS, spec.limits.timeout_seconds)
        client = anthropic_open_client(anthropic, spec, access, self._transfer_seconds)
        super().__init__(spec, client, client.messages.batches, partial(anthropic_explained, anthropic, spec))

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
