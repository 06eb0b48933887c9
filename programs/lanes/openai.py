"""The openai lane: the official SDK, for OpenAI and every server that speaks its chat completions."""

from typing import Any

from dspy.lm15 import Request

from programs.errors import LaneError
from programs.journal import Reply
from programs.lanes.spec import ModelSpec
from programs.lanes.transport import status_error, system_text, wanted_schema


class OpenAITransport:
    """Chat completions through `openai.AsyncOpenAI`."""

    def __init__(self, spec: ModelSpec, api_key: str | None) -> None:
        import openai

        self._openai = openai
        self._spec = spec
        self._client = openai.AsyncOpenAI(
            api_key=api_key or "not-needed",
            base_url=spec.base_url,
            max_retries=0,
            timeout=spec.limits.timeout_seconds,
        )

    async def ask(self, request: Request) -> Reply:
        """Return the first choice's text.

        Raises:
            LaneError: the provider answered with an error, a refusal to produce text, or not at all.
        """
        body: dict[str, Any] = dict(self._spec.parameters)
        schema = wanted_schema(request)
        if schema is not None and self._spec.structured_output:
            name = request.config.response_format["name"]
            body["response_format"] = {"type": "json_schema", "json_schema": {"name": name, "schema": schema}}
        messages: Any = [{"role": "system", "content": system_text(request)}]
        messages += [{"role": m.role, "content": m.text or ""} for m in request.messages]
        try:
            answer = await self._client.chat.completions.create(
                model=self._spec.model,
                messages=messages,
                **body,
            )
        except self._openai.APIStatusError as exc:
            raise status_error(exc.status_code, exc.message, exc.response.headers.get("retry-after")) from exc
        except self._openai.APITimeoutError as exc:
            raise LaneError("the request timed out", kind="timeout", retryable=True) from exc
        except self._openai.APIConnectionError as exc:
            raise LaneError(f"no connection: {exc.__cause__ or exc}", kind="connection", retryable=True) from exc
        except (self._openai.OpenAIError, ValueError) as exc:
            raise LaneError(f"unreadable answer: {exc}", kind="protocol", retryable=True) from exc
        return _reply(answer)

    async def aclose(self) -> None:
        """Close the SDK's client."""
        await self._client.close()


def _reply(answer: Any) -> Reply:
    if not getattr(answer, "choices", None):
        raise LaneError("the answer has no choices", kind="protocol", retryable=True)
    choice, usage = answer.choices[0], answer.usage
    if choice.finish_reason == "content_filter":
        raise LaneError("the provider's content filter stopped the answer", kind="content_filter", retryable=False)
    if getattr(choice.message, "refusal", None):
        raise LaneError("the model declined to answer", kind="refusal", retryable=False)
    details_in = getattr(usage, "prompt_tokens_details", None)
    details_out = getattr(usage, "completion_tokens_details", None)
    return Reply(
        text=choice.message.content or "",
        finish_reason=choice.finish_reason or "stop",
        input_tokens=usage.prompt_tokens if usage else None,
        output_tokens=usage.completion_tokens if usage else None,
        cached_tokens=getattr(details_in, "cached_tokens", None),
        reasoning_tokens=getattr(details_out, "reasoning_tokens", None),
    )
