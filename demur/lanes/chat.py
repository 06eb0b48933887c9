"""Chat completions as OpenAI's interface has them: request and reply, for every SDK that carries them."""

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
    forced_tool,
    read_as,
    text_of,
    token_count,
    wanted_format,
)
from demur.programs.adapter.digests import system_text
from demur.programs.errors import ErrorKind, LaneError
from demur.programs.journal import Reply


def chat_body(spec: ModelSpec, request: Request) -> dict[str, Any]:
    """Return model, messages and wanted shape of a chat completion; the spec's parameters are the caller's to add."""
    messages = [{"role": "system", "content": system_text(request)}]
    messages += [{"role": m.role, "content": m.text or ""} for m in request.messages]
    body: dict[str, Any] = {"model": spec.model, "messages": messages}
    wanted = wanted_format(request)
    strict = {"strict": True} if wanted is not None and wanted.strict else {}
    if forced_tool(spec, request) is not None and wanted is not None:
        function = {"name": wanted.name, "description": TOOL_WORDS, "parameters": wanted.schema, **strict}
        body["tools"] = [{"type": "function", "function": function}]
        body["tool_choice"] = {"type": "function", "function": {"name": wanted.name}}
    elif wanted is not None and spec.structured_output:
        shape = {"name": wanted.name, "schema": wanted.schema, **strict}
        body["response_format"] = {"type": "json_schema", "json_schema": shape}
    if request.config.logprobs is not None:
        body |= {"logprobs": True, "top_logprobs": request.config.logprobs}
    return body


def chat_reply(answer: Any, finish_reason: Callable[[Any], object] = attrgetter("finish_reason")) -> Reply:
    """Return the first choice of a chat completion; `finish_reason` reads why a choice ended.

    Raises:
        LaneError: the model declined, a filter cut in, the text may not be whole, or the answer is none of this
            interface.
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
    """The input of the tool that the model was made to use."""
    used = getattr(message, "tool_calls", None)
    return used[0].function.arguments if used else None


def _first_token(choice: Any) -> tuple[tuple[str, float], ...] | None:
    """The likeliest first tokens with their log-probabilities, the chosen one among them, None where there are none."""
    tokens = getattr(getattr(choice, "logprobs", None), "content", None)
    if not tokens:
        return None
    found = {str(option.token): float(option.logprob) for option in (tokens[0], *(tokens[0].top_logprobs or ()))}
    if any(map(math.isnan, found.values())):
        raise ValueError("a log-probability is no number")
    return tuple(sorted(found.items(), key=lambda option: -option[1]))


def _field(part: Any, name: str) -> Any:
    """A field that not every provider has; litellm keeps such fields among a provider's own."""
    own = getattr(part, "provider_specific_fields", None) or {}
    return getattr(part, name, None) or own.get(name)


def _usage(usage: Any) -> Reply:
    """A reply with usage alone; a prompt of no tokens counts as unknown."""
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
    """Tokens written to the provider's cache: its own word for them, else litellm's."""
    names = ("cache_write_tokens", "cache_creation_tokens")
    return next((n for name in names if (n := token_count(getattr(details, name, None))) is not None), None)
