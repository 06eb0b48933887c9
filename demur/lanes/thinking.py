"""Requirements of anthropic's models on requests with extended thinking, checked before anything is sent."""

from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue

FEWEST_THINKING_TOKENS: Final = 1_024
_BUDGETED: Final = "enabled"
_LEAST_TOP_P: Final = 0.95


def check_thinking(parameters: Mapping[str, JsonValue], *, with_tool: bool) -> None:
    """Check `thinking` and the fields that depend on it.

    Raises:
        ValueError: the provider would refuse this; the message names the allowed values.
    """
    thinking = parameters.get("thinking")
    if thinking is None:
        return
    if not isinstance(thinking, Mapping) or not isinstance(thinking.get("type"), str):
        raise ValueError("thinking is written as {type: enabled, budget_tokens: 4096}, {type: adaptive} or such")
    if thinking["type"] == "disabled":
        return
    if with_tool:
        raise ValueError("a model that thinks cannot be made to use a tool: set structured_output to true or false")
    if thinking["type"] == _BUDGETED:
        _check_budget(thinking.get("budget_tokens"), parameters.get("max_tokens"))
    temperature = parameters.get("temperature", 1)
    top_p = parameters.get("top_p", 1)
    if temperature != 1:
        raise ValueError(f"temperature {temperature} does not go with thinking: leave it out, or set it to 1")
    if not isinstance(top_p, (int, float)) or not _LEAST_TOP_P <= top_p <= 1:
        raise ValueError(f"top_p {top_p} does not go with thinking: leave it out, or set it from {_LEAST_TOP_P} to 1")
    if "top_k" in parameters:
        raise ValueError("top_k does not go with thinking: leave it out")


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
