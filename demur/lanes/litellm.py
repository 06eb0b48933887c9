"""The litellm lane: providers that litellm knows and that have no lane of their own."""

import json
from collections.abc import Mapping
from contextlib import suppress
from functools import partial, reduce
from operator import getitem
from typing import Any, Final

from dspy.lm15 import Request

from demur.lanes.answers import refuses_system_role, status_error
from demur.lanes.openai import NO_KEY, chat_body, chat_reply
from demur.lanes.outgoing import leaving, redirect_error
from demur.lanes.sdks import check_address, load_litellm
from demur.lanes.spec import ModelSpec
from demur.lanes.transport import Access, Transport, no_logprobs
from demur.programs.errors import ErrorKind, LaneError
from demur.programs.journal import Reply

_CODES: Final = {
    "ContextWindowExceededError": "context_length_exceeded",
    "ContentPolicyViolationError": "content_policy_violation",
}
_FINISH_PLACES: Final = (
    ("choices", 0, "finish_reason"),
    ("candidates", 0, "finishReason"),
    ("stop_reason",),
    ("stopReason",),
    ("finish_reason",),
)
"""Paths to the finish reason in answers of providers."""


class LiteLLMTransport(Transport):
    """Chat completions through `litellm.acompletion`."""

    def __init__(self, spec: ModelSpec, access: Access) -> None:
        self._litellm = load_litellm()
        self._spec = spec
        self._access = access
        self._api_key = access.api_key or (NO_KEY if spec.base_url else None)
        self._system_role = spec.system_role
        check_address(self._litellm, spec)
        takes = self._litellm.get_supported_openai_params(model=spec.model) or ()
        self._takes_shape = "response_format" in takes
        self._takes_logprobs = "top_logprobs" in takes

    async def ask(self, request: Request) -> Reply:
        """Return the text of the first choice as a reply.

        Raises:
            LaneError: the provider answered with an error, declined, or did not answer.
        """
        try:
            return await self._asked(request)
        except LaneError as exc:
            if not refuses_system_role(exc, self._system_role):
                raise
            self._system_role = False
        return await self._asked(request)

    async def _asked(self, request: Request) -> Reply:
        body = chat_body(self._spec, request, system_role=self._system_role)
        if not self._takes_shape:
            body.pop("response_format", None)
        if request.config.logprobs is not None and not self._takes_logprobs:
            raise no_logprobs(self._spec)
        seen: dict[str, Any] = {}
        try:
            with leaving(self._spec.base_url, (self._api_key, *self._access.headers.values())):
                answer = await self._litellm.acompletion(
                    **body,
                    **self._spec.parameters,
                    api_key=self._api_key,
                    api_base=self._spec.base_url,
                    extra_headers=dict(self._access.headers) or None,
                    timeout=self._spec.limits.timeout_seconds,
                    num_retries=0,
                    max_retries=0,
                    logger_fn=lambda details: seen.update(original=details.get("original_response")),
                )
        except Exception as exc:  # litellm raises each SDK's own errors besides its own
            raise redirect_error(exc) or _lane_error(exc) from exc
        return chat_reply(answer, request, partial(_finish_reason, seen.get("original")))


def _finish_reason(original: object, choice: Any) -> object:
    """Return a choice's finish reason as the provider wrote it; litellm replaces unknown reasons by `stop`.

    `original` is the provider's answer as JSON text; None if litellm does not pass the answer on.
    """
    if choice.finish_reason not in ("stop", "tool_calls") or not isinstance(original, str):
        return choice.finish_reason
    try:
        answer = json.loads(original)
    except (ValueError, RecursionError):
        return choice.finish_reason
    for place in _FINISH_PLACES:
        with suppress(KeyError, IndexError, TypeError):
            return reduce(getitem, place, answer)
    return choice.finish_reason


def _lane_error(error: Exception) -> LaneError:
    """Return the LaneError for an error of litellm, which reports most broken connections as server errors."""
    name = type(error).__name__
    said = str(error)
    status = getattr(error, "status_code", None)
    if name == "Timeout":
        return LaneError(f"the request timed out: {said}", kind=ErrorKind.TIMEOUT)
    if name == "APIConnectionError" or not isinstance(status, int):
        return LaneError(f"no connection, or the connection broke: {name}: {said}", kind=ErrorKind.CONNECTION)
    body = getattr(error, "body", None)
    headers = getattr(error, "litellm_response_headers", None)
    code = _CODES.get(name) or (body.get("code") if isinstance(body, dict) else None)
    failed = status_error(status, said, headers if isinstance(headers, Mapping) else {}, code, body=body)
    failed.may_be_billed = status >= 500
    return failed
