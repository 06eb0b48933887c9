"""Import of the providers' SDKs, their HTTP clients, and limits of what leaves for a model's address."""

import logging
import os
import ssl
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any, Final

from demur.lanes.spec import ModelSpec
from demur.programs.errors import ErrorKind, LaneError, ProgramError

# Limits of what leaves for a model's address: no redirect to another host, and no header that nobody named.


@dataclass(slots=True)
class Leaving:
    """Limits of the requests inside a block, and the latest response, which libraries do not pass on.

    `named` are values that headers may have; None if the address is the provider's, which may get any header.
    """

    named: tuple[str, ...] | None
    response: Any = None


_LEAVING: Final[ContextVar[Leaving | None]] = ContextVar("demur_leaving", default=None)
_ORDINARY: Final = frozenset(
    {
        *("accept", "accept-encoding", "connection", "content-length", "content-type", "host", "transfer-encoding"),
        *("anthropic-version", "anthropic-beta"),
    }
)
"""Headers that libraries set without looking at the environment."""
_SDKS: Final = "x-stainless-"


async def stay_on_host(response: Any) -> None:
    """Refuse a redirect to another host. This is a response hook for httpx and httpx2, which follow all redirects.

    Raises:
        LaneError: the response redirects to another host.
    """
    _check(response)


@contextmanager
def leaving(base_url: str | None, named: Sequence[str | None]) -> Iterator[Leaving]:
    """Limit all requests that httpx sends inside the block, for libraries whose clients take no hooks.

    Redirects to other hosts are refused. If `base_url` is not None, only ordinary headers and headers with one of the
    values `named` are sent. litellm takes headers and credentials from the environment for every address.
    """
    _watch_httpx()
    limits = Leaving(None if base_url is None else tuple(value for value in named if value))
    token = _LEAVING.set(limits)
    try:
        yield limits
    finally:
        _LEAVING.reset(token)


def redirect_error(error: BaseException) -> LaneError | None:
    """Return the refused redirect that caused an SDK's error; None for another cause."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, LaneError) and cause.kind is ErrorKind.REDIRECT:
            return cause.restated(str(cause))  # a copy, since an error that is raised again must not be its own cause
        cause = cause.__cause__ or cause.__context__
    return None


def _check(response: Any) -> None:
    if not response.has_redirect_location:
        return
    asked = response.request.url
    target = asked.join(response.headers["location"])
    stays = target.host in ("", asked.host)  # empty in an address without a host
    loses_encryption = (asked.scheme, target.scheme) == ("https", "http")
    if stays and not loses_encryption:
        return
    place = f"{target.scheme}://{target.host}" + (f":{target.port}" if target.port else "")
    raise LaneError(
        f"HTTP {response.status_code}: {asked.host} redirects to another host, {place}; nothing is sent there",
        kind=ErrorKind.REDIRECT,
    )


def keep_named(headers: Any, named: Sequence[str]) -> None:
    """Remove all values of headers that are neither ordinary nor have one of the values `named`.

    The first of `named` is the key. The environment may set a foreign `Authorization`, which is removed. If no other
    header has the key, `Authorization` gets the key.
    """
    lost = False
    for name in dict.fromkeys(headers):
        small = name.lower()
        if small in _ORDINARY or small.startswith(_SDKS):
            continue
        said = headers.get_list(name)
        kept = [value for value in said if any(one in value for one in named)]
        if kept != said:
            lost |= small == "authorization"
            del headers[name]
            if kept:
                headers[name] = kept[0]
    if lost and named and not any(named[0] in value for value in headers.values()):
        headers["Authorization"] = f"Bearer {named[0]}"
    headers["User-Agent"] = "demur"


@cache
def _watch_httpx() -> None:
    """Patch httpx to check redirects and headers inside `leaving`, since httpx has no hooks for all clients."""
    from httpx import AsyncClient
    from httpx._client import BaseClient

    follow = BaseClient._build_redirect_request
    send = AsyncClient.send

    def follow_if_allowed(client: Any, request: Any, response: Any) -> Any:
        if _LEAVING.get() is not None:
            _check(response)
        return follow(client, request, response)

    async def send_what_is_named(client: Any, request: Any, **options: Any) -> Any:
        limits = _LEAVING.get()
        if limits is None:
            return await send(client, request, **options)
        if limits.named is not None:
            keep_named(request.headers, limits.named)
        limits.response = None
        limits.response = await send(client, request, **options)
        return limits.response

    setattr(BaseClient, follow.__name__, follow_if_allowed)  # noqa: B010 (of httpx, which has no place for it)
    setattr(AsyncClient, send.__name__, send_what_is_named)  # noqa: B010


# Import of the providers' SDKs, and their HTTP clients.


_ADDRESSES: Final = ("API_BASE", "BASE_URL", "API_URL", "API_BASE_URL", "ENDPOINT", "RUNTIME_ENDPOINT", "URL")
_OTHER_STEMS: Final = {
    "bedrock": ("AWS_BEDROCK",),
    "vertex_ai": ("VERTEX", "VERTEXAI"),
    "huggingface": ("HF",),
    "fireworks_ai": ("FIREWORKS",),
    "together_ai": ("TOGETHER", "TOGETHERAI"),
    "perplexity": ("PERPLEXITYAI",),
    "watsonx": ("WATSONX", "WX", "WML"),
    "cometapi": ("COMETAPI",),
}
"""Beginnings of variables in which litellm looks for a provider's address, besides the provider's name."""


def load_openai() -> ModuleType:
    """Import the openai SDK, after httpx2.

    For each request the SDK looks for httpx2 among the loaded modules, and fails if httpx2 is only half loaded. httpx2
    is half loaded while the thread of another shard imports the anthropic SDK.
    """
    with suppress(ImportError):
        import httpx2  # noqa: F401
    import openai

    return openai


@cache
def tls() -> ssl.SSLContext:
    """Return the SDKs' default TLS context, cached for the process, since making it takes 20 ms."""
    import httpx

    return httpx.create_ssl_context()


def http_client(sdk: ModuleType, longest_seconds: float) -> Any:
    """Return an SDK's HTTP client on aiohttp. The client stores no cookies and refuses redirects to other hosts.

    No answer depends on cookies, and the search for cookies would take a twentieth of a request's CPU.
    """
    hooks = {"response": [stay_on_host]}
    client = sdk.DefaultAioHttpClient(timeout=longest_seconds, verify=tls(), event_hooks=hooks)
    keep_no_cookies(client)
    return client


def send_only(client: Any, headers: Mapping[str, str]) -> None:
    """Make an SDK's client send no headers but its own and `headers`.

    From the environment (OPENAI_CUSTOM_HEADERS, ANTHROPIC_CUSTOM_HEADERS) the SDKs take headers for every address.
    """
    client._custom_headers = dict(headers)


def keep_no_cookies(client: Any) -> None:
    """Make a client ignore all cookies, so that no request depends on another."""
    client.cookies.extract_cookies = _keep_none


def _keep_none(response: object) -> None:
    pass


def check_address(litellm: Any, spec: ModelSpec) -> None:
    """Check that litellm takes no address of the spec's provider from the environment.

    Raises:
        ProgramError: a variable holds an address. Prompts go only to addresses that the configuration names.
    """
    if spec.base_url is not None:
        return
    _, provider, *_ = litellm.get_llm_provider(spec.model)
    stem = provider.upper().replace("-", "_")
    stems = (stem, *_OTHER_STEMS.get(provider, ()))
    names = [f"{one}_{ending}" for one in stems for ending in _ADDRESSES]
    if os.environ.get("USE_LITELLM_PROXY", "").lower() == "true":
        names.append("LITELLM_PROXY_API_BASE")
    found = next((name for name in names if os.environ.get(name)), None)
    if found is not None:
        raise ProgramError(
            f"model '{spec.name}': litellm would send its prompts and its key to the address in the environment "
            f"variable {found}. Name this address as base_url and the key as api_key_env, or unset the variable"
        )


def load_litellm() -> Any:
    """Import litellm with its bundled price table and without telemetry. litellm uses the openai SDK."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    load_openai()
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    logging.getLogger("LiteLLM").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", message="Pydantic serializer warnings")  # about answers of unusual shape
    return litellm
