"""The anthropic lane: the official SDK's messages endpoint."""

from typing import Any, Final

from dspy.lm15 import Request

from programs.adapter import system_text
from programs.errors import ErrorKind, LaneError
from programs.journal import Reply
from programs.lanes.openai import NO_KEY, connection_error
from programs.lanes.sdks import load_anthropic
from programs.lanes.spec import ModelSpec
from programs.lanes.transport import status_error, token_count, wanted_format

ANTHROPIC_URL: Final = "https://api.anthropic.com"
_FINISH: Final = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
}


class AnthropicTransport:
    """Messages through `anthropic.AsyncAnthropic`, on aiohttp: 0.9 ms of CPU a call where the default takes 1.4."""

    def __init__(self, spec: ModelSpec, api_key: str | None) -> None:
        self._anthropic = anthropic = load_anthropic()
        self._spec = spec
        self._client = anthropic.AsyncAnthropic(
            api_key=api_key or NO_KEY,
            base_url=spec.base_url or ANTHROPIC_URL,
            max_retries=0,
            timeout=spec.limits.timeout_seconds,
            http_client=anthropic.DefaultAioHttpClient(timeout=spec.limits.timeout_seconds),
        )

    async def ask(self, request: Request) -> Reply:
        """Return the text blocks of the answer, joined.

        Raises:
            LaneError: the provider answered with an error, declined, or did not answer.
        """
        try:
            answer = await self._client.messages.create(**message_body(self._spec, request))
        except self._anthropic.APIStatusError as exc:
            raise status_error(exc.status_code, exc.message, exc.response.headers, exc.error_code or exc.type) from exc
        except self._anthropic.APIConnectionError as exc:
            raise connection_error(exc) from exc
        except (self._anthropic.AnthropicError, ValueError) as exc:
            raise LaneError(f"unreadable answer: {exc}", kind=ErrorKind.PROTOCOL) from exc
        return message_reply(answer)

    async def aclose(self) -> None:
        """Close the SDK's client."""
        await self._client.close()


def message_body(spec: ModelSpec, request: Request) -> dict[str, Any]:
    """Return the arguments of `create`; the SDK has no names for some parameters, so they go into `extra_body`."""
    extra = dict(spec.parameters)
    body: dict[str, Any] = {
        "model": spec.model,
        "max_tokens": extra.pop("max_tokens"),
        "system": system_text(request),
        "messages": [{"role": m.role, "content": m.text or ""} for m in request.messages],
        "extra_body": extra,
    }
    wanted = wanted_format(request)
    if wanted is not None and wanted.strict and spec.structured_output:
        config = extra.pop("output_config", None)
        shape = {"type": "json_schema", "schema": wanted.schema}
        body["output_config"] = {**(config if isinstance(config, dict) else {}), "format": shape}
    return body


def message_reply(answer: Any) -> Reply:
    """Return the text blocks of a message, joined.

    Raises:
        LaneError: the model declined, or the answer is no message.
    """
    try:
        stopped = answer.stop_reason
        text = "".join(block.text for block in answer.content if block.type == "text")
    except (AttributeError, TypeError) as exc:
        raise LaneError(f"the answer is no message: {exc}", kind=ErrorKind.PROTOCOL) from exc
    reply = _with_usage(text, _FINISH.get(stopped, str(stopped)), getattr(answer, "usage", None))
    if stopped == "refusal":
        raise LaneError("the model declined to answer", kind=ErrorKind.REFUSAL, reply=reply)
    return reply


def _with_usage(text: str, finish: str, usage: Any) -> Reply:
    """All input tokens together, as other providers count them; this one counts cached ones apart."""
    fresh = token_count(getattr(usage, "input_tokens", None))
    cached = token_count(getattr(usage, "cache_read_input_tokens", None))
    written = token_count(getattr(usage, "cache_creation_input_tokens", None))
    return Reply(
        text=text,
        finish_reason=finish,
        input_tokens=None if fresh is None else fresh + (cached or 0) + (written or 0),
        output_tokens=token_count(getattr(usage, "output_tokens", None)),
        cached_tokens=cached,
        reasoning_tokens=token_count(getattr(getattr(usage, "output_tokens_details", None), "thinking_tokens", None)),
        cache_write_tokens=written,
    )
