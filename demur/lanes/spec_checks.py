"""Checks of a model spec's fields. A check returns the value, or raises a ValueError that says how to correct it."""

import re
from collections.abc import Mapping
from typing import Any, Final
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
"""Parameters that lanes set themselves, or that would store a key in files."""


def checked_parameters(parameters: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return `parameters`, after a check that lanes set none of them and that token limits are valid.

    Raises:
        ValueError: a lane sets the parameter, or a token limit is no positive whole number.
    """
    taken = sorted(LANE_SENDS & parameters.keys())
    if taken:
        raise ValueError(
            f"{', '.join(taken)} cannot be given here: the lane sets it. Keys come from the environment "
            "(api_key_env), addresses from base_url, time limits and retries from limits; every other field of a "
            "request can be given here under its own name"
        )
    for name in ("max_tokens", "max_completion_tokens"):
        value = parameters.get(name, 1)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise ValueError(f"{name} {value!r} must be a whole number of at least 1")
    return parameters


def checked_variable(name: str) -> str:
    """Return a valid name of an environment variable. The error does not show the name, since it may be a key.

    Raises:
        ValueError: describes valid names.
    """
    if _VARIABLE.fullmatch(name) is None:
        raise ValueError(
            "this value is not the name of an environment variable. It is not shown, since it may be the key itself. "
            "Write a name such as OPENAI_API_KEY (letters, digits, underscores), and export the key under this name"
        )
    return name


def checked_tags(tags: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return tags whose known names have the right types.

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
    return tags


def checked_address(base_url: str) -> str:
    """Return an HTTP address without credentials.

    Raises:
        ValueError: shows a valid form.
    """
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"'{base_url}' is not an address: write it as http://host:port/path or https://...")
    if parts.username or parts.password or parts.query:
        raise ValueError("an address must not contain user, password or query: keys come from the environment")
    return base_url


SENT: Final = ("question", "passages")
READ: Final = ("answer", "citations", "retrieved")
CHAT: Final = "chat"
"""The parameter with the model's name for services with OpenAI's chat completions."""
CHAT_ANSWER: Final = "choices.0.message.content"


def fields_of(parameters: Mapping[str, JsonValue]) -> dict[str, str]:
    """Return the name of the JSON field for each part of a request (SENT) and of a reply (READ).

    For services with chat completions, the result also has the entry CHAT; its value is the name of the model.
    """
    usual = {name: name for name in (*SENT, *READ)} | ({"answer": CHAT_ANSWER} if CHAT in parameters else {})
    return usual | {name: str(value) for name, value in parameters.items()}


def check_fields(parameters: dict[str, JsonValue], **_: Any) -> None:
    """Refuse parameters of a service that do not name JSON fields.

    Raises:
        ValueError: lists the allowed names.
    """
    for name, value in parameters.items():
        if name not in (*SENT, *READ, CHAT):
            raise ValueError(
                f"'{name}' is not one of {', '.join((*SENT, *READ))} (fields of a service's JSON), {CHAT} (a model's "
                "name)"
            )
        if name in SENT and CHAT in parameters:
            raise ValueError(f"{name} and {CHAT} cannot both be given: chat completions have messages")
        if not isinstance(value, str) or not value or (name in SENT and "." in value):
            what = "the name of the service's model" if name == CHAT else f"the name of a field, such as '{name}'"
            raise ValueError(f"{name} {value!r} must be {what}")
    if parameters.get("question", "question") == parameters.get("passages", "passages"):
        raise ValueError("question and passages name the same field: give each its own field")


FEWEST_THINKING_TOKENS: Final = 1_024
_BUDGETED: Final = "enabled"
_LEAST_TOP_P: Final = 0.95


def check_thinking(parameters: Mapping[str, JsonValue], *, with_tool: bool) -> None:
    """Check `thinking` of Anthropic's models, and the parameters that depend on it.

    Raises:
        ValueError: the provider would refuse the parameters; the message gives the allowed values.
    """
    thinking = parameters.get("thinking")
    if thinking is None:
        return
    if not isinstance(thinking, Mapping) or not isinstance(thinking.get("type"), str):
        raise ValueError("thinking must be a mapping such as {type: enabled, budget_tokens: 4096} or {type: adaptive}")
    if thinking["type"] == "disabled":
        return
    if with_tool:
        raise ValueError("a model that thinks cannot be made to use a tool: set structured_output to true or false")
    if thinking["type"] == _BUDGETED:
        _check_budget(thinking.get("budget_tokens"), parameters.get("max_tokens"))
    temperature = parameters.get("temperature", 1)
    top_p = parameters.get("top_p", 1)
    if temperature != 1:
        raise ValueError(f"temperature {temperature} cannot be used with thinking: leave it out, or set it to 1")
    if not isinstance(top_p, (int, float)) or not _LEAST_TOP_P <= top_p <= 1:
        raise ValueError(
            f"top_p {top_p} cannot be used with thinking: leave it out, or set it from {_LEAST_TOP_P} to 1"
        )
    if "top_k" in parameters:
        raise ValueError("top_k cannot be used with thinking: leave it out")


def _check_budget(budget: JsonValue, max_tokens: JsonValue) -> None:
    whole = isinstance(budget, int) and not isinstance(budget, bool)
    if not whole or not isinstance(budget, int) or budget < FEWEST_THINKING_TOKENS:
        raise ValueError(
            f"thinking.budget_tokens {budget!r} must be a whole number of at least {FEWEST_THINKING_TOKENS}"
        )
    if isinstance(max_tokens, int) and budget >= max_tokens:
        raise ValueError(
            f"max_tokens {max_tokens} must be more than thinking.budget_tokens {budget}: thinking counts as output, "
            "and the answer needs room after it"
        )
