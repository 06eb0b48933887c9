"""Requests and replies in the format of OpenAI's chat completions, for all SDKs that use it."""

import math
from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter
from typing import Any

from dspy.lm15 import Request

from demur.lanes.decoded import plain
from demur.lanes.spec import ModelSpec
from demur.lanes.transport import (
    TOOL_WORDS,
    checked_end,
    finish_of,
    read_as,
    text_of,
    token_count,
)
from demur.programs.adapter.digests import system_text
from demur.programs.errors import ErrorKind, LaneError
from demur.programs.journal import Reply


def chat_body(spec: ModelSpec, request: Request) -> dict[str, Any]:
    """Return model, messages and response format of a chat completion request, without the spec's parameters."""
    messages = [{"role": "system", "content": system_text(request)}]
    messages += [{"role": m.role, "content": m.text or ""} for m in request.messages]
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


def chat_reply(answer: Any, finish_reason: Callable[[Any], object] = attrgetter("finish_reason")) -> Reply:
    """Return the first choice of a chat completion as a reply; `finish_reason` reads the finish reason of a choice.

    Raises:
        LaneError: the model declined, a content filter stopped the answer, the text may be cut off, or the answer is
            not a chat completion.
    """
    spent = _usage(getattr(answer, "usage", None))
    with read_as("chat completion", spent):
        choice = answer.choices[0]
        message = choice.message
        finish = finish_of(finish_reason(choice))
        text = text_of(_tool_input(message) or message.content)
        refusal = text_of(_field(message, "refusal"))
        reply = replace(spent, text=text or refusal or "", finish_reason=finish, logprobs=_first_token(choice))
        failure = plain(_field(choice, "error"))
    if finish == "content_filter":
        raise LaneError("the provider's content filter stopped the answer", kind=ErrorKind.CONTENT_FILTER, reply=reply)
    if refusal:
        raise LaneError("the model declined to answer", kind=ErrorKind.REFUSAL, reply=reply)
    return checked_end(reply, failure)


def _tool_input(message: Any) -> object:
    used = getattr(message, "tool_calls", None)
    return used[0].function.arguments if used else None


def _first_token(choice: Any) -> tuple[tuple[str, float], ...] | None:
    """Return the likeliest first tokens with log-probabilities, likeliest first; None if there are none."""
    tokens = getattr(getattr(choice, "logprobs", None), "content", None)
    if not tokens:
        return None
    found = {str(option.token): float(option.logprob) for option in (tokens[0], *(tokens[0].top_logprobs or ()))}
    if any(map(math.isnan, found.values())):
        raise ValueError("a log-probability is no number")
    return tuple(sorted(found.items(), key=lambda option: -option[1]))


def _field(part: Any, name: str) -> Any:
    """Return a field that only some providers have. litellm stores it in `provider_specific_fields`."""
    own = getattr(part, "provider_specific_fields", None) or {}
    return getattr(part, name, None) or own.get(name)


def _usage(usage: Any) -> Reply:
    """Return a reply with token counts alone. A prompt of 0 tokens counts as unknown."""
    details_in = getattr(usage, "prompt_tokens_details", None)
    details_out = getattr(usage, "completion_tokens_details", None)
    return Reply(
        text="",
        input_tokens=token_count(getattr(usage, "prompt_tokens", None)) or None,
        output_tokens=token_count(getattr(usage, "completion_tokens", None)),
        cached_tokens=token_count(getattr(details_in, "cached_tokens", None)),
        reasoning_tokens=token_count(getattr(details_out, "reasoning_tokens", None)),
        cache_write_tokens=_cache_writes(details_in),
    )


def _cache_writes(details: Any) -> int | None:
    names = ("cache_write_tokens", "cache_creation_tokens")
    return next((n for name in names if (n := token_count(getattr(details, name, None))) is not None), None)
