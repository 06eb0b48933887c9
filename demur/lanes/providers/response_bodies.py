"""Reading of what servers send: tables of their spellings, and functions that read by the tables.

Servers and gateways spell ends, contents and token counts in many ways. A new spelling is one line of a table. The
lanes read whole answers with these functions; `decoded` reads a body, and `provider_errors` reads errors.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from demur.lanes.providers.decoded import plain
from demur.lanes.providers.provider_errors import LONGEST_REASON, WRONG_ADDRESS, provider_words, shortened
from demur.programs.call_scope import Finish, Reply
from demur.programs.errors import ErrorKind, LaneError

ENDS: Final[dict[str, Finish]] = {
    **dict.fromkeys(
        (
            *("", "null", "none", "unspecified", "stop", "end_turn", "stop_sequence", "stop_sequences", "stop_str"),
            *("stop_token", "stop_word", "stop_words", "eos", "eos_token", "end_of_sequence", "end_of_text"),
            *("eot", "eot_id", "im_end", "/s", "end", "done", "normal", "success", "ok", "finish", "finished"),
            *("complete", "completed", "tool_call", "tool_calls", "tool_use", "function_call"),
        ),
        Finish.STOP,
    ),
    **dict.fromkeys(
        (
            *("length", "length_capped", "limit", "token_limit", "max_tokens", "max_new_tokens", "max_output_tokens"),
            *("max_length", "model_length", "model_context_window_exceeded", "truncated", "incomplete"),
        ),
        Finish.LENGTH,
    ),
    **dict.fromkeys(
        (
            *("content_filter", "content_filtered", "safety", "image_safety", "recitation", "blocklist", "blocked"),
            *("prohibited_content", "spii", "sensitive", "guardrail", "guardrail_intervened", "moderation", "language"),
        ),
        Finish.CONTENT_FILTER,
    ),
    "refusal": Finish.REFUSAL,
}
"""Ends by a server's finish reason. Servers without finish reasons send none or an empty one."""


def letters_of(reason: str) -> str:
    """Return the small letters and digits of a finish reason, without the name of its type, as in FinishReason.STOP."""
    letters = "".join(filter(str.isalnum, reason.casefold()))
    return letters.removeprefix("finishreason")


_BY_LETTERS: Final = {letters_of(reason): end for reason, end in ENDS.items()}

_SPOKEN: Final = {"text": "text", "output_text": "text", "input_text": "text", None: "text"}
"""Parts of a content that are the model's words, by type, with the field of the words."""
_THOUGHT: Final = {
    "thinking": "thinking",
    "reasoning": "reasoning",
    "reasoning.text": "text",
    "reasoning_text": "text",
    "reasoning.summary": "summary",
    "reasoning_content": "reasoning_content",
}
"""Parts of a content that are reasoning."""
_DECLINED: Final = {"refusal": "refusal"}
"""Parts of a content with which a model declines."""
_WORDS: Final = ("text", "thinking", "reasoning", "summary", "content", "value")
"""Fields of a part, or of a part's inner part, with its words."""
REASONING_FIELDS: Final = (
    *(
        "reasoning_content",
        "reasoning",
        "reasoning_text",
        "thinking",
        "thinking_blocks",
        "thoughts",
        "reasoning_details",
    ),
)
"""Fields of a message with reasoning."""

_COUNTS: Final = {
    "input": ("prompt_tokens", "input_tokens"),
    "output": ("completion_tokens", "output_tokens"),
    "total": ("total_tokens",),
    "cached": (
        "prompt_tokens_details.cached_tokens",
        "input_tokens_details.cached_tokens",
        "prompt_cache_hit_tokens",
        "cache_read_input_tokens",
        "cached_tokens",
    ),
    "written": (
        "prompt_tokens_details.cache_write_tokens",
        "prompt_tokens_details.cache_creation_tokens",
        "cache_creation_input_tokens",
    ),
    "reasoning": (
        "completion_tokens_details.reasoning_tokens",
        "output_tokens_details.reasoning_tokens",
        "output_tokens_details.thinking_tokens",
        "reasoning_tokens",
    ),
}
"""Paths to token counts in `usage`; the first path with a count is read."""
MOST_TOKENS: Final = 10**9
"""Token counts from this number on are invalid."""


def end_of(reason: object) -> str:
    """Return the `Finish` that a server's finish reason means, else the reason itself."""
    if reason is None or reason == "":
        return Finish.STOP
    letters = letters_of(reason) if isinstance(reason, str) else ""
    return (_BY_LETTERS.get(letters) if letters else None) or str(plain(reason))[:LONGEST_REASON]


def checked_end(reply: Reply, failure: object = None) -> Reply:
    """Return a complete or cut reply. `failure` is an error that the provider reports beside the reply's text.

    Raises:
        LaneError: the model declined, a filter stopped it, or the reply may be incomplete for another reason.
    """
    if reply.finish_reason == Finish.CONTENT_FILTER:
        raise LaneError("the provider's content filter stopped the answer", kind=ErrorKind.CONTENT_FILTER, reply=reply)
    if reply.finish_reason == Finish.REFUSAL:
        raise LaneError("the model declined to answer", kind=ErrorKind.REFUSAL, reply=reply)
    if failure is None and reply.finish_reason in (Finish.STOP, Finish.LENGTH, Finish.TOOL_CALLS):
        return reply
    words = shortened(provider_words(failure, ""))
    raise LaneError(
        f"the reply may be cut off: finish reason '{reply.finish_reason}'" + (f", {words}" if words else ""),
        kind=ErrorKind.INCOMPLETE,
        reply=reply,
        remedy="The server ended the reply with a finish reason that means a fault, or that is unknown: see its log",
    )


@dataclass(frozen=True, slots=True)
class Content:
    """The parts of a message's content by what they are; each None if there is no such part."""

    text: str | None = None
    reasoning: str | None = None
    refusal: str | None = None


def content_of(value: object) -> Content:
    """Return a content that is a text, null, a part, or a list of parts. Parts of other types, as images, are skipped.

    Raises:
        ValueError: the content is something else.
    """
    found: dict[str, list[str]] = {"text": [], "reasoning": [], "refusal": []}
    whole = plain(value)
    for part in map(plain, whole if isinstance(whole, list) else [] if whole is None else [whole]):
        if isinstance(part, str):
            found["text"].append(part)
            continue
        if not isinstance(part, dict):
            raise ValueError(f"expected a text, not {type(part).__name__}")
        kind = part.get("type")
        kind = kind if isinstance(kind, str) else None
        if part.get("thought") is True and kind in _SPOKEN:
            found["reasoning"].append(words_of(part) or "")
            continue
        for what, types in (("text", _SPOKEN), ("reasoning", _THOUGHT), ("refusal", _DECLINED)):
            if kind in types:
                found[what].append(words_of(part if kind is None else part.get(types[kind])) or "")
    return Content(**{what: "".join(said) if said else None for what, said in found.items()})


def words_of(value: object) -> str | None:
    """Return the words in a field that is a text, null, a part, or a list of parts.

    Raises:
        ValueError: the field is something else.
    """
    value = plain(value)
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list):
        said = [words_of(part) or "" for part in value]
        return "".join(said) if said else None
    held = [value[name] for name in _WORDS if name in value] if isinstance(value, dict) else []
    if not held:
        raise ValueError(f"expected a text, not {type(value).__name__}")
    return words_of(held[0])


def usage_of(usage: object, *, cached_apart: bool = False) -> Reply:
    """Return a reply that has token counts but no text. A prompt of 0 tokens means that the count is unknown.

    Output tokens include reasoning: if the total or the count of reasoning shows that reasoning is not in the count of
    output, it is added. `cached_apart` is true if input tokens from the cache are not in the count of input.
    """
    counts = {name: _count_at(plain(usage), paths) for name, paths in _COUNTS.items()}
    fresh, output, total = counts["input"], counts["output"], counts["total"]
    cached, written, reasoning = counts["cached"], counts["written"], counts["reasoning"]
    apart = cached_apart or (cached or 0) > (fresh or 0)
    whole = None if fresh is None else fresh + ((cached or 0) + (written or 0) if apart else 0)
    if whole and total is not None and total - whole > (output or 0):
        output = total - whole
    elif output is not None and (reasoning or 0) > output:
        output += reasoning or 0
    return Reply(
        text="",
        input_tokens=whole or None,
        output_tokens=output,
        cached_tokens=cached,
        reasoning_tokens=reasoning,
        cache_write_tokens=written,
    )


def _count_at(usage: object, paths: tuple[str, ...]) -> int | None:
    for path in paths:
        found: object = usage
        for name in path.split("."):
            found = plain(found)
            found = found.get(name) if isinstance(found, dict) else getattr(found, name, None)
        if (count := token_count(found)) is not None:
            return count
    return None


def token_count(value: object) -> int | None:
    """Return a provider's token count, which may be a whole float or a text; None if it is invalid."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < len(str(MOST_TOKENS)):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    counted = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST_TOKENS
    return value if counted and isinstance(value, int) else None


@contextmanager
def read_as(interface: str, spent: Reply) -> Iterator[None]:
    """Turn all exceptions of the block into a retryable LaneError that has the token counts of `spent`.

    Raises:
        LaneError: the answer does not match the interface.
    """
    try:
        yield
    except LaneError:
        raise
    except Exception as exc:
        paid = spent if spent.input_tokens is not None else None
        why = exc if isinstance(exc, ValueError) else "one of its fields is missing or has another type"
        raise LaneError(
            f"the answer is not a {interface}: {why}", kind=ErrorKind.PROTOCOL, reply=paid, remedy=WRONG_ADDRESS
        ) from exc
