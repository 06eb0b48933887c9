"""OpenAI's batches: a file of requests, a batch over it, a file of answers and one of errors."""

import io
import json
from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from dspy.lm15 import Request

from demur.programs.errors import ErrorKind, LaneError
from demur.programs.journal import Reply
from demur.programs.lanes.batch.gateway import BatchBounds, BatchRequest, BatchResult, BatchState, lines_of, read_line
from demur.programs.lanes.chat import chat_body, chat_reply
from demur.programs.lanes.decoded import Decoded
from demur.programs.lanes.openai import chat_parameters, explained, open_client
from demur.programs.lanes.sdks import load_openai
from demur.programs.lanes.spec import ModelSpec
from demur.programs.lanes.transport import status_error

TAG: Final = "demur_batch"
TRANSFER_SECONDS: Final = 600.0
"""How long files may take on their way, at least; single requests have the model's own limit."""
_ENDED: Final = frozenset({"completed", "failed", "expired", "cancelled"})
_EXPIRED: Final = "batch_expired"
_CANCELLED: Final = "batch_cancelled"


class OpenAIGateway:
    """`/v1/files` and `/v1/batches` through `openai.AsyncOpenAI`."""

    bounds = BatchBounds(requests=50_000, body_bytes=190_000_000)
    tagged = True

    def __init__(self, spec: ModelSpec, api_key: str | None) -> None:
        self._openai = load_openai()
        self._spec = spec
        self._transfer_seconds = max(TRANSFER_SECONDS, spec.limits.timeout_seconds)
        self._client = open_client(self._openai, spec, api_key, self._transfer_seconds)

    def body(self, request: Request) -> dict[str, Any]:
        """Return the chat completion that is asked for, parameters included."""
        return {**chat_body(self._spec, request), **chat_parameters(self._spec, request)}

    async def submit(self, tag: str, requests: Sequence[BatchRequest]) -> BatchState:
        """Upload the requests and make a batch of them that carries the tag."""
        data = b"".join(_line(request) for request in requests)
        try:
            with explained(self._openai):
                file = await self._client.files.create(
                    file=(f"{tag}.jsonl", io.BytesIO(data)), purpose="batch", timeout=self._transfer_seconds
                )
        except LaneError as exc:
            exc.may_be_billed = False  # nobody works on a file alone
            raise
        with explained(self._openai):
            batch = await self._client.batches.create(
                input_file_id=file.id,
                endpoint="/v1/chat/completions",
                completion_window="24h",
                metadata={TAG: tag},
            )
        return _state(batch)

    async def listed(self) -> AsyncGenerator[BatchState, None]:
        """Yield the account's batches, newest first."""
        with explained(self._openai):
            async for batch in await self._client.batches.list(limit=100):
                yield _state(batch)

    async def state(self, provider_batch_id: str) -> BatchState:
        """Return how far a batch is."""
        with explained(self._openai):
            return _state(await self._client.batches.retrieve(provider_batch_id))

    async def cancel(self, provider_batch_id: str) -> BatchState:
        """Ask OpenAI to stop."""
        with explained(self._openai):
            return _state(await self._client.batches.cancel(provider_batch_id))

    async def results(self, provider_batch_id: str) -> AsyncGenerator[bytes, None]:
        """Yield the lines of the file of answers, then those of the file of errors."""
        with explained(self._openai):
            batch = await self._client.batches.retrieve(provider_batch_id)
            for file_id in (batch.output_file_id, batch.error_file_id):
                if not file_id:
                    continue
                content = self._client.files.with_streaming_response.content
                async with content(file_id, timeout=self._transfer_seconds) as response:
                    async for line in lines_of(response.iter_bytes()):
                        yield line

    def result(self, line: bytes) -> BatchResult:
        """Return a line; it is an answer where its response has status 200."""
        return read_line(line, lambda content: (content.get("response") or {}).get("status_code") == 200)

    def read(self, result: BatchResult) -> Reply:
        """Return the reply, or raise the error that stands in its place."""
        response, error = result.content.get("response") or {}, result.content.get("error") or {}
        status, body = response.get("status_code"), response.get("body")
        if status == 200 and isinstance(body, dict):
            return chat_reply(Decoded(body))
        if isinstance(status, int):
            said = body.get("error") if isinstance(body, dict) else None
            said = said if isinstance(said, dict) else {}
            raise status_error(status, str(said.get("message", body)), {}, said.get("code"))
        raise _entry_error(str(error.get("code")), str(error.get("message", "no reason given")))

    async def aclose(self) -> None:
        """Close the SDK's client."""
        await self._client.close()


def _line(request: BatchRequest) -> bytes:
    line = {
        "custom_id": request.request_id,
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": request.body,
    }
    return json.dumps(line, ensure_ascii=False).encode() + b"\n"


def _entry_error(code: str, message: str) -> LaneError:
    if code == _EXPIRED:
        return LaneError(f"the batch expired before this request: {message}", kind=ErrorKind.EXPIRED)
    if code == _CANCELLED:
        return LaneError(f"the batch was cancelled before this request: {message}", kind=ErrorKind.CANCELLED)
    return LaneError(f"{code}: {message}", kind=ErrorKind.SERVER)


def _state(batch: Any) -> BatchState:
    try:
        counts = batch.request_counts
        problems = batch.errors.data if batch.status == "failed" and batch.errors else None
        refusal = code = None
        if batch.status == "failed":
            refusal = "; ".join(str(problem.message) for problem in problems or ()) or "no reason given"
            code = problems[0].code if problems else None
        return BatchState(
            provider_batch_id=str(batch.id),
            ended=batch.status in _ENDED,
            cancelling=batch.status in ("cancelling", "cancelled"),
            requests=counts.total if counts else 0,
            done=counts.completed if counts else 0,
            failed=counts.failed if counts else 0,
            tag=(batch.metadata or {}).get(TAG),
            created=datetime.fromtimestamp(batch.created_at, UTC),
            refusal=refusal,
            refusal_code=code,
        )
    except (AttributeError, TypeError, ValueError) as exc:
        raise LaneError(f"the answer is no batch: {exc}", kind=ErrorKind.PROTOCOL) from exc
