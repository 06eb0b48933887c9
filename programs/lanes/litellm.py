"""The litellm lane: any other provider that litellm knows."""

import os
from collections.abc import Mapping
from typing import Any, Final

from dspy.lm15 import Request

from programs.errors import ErrorKind, LaneError
from programs.journal import Reply
from programs.lanes.chat import chat_body, chat_reply
from programs.lanes.spec import ModelSpec
from programs.lanes.transport import status_error

_CODES: Final = {
    "ContextWindowExceededError": "context_length_exceeded",
    "ContentPolicyViolationError": "content_policy_violation",
}


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
            LaneError: the provider answered with an error, declined, or did not answer.
        """
        try:
            answer = await self._litellm.acompletion(
                **chat_body(self._spec, request),
                **self._spec.parameters,
                api_key=self._api_key,
                api_base=self._spec.base_url,
                timeout=self._spec.limits.timeout_seconds,
                num_retries=0,
                max_retries=0,
            )
        except Exception as exc:  # litellm raises each SDK's own errors besides its own
            raise _lane_error(exc) from exc
        return chat_reply(answer)

    async def aclose(self) -> None:
        """Nothing to close: litellm keeps its own clients."""


def _lane_error(error: Exception) -> LaneError:
    """Return the LaneError for one of litellm's, which takes most broken connections for errors of the server."""
    name, said = type(error).__name__, str(error)
    status = getattr(error, "status_code", None)
    if name == "Timeout":
        return LaneError(f"the request timed out: {said}", kind=ErrorKind.TIMEOUT)
    if name == "APIConnectionError" or not isinstance(status, int):
        return LaneError(f"no connection, or it broke: {name}: {said}", kind=ErrorKind.CONNECTION)
    body, headers = getattr(error, "body", None), getattr(error, "litellm_response_headers", None)
    code = _CODES.get(name) or (body.get("code") if isinstance(body, dict) else None)
    return status_error(status, said, headers if isinstance(headers, Mapping) else {}, code)
