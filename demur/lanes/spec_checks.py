"""Allowed values of a model spec, field by field: each function returns nothing or raises with the correction."""

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from pydantic import JsonValue

_VARIABLE: Final = re.compile("[A-Za-z_][A-Za-z0-9_]*")
LANE_SENDS: Final = frozenset(
    {
        "model",
        "messages",
        "system",
        "stream",
        "stream_options",
        "n",
        "response_format",
        "tools",
        "tool_choice",
        "logprobs",
        "top_logprobs",
        "cache_control",
        "prompt_cache_key",
        "api_key",
        "api_base",
        "base_url",
        "headers",
        "extra_headers",
        "extra_body",
        "default_headers",
        "timeout",
        "num_retries",
        "max_retries",
    }
)
"""What a lane sends itself, or what would carry a key into files that are kept."""


def check_parameters(parameters: Mapping[str, JsonValue]) -> None:
    """Refuse parameters that the lane sets itself, and invalid token limits.

    Raises:
        ValueError: names the right field.
    """
    taken = sorted(LANE_SENDS & parameters.keys())
    if taken:
        raise ValueError(
            f"{', '.join(taken)} cannot be given here: the lane sets it. Keys come from the environment "
            "(api_key_env), addresses from base_url, time limits and retries from limits; every other field of a "
            "request stands here by its own name"
        )
    for name in ("max_tokens", "max_completion_tokens"):
        value = parameters.get(name, 1)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise ValueError(f"{name} {value!r} must be a whole number of at least 1")


def check_variable(name: str) -> None:
    """Refuse an invalid name of an environment variable, without repeating it.

    Raises:
        ValueError: describes valid names.
    """
    if _VARIABLE.fullmatch(name) is None:
        raise ValueError(
            "what stands here names no environment variable, and is not shown in case it is the key itself. Write "
            "the variable's name, such as OPENAI_API_KEY (letters, digits, underscores), and export the key as that"
        )


def check_tags(tags: Mapping[str, JsonValue]) -> None:
    """Refuse tags of a wrong type; models are compared by tags.

    Raises:
        ValueError: names the right type.
    """
    for name in ("family", "alignment"):
        value = tags.get(name, "none")
        if not isinstance(value, str) or not value.strip():
            raise ValueError(f"{name} {value!r} must be a name, such as 'dpo'")
    billions = tags.get("parameters_billion", 1)
    tokens = tags.get("thinking_tokens", 0)
    if isinstance(billions, bool) or not isinstance(billions, (int, float)) or not 0 < billions < 1e9:
        raise ValueError(f"parameters_billion {billions!r} must be a number above 0, such as 70 or 0.5")
    if isinstance(tokens, bool) or not isinstance(tokens, int) or tokens < 0:
        raise ValueError(f"thinking_tokens {tokens!r} must be a whole number from 0")


def check_address(base_url: str) -> None:
    """Refuse invalid addresses, and addresses with credentials.

    Raises:
        ValueError: shows a valid form.
    """
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"'{base_url}' is no address: write it as http://host:port/path or https://...")
    if parts.username or parts.password or parts.query:
        raise ValueError("an address holds no user, password or query: keys come from the environment")
