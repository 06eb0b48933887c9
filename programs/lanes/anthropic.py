"""The anthropic lane: the official SDK's messages endpoint."""

from typing import Any

from dspy.lm15 import Request

from programs.errors import LaneError
from programs.journal import Reply
from programs.lanes.spec import ModelSpec
from programs.lanes.transport import status_error, system_text

_FINISH = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length"}


class AnthropicTransport:
    """Messages through `anthropic.AsyncAnthropic`."""

    def __init__(self, spec: ModelSpec, api_key: str | None) -> None:
        import anthropic

        self._anthropic = anthropic
        self._spec = spec
        self._client = anthropic.AsyncAnthropic(
            api_key=api_key or "not-needed",
            base_url=spec.base_url,
            max_retries=0,
            timeout=spec.limits.timeout_seconds,
        )

    async def ask(self, request: Request) -> Reply:
        """Return the text blocks of the answer, joined.

        Raises:
            LaneError: the provider answered with an error, refused, or did not answer.
        """
        body: dict[str, Any] = dict(self._spec.parameters)
        messages = [{"role": m.role, "content": m.text or ""} for m in request.messages]
        try:
            answer = await self._client.messages.create(
                model=self._spec.model,
                system=system_text(request),
                messages=messages,  # type: ignore[arg-type]
                **body,
            )
        except self._anthropic.APIStatusError as exc:
            raise status_error(exc.status_code, exc.message, exc.response.headers.get("retry-after")) from exc
        except self._anthropic.APITimeoutError as exc:
            raise LaneError("the request timed out", kind="timeout", retryable=True) from exc
        except self._anthropic.APIConnectionError as exc:
            raise LaneError(f"no connection: {exc.__cause__ or exc}", kind="connection", retryable=True) from exc
        except (self._anthropic.AnthropicError, ValueError) as exc:
            raise LaneError(f"unreadable answer: {exc}", kind="protocol", retryable=True) from exc
        return _reply(answer)

    async def aclose(self) -> None:
        """Close the SDK's client."""
        await self._client.close()


def _reply(answer: Any) -> Reply:
    if answer.stop_reason == "refusal":
        raise LaneError("the model declined to answer", kind="refusal", retryable=False)
    text = "".join(block.text for block in answer.content or () if block.type == "text")
    usage = answer.usage
    cached = getattr(usage, "cache_read_input_tokens", None) or 0
    return Reply(
        text=text,
        finish_reason=_FINISH.get(answer.stop_reason, "stop"),
        input_tokens=usage.input_tokens + cached if usage else None,
        output_tokens=usage.output_tokens if usage else None,
        cached_tokens=cached if usage else None,
    )
