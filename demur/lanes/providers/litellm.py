"""The litellm lane: providers that litellm knows and that have no lane of their own."""

from contextlib import suppress
from functools import partial, reduce
from typing import Any, Final, cast

from dspy.lm15 import Request

from demur.lanes.providers.decoded import Decoded, decoded, text_of_body
from demur.lanes.providers.openai import NO_KEY, ChatTransport, answered_error, chat_reply, read_body
from demur.lanes.providers.provider_errors import status_error
from demur.lanes.providers.sdks import check_address, leaving, load_litellm, redirect_error
from demur.lanes.spec import ModelSpec
from demur.lanes.transport import Access, no_logprobs
from demur.programs.call_scope import Reply
from demur.programs.errors import ErrorKind, LaneError

_FINISH_PLACES: Final = (
    ("candidates", 0, "finishReason"),
    ("stop_reason",),
    ("stopReason",),
    ("finish_reason",),
)
"""Paths to the finish reason in answers that are no chat completions."""


class LiteLLMTransport(ChatTransport):
    """Chat completions through `litellm.acompletion`."""

    def __init__(self, spec: ModelSpec, access: Access) -> None:
        super().__init__(spec)
        self._litellm = load_litellm()
        self._access = access
        self._api_key = access.api_key or (NO_KEY if spec.base_url else None)
        check_address(self._litellm, spec)
        takes = self._litellm.get_supported_openai_params(model=spec.model) or ()
        self._takes_shape = "response_format" in takes
        self._takes_logprobs = "top_logprobs" in takes

    async def _send(self, request: Request, body: dict[str, Any]) -> Reply:
        if not self._takes_shape:
            body.pop("response_format", None)
        if request.config.logprobs is not None and not self._takes_logprobs:
            raise no_logprobs(self._spec)
        answer: Any = None
        failure: Exception | None = None
        with leaving(self._spec.base_url, (self._api_key, *self._access.headers.values())) as seen:
            try:
                answer = await self._litellm.acompletion(
                    **body,
                    **self._spec.parameters,
                    api_key=self._api_key,
                    api_base=self._spec.base_url,
                    extra_headers=dict(self._access.headers) or None,
                    timeout=self._spec.limits.timeout_seconds,
                    num_retries=0,
                    max_retries=0,
                )
            except Exception as exc:  # litellm raises each SDK's own errors besides its own
                failure = exc
        if failure is not None and (seen.response is None or not seen.response.is_closed):
            raise redirect_error(failure) or _lane_error(failure) from failure
        return _reply(answer, request, failure, seen.response)


def _reply(answer: Any, request: Request, failure: Exception | None, response: Any) -> Reply:
    """Return the reply in `answer`, or in the response itself, which litellm reads less leniently.

    Raises:
        LaneError: `failure` is an error of litellm, or the answer is no reply.
    """
    said = None if response is None else decoded(text_of_body(response.content, response.headers))
    succeeded = response is not None and response.status_code < 300
    if succeeded and (failure is not None or (said is not None and "choices" in said.fields)):
        return chat_reply(read_body(response.content, response.headers), request)
    if failure is not None:
        raise redirect_error(failure) or answered_error(response, type(failure).__name__) from failure
    return chat_reply(answer, request, partial(_finish_reason, said))


def _finish_reason(said: Decoded | None, choice: Any) -> object:
    """Return a choice's finish reason as the provider's answer `said` it; litellm replaces unknown ones by `stop`."""
    if choice.finish_reason in ("stop", "tool_calls") and said is not None:
        for place in _FINISH_PLACES:
            with suppress(KeyError, IndexError, TypeError):
                return reduce(lambda found, part: found[part], place, cast("Any", said.fields))
    return choice.finish_reason


def _lane_error(error: Exception) -> LaneError:
    """Return the LaneError for an error of litellm without a response. Most broken connections are server errors."""
    name = type(error).__name__
    said = str(error)
    status = getattr(error, "status_code", None)
    if name == "Timeout":
        return LaneError(f"the request timed out: {said}", kind=ErrorKind.TIMEOUT)
    if name == "APIConnectionError" or not isinstance(status, int):
        return LaneError(f"no connection, or the connection broke: {name}: {said}", kind=ErrorKind.CONNECTION)
    failed = status_error(status, said, {})
    failed.may_be_billed = status >= 500
    return failed
