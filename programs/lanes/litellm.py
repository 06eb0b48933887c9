"""The litellm lane: any other provider that litellm knows."""

import os
from typing import Any

from dspy.lm15 import Request

from programs.errors import LaneError
from programs.journal import Reply
from programs.lanes.spec import ModelSpec
from programs.lanes.transport import RETRYABLE_STATUS, system_text, wanted_schema


def import_litellm() -> Any:
    """Import litellm with its bundled price table and without its calls home."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    return litellm


class LiteLLMTransport:
    """Chat completions through `litellm.acompletion`."""

    def __init__(self, spec: ModelSpec, api_key: str | None) -> None:
        self._litellm = import_litellm()
        self._spec = spec
        self._api_key = api_key

    async def ask(self, request: Request) -> Reply:
        """Return the first choice's text.

        Raises:
            LaneError: the provider answered with an error or not at all.
        """
        body: dict[str, Any] = dict(self._spec.parameters)
        schema = wanted_schema(request)
        if schema is not None and self._spec.structured_output:
            name = request.config.response_format["name"]
            body["response_format"] = {"type": "json_schema", "json_schema": {"name": name, "schema": schema}}
        messages = [{"role": "system", "content": system_text(request)}]
        messages += [{"role": m.role, "content": m.text or ""} for m in request.messages]
        try:
            answer = await self._litellm.acompletion(
                model=self._spec.model,
                messages=messages,
                api_key=self._api_key,
                api_base=self._spec.base_url,
                timeout=self._spec.limits.timeout_seconds,
                num_retries=0,
                **body,
            )
        except Exception as exc:  # litellm raises each SDK's own errors besides its own
            status = getattr(exc, "status_code", None)
            retryable = status is None or status in RETRYABLE_STATUS
            raise LaneError(f"{type(exc).__name__}: {exc}"[:500], kind="provider", retryable=retryable) from exc
        choice, usage = answer.choices[0], getattr(answer, "usage", None)
        return Reply(
            text=choice.message.content or "",
            finish_reason=choice.finish_reason or "stop",
            input_tokens=getattr(usage, "prompt_tokens", None),
            output_tokens=getattr(usage, "completion_tokens", None),
        )

    async def aclose(self) -> None:
        """Nothing to close: litellm keeps its own clients."""
