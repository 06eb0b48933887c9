"""The openai lane: the official SDK, for OpenAI and servers with the same chat completions."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Final

import orjson
from dspy.lm15 import Request

from demur.lanes.chat import chat_body, chat_reply
from demur.lanes.decoded import decoded
from demur.lanes.redirects import redirect_error
from demur.lanes.sdks import http_client, load_openai
from demur.lanes.spec import ModelSpec
from demur.lanes.transport import Access, provider_words, status_error
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

    Its client runs on aiohttp: 1.1 ms of CPU a call; the default client takes 7 ms (64 calls at once, answers after 100
    ms). Requests and replies pass the SDK's `post` as bytes. The SDK's `create` would convert every field.
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
    """Return the SDK's client on aiohttp, whose requests take at most `longest_seconds`."""
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


def chat_parameters(spec: ModelSpec, request: Request) -> dict[str, Any]:
    """Return the spec's parameters. For OpenAI itself, a `prompt_cache_key` is added.

    OpenAI caches prompts without marks. The key routes requests of one task to machines that have the task's
    instructions in the cache.
    """
    if spec.base_url is not None or not spec.prompt_cache:
        return spec.parameters
    return {"prompt_cache_key": f"demur-{task_of(system_text(request))}"[:64], **spec.parameters}


def connection_error(error: Exception) -> LaneError:
    """Return the LaneError for a connection that failed, timed out, broke or was redirected.

    The error's first cause decides, since the client reports a connection closed by the server as a timeout.
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
    return LaneError(f"no connection, or it broke: {said}", kind=ErrorKind.CONNECTION, may_be_billed=connected)
