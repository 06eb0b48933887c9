"""Import of the providers' SDKs, and their HTTP clients."""

import logging
import os
import ssl
import warnings
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from types import ModuleType
from typing import Any, Final

from demur.lanes.outgoing import stay_on_host
from demur.lanes.spec import ModelSpec
from demur.programs.errors import ProgramError

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
    proxied = "LITELLM_PROXY_API_BASE" if os.environ.get("USE_LITELLM_PROXY", "").lower() == "true" else None
    found = next((name for name in (*names, proxied) if name and os.environ.get(name)), None)
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
