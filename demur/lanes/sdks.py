"""Import of the providers' SDKs, and their HTTP clients."""

import os
import ssl
from contextlib import suppress
from functools import cache
from types import ModuleType
from typing import Any

from demur.lanes.redirects import stay_on_host


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


def keep_no_cookies(client: Any) -> None:
    """Make a client ignore all cookies, so that no request depends on another."""
    client.cookies.extract_cookies = _keep_none


def _keep_none(response: object) -> None:
    pass


def load_litellm() -> Any:
    """Import litellm with its bundled price table and without telemetry. litellm uses the openai SDK."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    load_openai()
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    return litellm
