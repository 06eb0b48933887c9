"""The providers' SDKs, imported where they are needed and in an order in which threads do not trip over each other."""

import os
from contextlib import suppress
from types import ModuleType
from typing import Any


def load_openai() -> ModuleType:
    """Import the openai SDK.

    It looks at every request whether httpx2 is among the loaded modules, and fails where it finds it half loaded, as
    it is while the anthropic SDK is being imported in the thread of another shard; so httpx2 comes first, whole.
    """
    with suppress(ImportError):
        import httpx2  # noqa: F401
    import openai

    return openai


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
