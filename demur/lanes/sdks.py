"""The providers' SDKs, imported where they are needed and in an order in which threads do not trip over each other."""

import os
import ssl
from contextlib import suppress
from functools import cache
from types import ModuleType
from typing import Any

from demur.lanes.redirects import stay_on_host


def load_openai() -> ModuleType:
    """Import the openai SDK.

    It looks at every request whether httpx2 is among the loaded modules, and fails where it finds it half loaded, as
    it is while the anthropic SDK is being imported in the thread of another shard; so httpx2 comes first, whole.
    """
    with suppress(ImportError):
        import httpx2  # noqa: F401
    import openai

    return openai


@cache
def tls() -> ssl.SSLContext:
    """Return how connections are secured: the SDKs' own default, made once a process and not once a shard (20 ms)."""
    import httpx

    return httpx.create_ssl_context()


def http_client(sdk: ModuleType, longest_seconds: float) -> Any:
    """Return what an SDK sends its requests with: its client on aiohttp, which keeps no cookies and stays on its host.

    No answer depends on what a provider wants remembered; to look for it took a twentieth of a request's CPU.
    """
    hooks = {"response": [stay_on_host]}
    client = sdk.DefaultAioHttpClient(timeout=longest_seconds, verify=tls(), event_hooks=hooks)
    keep_no_cookies(client)
    return client


def keep_no_cookies(client: Any) -> None:
    """Let a client forget every cookie, so that no question depends on another."""
    client.cookies.extract_cookies = _keep_none


def _keep_none(response: object) -> None:
    pass


def raw_response() -> type:
    """Return the type by which the openai SDK is asked for an answer as it came."""
    import httpx

    return httpx.Response


def load_anthropic() -> ModuleType:
    """Import the anthropic SDK."""
    import anthropic

    return anthropic


def load_litellm() -> Any:
    """Import litellm with its bundled price table and without its calls home; it asks through the openai SDK."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    load_openai()
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    return litellm
