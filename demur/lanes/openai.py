"""The openai lane: the official SDK, for OpenAI and for other servers with OpenAI's chat completions interface.

Other lanes with chat completions use this module to build requests and to read replies.
"""

import math
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from operator import attrgetter
from types import ModuleType
from typing import Any, Final

import orjson
from dspy.lm15 import Request

from demur.lanes.decoded import decoded, plain
from demur.lanes.redirects import redirect_error
from demur.lanes.sdks import http_client, load_openai
from demur.lanes.spec import ModelSpec
from demur.lanes.transport import (
    TOOL_WORDS,
    Access,
    checked_end,
    finish_of,
    provider_words,
    read_as,
    status_error,
    text_of,
    token_count,
)
from demur.programs.adapter.digests import system_text
from demur.programs.adapter.json_adapter import task_of
from demur.programs.errors import ErrorKind, LaneError
from demur.programs.journal import Reply

OPENAI_URL: Final = "https://api.openai.com/v1"
_NEVER_CONNECTED: Final = (ConnectionRefusedError, socket.gaierror)
"""Errors before anything was sent; such requests are not billed."""
NO_KEY: Final = "none"
"""The key for models that need none; without it the SDK would read a key from the environment."""


class OpenAITransport:
    """Chat completions through `openai.AsyncOpenAI`.

    The SDK sends with aiohttp, which takes 1.1 ms of CPU for a request. The SDK's default HTTP client takes 7 ms (with
    64 requests at once). The SDK's `post` sends and returns bytes; the SDK's `create` would convert every field.
    """

    def __init__(self, spec: ModelSpec, access: Access) -> None:
        import httpx

        self._openai = load_openai()
        self._spec = spec
        self._client = open_client(self._openai, spec, access.api_key, spec.limits.timeout_seconds)
        self._url = self._client.base_url.join("chat/completions")
        self._response = httpx.Response  # makes the SDK return raw responses

    async def ask(self, request: Request) -> Reply:
        """Return the text of the first choice as a reply.

        Raises:
            LaneError: the provider answered with an error, declined, or did not answer.
        """
        with explained(self._openai):
            body = {**chat_body(self._spec, request), **chat_parameters(self._spec, request)}
            answer = await self._client.post(self._url, cast_to=self._response, content=orjson.dumps(body))
            return chat_reply(decoded(answer.content))

    async def aclose(self) -> None:
        """Close the SDK's client."""
        await self._client.close()


def open_client(openai: ModuleType, spec: ModelSpec, api_key: str | None, longest_seconds: float) -> Any:
    """Return a client of the SDK that sends with aiohttp; a request takes at most `longest_seconds`."""
    return openai.AsyncOpenAI(
        api_key=api_key or NO_KEY,
        base_url=spec.base_url or OPENAI_URL,
        max_retries=0,
        timeout=spec.limits.timeout_seconds,
        http_client=http_client(openai, longest_seconds),
    )


@contextmanager
def explained(openai: ModuleType) -> Iterator[None]:
    """Turn errors of the SDK into LaneErrors."""
    try:
        yield
    except openai.APIStatusError as exc:
        said = provider_words(exc.body, exc.message)
        raise status_error(exc.status_code, said, exc.response.headers, exc.code) from exc
    except openai.APIConnectionError as exc:
        raise connection_error(exc) from exc
    except (openai.OpenAIError, ValueError) as exc:
        raise LaneError(f"unreadable answer: {exc}", kind=ErrorKind.PROTOCOL) from exc


def connection_error(error: Exception) -> LaneError:
    """Return the LaneError for a connection that failed, timed out, broke or was redirected.

    The innermost cause of the error decides the kind, since the client reports a connection that the server closed as a
    timeout.
    """
    if (refused := redirect_error(error)) is not None:
        return refused
    cause: BaseException = error
    connected = True
    while cause.__cause__ is not None:
        cause = cause.__cause__
        connected = connected and not isinstance(cause, _NEVER_CONNECTED)
    said = f"{type(cause).__name__}: {cause}"
    if isinstance(cause, TimeoutError) or "Timeout" in type(cause).__name__:
        return LaneError(f"the request timed out: {said}", kind=ErrorKind.TIMEOUT)
    return LaneError(
        f"no connection, or the connection broke: {said}", kind=ErrorKind.CONNECTION, may_be_billed=connected
    )


def chat_body(spec: ModelSpec, request: Request) -> dict[str, Any]:
    """Return model, messages and response format of a chat completion request, without the spec's parameters."""
    messages = [{"role": "system", "content": system_text(request)}]
    messages += [{"role": m.role, "content": m.text or ""} for m in request.messages]
    body: dict[str, Any] = {"model": spec.model, "messages": messages}
    wanted = request.config.response_format
    strict = {"strict": True} if wanted is not None and wanted["strict"] else {}
    if wanted is not None and spec.structured_output == "tool":
        name = wanted["name"]
        function = {"name": name, "description": TOOL_WORDS, "parameters": wanted["schema"], **strict}
        body["tools"] = [{"type": "function", "function": function}]
        body["tool_choice"] = {"type": "function", "function": {"name": name}}
    elif wanted is not None and spec.structured_output:
        shape = {"name": wanted["name"], "schema": wanted["schema"], **strict}
        body["response_format"] = {"type": "json_schema", "json_schema": shape}
    if request.config.logprobs is not None:
        body |= {"logprobs": True, "top_logprobs": request.config.logprobs}
    return body


def chat_reply(answer: Any, finish_reason: Callable[[Any], object] = attrgetter("finish_reason")) -> Reply:
    """Return the first choice of a chat completion as a reply; `finish_reason` reads the finish reason of a choice.

    Raises:
        LaneError: the model declined, a content filter stopped the answer, the text may be cut off, or the answer is
            not a chat completion.
    """
    spent = _usage(getattr(answer, "usage", None))
    with read_as("chat completion", spent):
        choice = answer.choices[0]
        message = choice.message
        finish = finish_of(finish_reason(choice))
        text = text_of(_tool_input(message) or message.content)
        refusal = text_of(_field(message, "refusal"))
        reply = replace(spent, text=text or refusal or "", finish_reason=finish, logprobs=_first_token(choice))
        failure = plain(_field(choice, "error"))
    if finish == "content_filter":
        raise LaneError("the provider's content filter stopped the answer", kind=ErrorKind.CONTENT_FILTER, reply=reply)
    if refusal:
        raise LaneError("the model declined to answer", kind=ErrorKind.REFUSAL, reply=reply)
    return checked_end(reply, failure)


def chat_parameters(spec: ModelSpec, request: Request) -> dict[str, Any]:
    """Return the spec's parameters, and for OpenAI itself also a `prompt_cache_key`.

    The key routes requests of one task to machines that have the task's instructions in the cache.
    """
    if spec.base_url is not None or not spec.prompt_cache:
        return spec.parameters
    return {"prompt_cache_key": f"demur-{task_of(system_text(request))}"[:64], **spec.parameters}


def _tool_input(message: Any) -> object:
    used = getattr(message, "tool_calls", None)
    return used[0].function.arguments if used else None


def _first_token(choice: Any) -> tuple[tuple[str, float], ...] | None:
    """Return the likeliest first tokens with log-probabilities, likeliest first; None if there are none."""
    tokens = getattr(getattr(choice, "logprobs", None), "content", None)
    if not tokens:
        return None
    found = {str(option.token): float(option.logprob) for option in (tokens[0], *(tokens[0].top_logprobs or ()))}
    if any(map(math.isnan, found.values())):
        raise ValueError("a log-probability is not a number")
    return tuple(sorted(found.items(), key=lambda option: -option[1]))


def _field(part: Any, name: str) -> Any:
    """Return a field that only some providers have. litellm stores such fields in `provider_specific_fields`."""
    own = getattr(part, "provider_specific_fields", None) or {}
    return getattr(part, name, None) or own.get(name)


def _usage(usage: Any) -> Reply:
    """Return a reply that has token counts but no text. A prompt of 0 tokens means that the count is unknown."""
    details_in = getattr(usage, "prompt_tokens_details", None)
    details_out = getattr(usage, "completion_tokens_details", None)
    return Reply(
        text="",
        input_tokens=token_count(getattr(usage, "prompt_tokens", None)) or None,
        output_tokens=token_count(getattr(usage, "completion_tokens", None)),
        cached_tokens=token_count(getattr(details_in, "cached_tokens", None)),
        reasoning_tokens=token_count(getattr(details_out, "reasoning_tokens", None)),
        cache_write_tokens=_cache_writes(details_in),
    )


def _cache_writes(details: Any) -> int | None:
    names = ("cache_write_tokens", "cache_creation_tokens")
    return next((n for name in names if (n := token_count(getattr(details, name, None))) is not None), None)
