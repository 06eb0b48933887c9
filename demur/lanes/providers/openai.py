"""The openai lane: the official SDK, for OpenAI and for other servers with OpenAI's chat completions interface.

Other lanes with chat completions use this module to build requests and to read replies.
"""

import json
import math
import socket
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from operator import attrgetter
from types import ModuleType
from typing import Any, Final

import orjson
from dspy.lm15 import Request

from demur.lanes.providers.decoded import Decoded, decoded, plain, text_of_body
from demur.lanes.providers.provider_errors import (
    codes_in,
    error_in,
    provider_words,
    refuses_system_role,
    status_error,
    unreadable_body,
)
from demur.lanes.providers.response_bodies import (
    REASONING_FIELDS,
    checked_end,
    content_of,
    end_of,
    read_as,
    usage_of,
    words_of,
)
from demur.lanes.providers.sdks import http_client, load_openai, redirect_error, send_only
from demur.lanes.spec import ModelSpec
from demur.lanes.transport import TOOL_WORDS, Access, Transport
from demur.programs.adapter.json_adapter import system_text, task_of
from demur.programs.call_scope import Finish, Reply
from demur.programs.errors import ErrorKind, LaneError

OPENAI_URL: Final = "https://api.openai.com/v1"
_NEVER_CONNECTED: Final = (ConnectionRefusedError, socket.gaierror)
"""Errors before anything was sent; such requests are not billed."""
NO_KEY: Final = "none"
"""The key for models that need none; without it the SDK would read a key from the environment."""


class ChatTransport(Transport):
    """Sends chat completions.

    If the server refuses the system role, the instructions stand in the first message from then on.
    """

    def __init__(self, spec: ModelSpec) -> None:
        self._spec = spec
        self._system_role = spec.system_role

    async def ask(self, request: Request) -> Reply:
        """Return the text of the first choice as a reply.

        Raises:
            LaneError: the provider answered with an error, declined, or did not answer.
        """
        try:
            return await self._send(request, chat_body(self._spec, request, system_role=self._system_role))
        except LaneError as exc:
            if not refuses_system_role(exc, self._system_role):
                raise
            self._system_role = False
        return await self._send(request, chat_body(self._spec, request, system_role=False))

    @abstractmethod
    async def _send(self, request: Request, body: dict[str, Any]) -> Reply:
        """Send the body of `request` once."""


class OpenAITransport(ChatTransport):
    """Chat completions through `openai.AsyncOpenAI`.

    The SDK sends with aiohttp, which takes 1.1 ms of CPU for a request. The SDK's default HTTP client takes 7 ms (with
    64 requests at once). The SDK's `post` sends and returns bytes; the SDK's `create` would convert every field.
    """

    def __init__(self, spec: ModelSpec, access: Access) -> None:
        import httpx

        super().__init__(spec)
        self._openai = load_openai()
        self._client = open_client(self._openai, spec, access, spec.limits.timeout_seconds)
        self._url = self._client.base_url.join("chat/completions")
        self._response = httpx.Response  # makes the SDK return raw responses

    async def _send(self, request: Request, body: dict[str, Any]) -> Reply:
        content = orjson.dumps({**body, **chat_parameters(self._spec, request)})
        with explained(self._openai):
            answer = await self._client.post(self._url, cast_to=self._response, content=content)
            return chat_reply(read_body(answer.content, answer.headers), request)

    async def aclose(self) -> None:
        """Close the SDK's client."""
        await self._client.close()


def open_client(openai: ModuleType, spec: ModelSpec, access: Access, longest_seconds: float) -> Any:
    """Return a client of the SDK that sends with aiohttp; a request takes at most `longest_seconds`."""
    client = openai.AsyncOpenAI(
        api_key=access.api_key or NO_KEY,
        base_url=spec.base_url or OPENAI_URL,
        max_retries=0,
        timeout=spec.limits.timeout_seconds,
        default_headers=access.headers,
        http_client=http_client(openai, longest_seconds),
    )
    if spec.base_url is not None:
        client.organization = client.project = client.admin_api_key = None
        send_only(client, access.headers)
    return client


def read_body(raw: bytes, headers: Mapping[str, str]) -> Decoded:
    """Return the JSON object in the body of an answer with status 200.

    Raises:
        LaneError: the body is something else, such as a web page.
    """
    text = text_of_body(raw, headers)
    found = decoded(text)
    if found is None:
        raise unreadable_body(text, headers.get("content-type", ""))
    return found


@contextmanager
def explained(openai: ModuleType) -> Iterator[None]:
    """Turn errors of the SDK into LaneErrors."""
    try:
        yield
    except openai.APIStatusError as exc:
        raise answered_error(exc.response) from exc
    except openai.APIConnectionError as exc:
        raise connection_error(exc) from exc
    except (openai.OpenAIError, ValueError) as exc:
        raise LaneError(f"unreadable answer: {exc}", kind=ErrorKind.PROTOCOL) from exc


def answered_error(response: Any, *codes: object) -> LaneError:
    """Return the LaneError for an HTTP response whose status is an error; `codes` are further names of the error."""
    text = text_of_body(response.content, response.headers)
    body = decoded(text)
    words = provider_words(body if body is not None else text, "it says nothing")
    return status_error(response.status_code, words, response.headers, *codes, *codes_in(body), body=body)


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


def chat_body(spec: ModelSpec, request: Request, *, system_role: bool) -> dict[str, Any]:
    """Return model, messages and response format of a chat completion request, without the spec's parameters.

    Without a system role, the instructions stand at the beginning of the first message.
    """
    system = system_text(request)
    messages = [{"role": m.role, "content": m.text or ""} for m in request.messages]
    if system_role:
        messages.insert(0, {"role": "system", "content": system})
    else:
        messages[0]["content"] = f"{system}\n\n{messages[0]['content']}"
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


def chat_reply(
    answer: Any, request: Request | None = None, finish_reason: Callable[[Any], object] = attrgetter("finish_reason")
) -> Reply:
    """Return the first choice of a chat completion as a reply to `request`; `finish_reason` reads a choice's reason.

    The input of a tool is the reply's text only if the request asks for JSON.

    Raises:
        LaneError: the model declined, a content filter stopped the answer, the text may be cut off, or the answer is
            not a chat completion.
    """
    if isinstance(answer, Decoded) and (failed := error_in(answer, "choices", "chat completion")) is not None:
        raise failed
    spent = usage_of(getattr(answer, "usage", None))
    with read_as("chat completion", spent):
        choice = min(answer.choices, key=_place)
        message = choice.message
        if message is None:
            raise ValueError(f"its choice has no message (it has {', '.join(plain(choice))})")
        said = message.content  # some servers read a reply such as 1874 as JSON, and send a number
        content = content_of(str(said) if isinstance(said, int | float) and not isinstance(said, bool) else said)
        refusal = words_of(_field(message, "refusal")) or content.refusal
        called = _tool_inputs(message)
        text = content.text
        wanted = None if request is None else request.config.response_format
        if called and wanted is not None:
            text = called.get(wanted["name"]) or text or next(iter(called.values()))
        end: str = end_of(finish_reason(choice))
        if refusal and end != Finish.CONTENT_FILTER:
            end = Finish.REFUSAL
        elif called and wanted is None and end == Finish.STOP:
            end = Finish.TOOL_CALLS
        reply = replace(
            spent,
            text=text or refusal or "",
            finish_reason=end,
            logprobs=_first_token(choice),
            reasoning=_reasoning(message) or content.reasoning,
        )
        failure = plain(_field(choice, "error"))
    return checked_end(reply, failure)


def _place(choice: Any) -> int:
    """Return the place of a choice, since some servers send choices in another order."""
    index = getattr(choice, "index", None)
    return index if isinstance(index, int) else 0


def chat_parameters(spec: ModelSpec, request: Request) -> dict[str, Any]:
    """Return the spec's parameters, and for OpenAI itself also a `prompt_cache_key`.

    The key routes requests of one task to machines that have the task's instructions in the cache.
    """
    if spec.base_url is not None or not spec.prompt_cache:
        return spec.parameters
    return {"prompt_cache_key": f"demur-{task_of(system_text(request))}"[:64], **spec.parameters}


def _tool_inputs(message: Any) -> dict[str, str]:
    """Return the inputs of called tools as JSON texts, by tool; some servers send an object in place of a text."""
    calls = [call.function or call for call in _field(message, "tool_calls") or ()]
    calls += [call for call in (_field(message, "function_call"),) if call]  # the interface's older way to call
    inputs = [(str(call.name), plain(call.arguments)) for call in calls]
    return {name: found if isinstance(found, str) else json.dumps(found) for name, found in inputs}


def _reasoning(message: Any) -> str | None:
    """Return the reasoning that stands in a field of its own; None if there is none."""
    return next((said for name in REASONING_FIELDS if (said := words_of(_field(message, name)))), None)


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
