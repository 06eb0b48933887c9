"""Chat completions as OpenAI's interface has them: what is sent, and what comes back, whoever carries it."""

from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter
from typing import Any

from dspy.lm15 import Request

from demur.programs.adapter import system_text
from demur.programs.errors import ErrorKind, LaneError
from demur.programs.journal import Reply
from demur.programs.lanes.decoded import plain
from demur.programs.lanes.spec import ModelSpec
from demur.programs.lanes.transport import (
    TOOL_WORDS,
    checked_end,
    finish_of,
    forced_tool,
    token_count,
    wanted_format,
)


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
    try:
        choice = answer.choices[0]
        message, finish = choice.message, finish_reason(choice)
        text, refusal = _tool_input(message) or message.content, _field(message, "refusal")
        if not isinstance(text, str | None):
            raise TypeError(f"content is {type(text).__name__}, not text")
    except (AttributeError, IndexError, KeyError, TypeError) as exc:
        raise LaneError(f"the answer is no chat completion: {exc}", kind=ErrorKind.PROTOCOL) from exc
    reply = _with_usage(text or refusal or "", finish_of(finish), getattr(answer, "usage", None))
    reply = replace(reply, logprobs=_first_token(choice)) if getattr(choice, "logprobs", None) else reply
    if finish == "content_filter":
        raise LaneError("the provider's content filter stopped the answer", kind=ErrorKind.CONTENT_FILTER, reply=reply)
    if refusal:
        raise LaneError("the model declined to answer", kind=ErrorKind.REFUSAL, reply=reply)
    return checked_end(reply, plain(_field(choice, "error")))


def _tool_input(message: Any) -> str | None:
    """What the model put into the tool that it was made to use."""
    used = getattr(message, "tool_calls", None)
    return used[0].function.arguments if used else None


def _first_token(choice: Any) -> tuple[tuple[str, float], ...] | None:
    """The likeliest first tokens with their log-probabilities, the chosen one among them."""
    tokens = getattr(choice.logprobs, "content", None)
    if not tokens:
        return None
    found = {option.token: option.logprob for option in (tokens[0], *(tokens[0].top_logprobs or ()))}
    return tuple(sorted(found.items(), key=lambda option: -option[1]))


def _field(part: Any, name: str) -> Any:
    """A field that not every provider has; litellm keeps it among a provider's own."""
    own = getattr(part, "provider_specific_fields", None) or {}
    return getattr(part, name, None) or own.get(name)


def _with_usage(text: str, finish: str, usage: Any) -> Reply:
    details_in = getattr(usage, "prompt_tokens_details", None)
    details_out = getattr(usage, "completion_tokens_details", None)
    return Reply(
        text=text,
        finish_reason=finish,
        input_tokens=token_count(getattr(usage, "prompt_tokens", None)),
        output_tokens=token_count(getattr(usage, "completion_tokens", None)),
        cached_tokens=token_count(getattr(details_in, "cached_tokens", None)),
        reasoning_tokens=token_count(getattr(details_out, "reasoning_tokens", None)),
        cache_write_tokens=_cache_writes(details_in),
    )


def _cache_writes(details: Any) -> int | None:
    """Tokens written to the provider's cache: its own word for them, else litellm's."""
    names = ("cache_write_tokens", "cache_creation_tokens")
    return next((n for name in names if (n := token_count(getattr(details, name, None))) is not None), None)
