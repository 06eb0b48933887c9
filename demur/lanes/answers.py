"""Reading of what servers send: tables of their spellings, and functions that read by the tables.

Servers and gateways spell ends, errors, contents and token counts in many ways. A new spelling is one line of a table.
The lanes read whole answers with these functions; `decoded` reads a body, and `times` reads waits.
"""

import html
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from demur.lanes.decoded import Decoded, plain
from demur.lanes.times import allowance_wait_seconds, retry_after_seconds, said_wait_seconds
from demur.programs.errors import ErrorKind, LaneError
from demur.programs.journal import Finish, Reply

_STATUSES: Final = {
    401: ErrorKind.AUTHENTICATION,
    402: ErrorKind.QUOTA,
    403: ErrorKind.PERMISSION,
    404: ErrorKind.NOT_FOUND,
    408: ErrorKind.TIMEOUT,
    409: ErrorKind.CONFLICT,
    413: ErrorKind.CONTEXT_LENGTH,
    425: ErrorKind.CONFLICT,
    429: ErrorKind.RATE_LIMIT,
    529: ErrorKind.OVERLOADED,
}
"""Error kinds by HTTP status. Others from 500 on are SERVER, and the rest is REQUEST."""

_CODES: Final = {
    "insufficient_quota": ErrorKind.QUOTA,
    "billing_hard_limit_reached": ErrorKind.QUOTA,
    "billing_error": ErrorKind.QUOTA,
    "context_length_exceeded": ErrorKind.CONTEXT_LENGTH,
    "exceed_context_size_error": ErrorKind.CONTEXT_LENGTH,
    "request_too_large": ErrorKind.CONTEXT_LENGTH,
    "content_filter": ErrorKind.CONTENT_FILTER,
    "content_policy_violation": ErrorKind.CONTENT_FILTER,
    "contextwindowexceedederror": ErrorKind.CONTEXT_LENGTH,
    "contentpolicyviolationerror": ErrorKind.CONTENT_FILTER,
}
"""Error kinds by a provider's own code or type, or the name of litellm's error, which says more than the status."""

_NAMES: Final = {
    "rate_limit_error": ErrorKind.RATE_LIMIT,
    "rate_limit_exceeded": ErrorKind.RATE_LIMIT,
    "resource_exhausted": ErrorKind.RATE_LIMIT,
    "too_many_requests": ErrorKind.RATE_LIMIT,
    "overloaded_error": ErrorKind.OVERLOADED,
    "overloaded": ErrorKind.OVERLOADED,
    "timeout_error": ErrorKind.TIMEOUT,
    "authentication_error": ErrorKind.AUTHENTICATION,
    "invalid_api_key": ErrorKind.AUTHENTICATION,
    "permission_error": ErrorKind.PERMISSION,
    "not_found_error": ErrorKind.NOT_FOUND,
    "model_not_found": ErrorKind.NOT_FOUND,
    "invalid_request_error": ErrorKind.REQUEST,
    "badrequesterror": ErrorKind.REQUEST,
}
"""Error kinds by a provider's own code or type, for errors without an HTTP status: with status 200, and in batches."""


@dataclass(frozen=True, slots=True)
class _Saying:
    """Words of a provider's error, the kind that they mean, and the remedy; None keeps the kind or its usual remedy.

    `instead_of` are the kinds that the words refine. The words of a rate limit may also name a context.
    """

    words: re.Pattern[str]
    kind: ErrorKind | None = None
    remedy: str | None = None
    instead_of: frozenset[ErrorKind] = frozenset({ErrorKind.REQUEST, ErrorKind.SERVER, ErrorKind.PROTOCOL})


def _saying(words: str, kind: ErrorKind | None = None, remedy: str | None = None, **more: Any) -> _Saying:
    return _Saying(re.compile(words, re.IGNORECASE), kind, remedy, **more)


_NO_SYSTEM_ROLE: Final = re.compile(
    r"system.{0,3} (role|message|prompt|instruction)s?\b.{0,40}(not|un)\W?(support|allow)"
    r"|(not support|unsupported|invalid|unexpected|n.t (support|accept)).{0,40}\bsystem\W{0,3} ?(role|message|prompt)"
    r"|developer instruction is not enabled|roles must alternate|only user and assistant roles",
    re.IGNORECASE,
)
"""Words of servers whose models take no instructions, such as Gemma 2."""
_LIMITED: Final = frozenset({ErrorKind.RATE_LIMIT, ErrorKind.REQUEST, ErrorKind.PERMISSION, ErrorKind.PROTOCOL})
_SAYINGS: Final = (
    _saying(
        r"(input|prompt|request|messages?) (is |are )?too (long|large)|context (length|size|window|limit)|n_ctx\b"
        r"|maximum (context|input|number of (input )?tokens)|input token count|too many (input |prompt )?tokens"
        r"|longer than the (model|maximum)|(reduce|shorten) (the length of )?(your|the) (prompt|message|input|request)",
        ErrorKind.CONTEXT_LENGTH,
        instead_of=_LIMITED | {ErrorKind.SERVER},
    ),
    _saying(
        r"insufficient[_ ](quota|balance|credits?|funds)|credit balance|out of credits|payment required"
        r"|check your plan and billing",
        ErrorKind.QUOTA,
        instead_of=_LIMITED,
    ),
    _saying(r"rate.?limit|too many requests|quota exceeded|exceeded your .{0,20}quota", ErrorKind.RATE_LIMIT),
    _saying(r"\boverloaded\b|at capacity|server is busy", ErrorKind.OVERLOADED),
    _saying(r"(incorrect|invalid|missing|no) (api )?key|api key not valid|unauthori[sz]ed", ErrorKind.AUTHENTICATION),
    _saying(_NO_SYSTEM_ROLE.pattern, None, "The model takes no instructions of their own: set system_role: false"),
    _saying(
        r"max_completion_tokens",
        None,
        "Give the limit of tokens as max_completion_tokens, and leave max_tokens out",
        instead_of=frozenset({ErrorKind.REQUEST}),
    ),
    _saying(
        r"\b(temperature|top_p|top_k|seed|presence_penalty|frequency_penalty|stop|logprobs|reasoning_effort)\b",
        None,
        "The model does not take one of its parameters so: leave the parameter out, or give the value that it takes",
        instead_of=frozenset({ErrorKind.REQUEST}),
    ),
    _saying(
        r"response_format|json_schema|structured output|guided|grammar|output_config",
        None,
        "Set structured_output: false, or structured_output: tool",
        instead_of=frozenset({ErrorKind.REQUEST}),
    ),
)
"""What errors say. The first line that fits both words and kind decides."""

_DAILY: Final = re.compile(
    r"per[-_ ]?day|\bdaily\b|\bRPD\b|\bTPD\b|requests/day|tokens/day|today.s (limit|quota)|24[- ]hours?\b",
    re.IGNORECASE,
)
"""Words of an allowance that begins anew each day."""

_ALLOWANCE: Final = frozenset({ErrorKind.RATE_LIMIT, ErrorKind.QUOTA, ErrorKind.PERMISSION})
_PASSING: Final = frozenset({ErrorKind.RATE_LIMIT, ErrorKind.OVERLOADED, ErrorKind.SERVER, ErrorKind.QUOTA})
"""Kinds whose words may name a wait."""
_SHORTEST_DAILY: Final = 120.0
"""Shorter waits, in seconds, in the words of a spent daily allowance are those of a limit by the minute."""

ENDS: Final[dict[str, Finish]] = {
    **dict.fromkeys(
        (
            *("", "null", "none", "stop", "end_turn", "stop_sequence", "eos", "eos_token", "stop_str", "end", "done"),
            *("complete", "completed", "finished", "tool_calls", "tool_use", "function_call"),
        ),
        Finish.STOP,
    ),
    **dict.fromkeys(
        ("length", "max_tokens", "max_length", "max_output_tokens", "model_length", "model_context_window_exceeded"),
        Finish.LENGTH,
    ),
    **dict.fromkeys(
        ("content_filter", "content_filtered", "safety", "recitation", "blocklist", "prohibited_content", "spii"),
        Finish.CONTENT_FILTER,
    ),
    **dict.fromkeys(("sensitive", "guardrail_intervened", "language"), Finish.CONTENT_FILTER),
    "refusal": Finish.REFUSAL,
}
"""Ends by a server's finish reason in small letters. Servers without finish reasons send none or an empty one."""

_SPOKEN: Final = {"text": "text", "output_text": "text", "input_text": "text", None: "text"}
"""Parts of a content that are the model's words, by type, with the field of the words."""
_THOUGHT: Final = {
    "thinking": "thinking",
    "reasoning": "reasoning",
    "reasoning.text": "text",
    "reasoning.summary": "summary",
    "reasoning_content": "reasoning_content",
}
"""Parts of a content that are reasoning."""
_DECLINED: Final = {"refusal": "refusal"}
"""Parts of a content with which a model declines."""
_WORDS: Final = ("text", "thinking", "reasoning", "summary", "content")
"""Fields of a part, or of a part's inner part, with its words."""
REASONING_FIELDS: Final = ("reasoning_content", "reasoning", "thinking", "reasoning_details")
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

_CODE_FIELDS: Final = ("code", "status", "type", "error_code", "status_code", "statusCode")
"""Fields of an error with the provider's own codes, or with an HTTP status."""
_GATEWAYS_GAVE_UP: Final = frozenset({502, 504, 524})
"""HTTP statuses of gateways without an answer; the provider may have worked on the request and bill it."""
_LONGEST_REASON: Final = 80
LONGEST_WORDS: Final = 500
"""The most characters of a provider's error that are stored and shown."""
_LONGEST_READ: Final = 4_000
"""The most characters of a provider's error that are read. Far more than is shown, since secrets are masked between."""
_PAGE: Final = re.compile(r"\A\W{0,5}<(!doctype|html|head|body|\?xml)", re.IGNORECASE)
_TITLE: Final = re.compile(r"<title[^>]*>(.*?)</title>|<h1[^>]*>(.*?)</h1>", re.IGNORECASE | re.DOTALL)
WRONG_ADDRESS: Final = "Is base_url the address of a model's server, with its whole path (mostly up to /v1)?"


def end_of(reason: object) -> str:
    """Return the `Finish` that a server's finish reason means, else the reason itself."""
    known = ENDS.get(reason.casefold() if isinstance(reason, str) else "null") if is_reason(reason) else None
    return known or str(reason)[:_LONGEST_REASON]


def is_reason(reason: object) -> bool:
    """Return whether a finish reason is a text or null."""
    return reason is None or isinstance(reason, str)


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
        TypeError: the content is something else.
    """
    found: dict[str, list[str]] = {"text": [], "reasoning": [], "refusal": []}
    whole = plain(value)
    for part in map(plain, whole if isinstance(whole, list) else [] if whole is None else [whole]):
        if isinstance(part, str):
            found["text"].append(part)
            continue
        if not isinstance(part, dict):
            raise TypeError(f"expected a text, not {type(part).__name__}")
        kind = part.get("type")
        kind = kind if isinstance(kind, str) else None
        for what, types in (("text", _SPOKEN), ("reasoning", _THOUGHT), ("refusal", _DECLINED)):
            if kind in types:
                found[what].append(words_of(part if kind is None else part.get(types[kind])) or "")
    return Content(**{what: "".join(said) if said else None for what, said in found.items()})


def words_of(value: object) -> str | None:
    """Return the words in a field that is a text, null, a part, or a list of parts.

    Raises:
        TypeError: the field is something else.
    """
    value = plain(value)
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list):
        said = [words_of(part) or "" for part in value]
        return "".join(said) if said else None
    held = [value[name] for name in _WORDS if name in value] if isinstance(value, dict) else []
    if not held:
        raise TypeError(f"expected a text, not {type(value).__name__}")
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
        raise LaneError(
            f"the answer is not a {interface}: {exc}", kind=ErrorKind.PROTOCOL, reply=paid, remedy=WRONG_ADDRESS
        ) from exc


def refuses_system_role(error: LaneError, was_sent: bool) -> bool:
    """Return whether a request failed because its model takes no system role."""
    return was_sent and error.kind in (ErrorKind.REQUEST, ErrorKind.SERVER) and bool(_NO_SYSTEM_ROLE.search(str(error)))


def error_in(answer: Decoded, field: str, interface: str) -> LaneError | None:
    """Return the error in an answer with status 200; None if the answer has a value in `field`.

    Gateways send errors so, such as `{"error": {"message": ..., "code": 429}}`. The code decides the kind as an HTTP
    status would.
    """
    if answer.get(field) not in (None, []):
        return None
    body = answer.fields
    if not provider_words(body, "") or not (body.keys() & {"error", "message", "detail", "msg", "errors"}):
        if field in body:
            said = f"the answer is a {interface} without a reply: '{field}' is empty"
            return LaneError(said, kind=ErrorKind.PROTOCOL, remedy="The server sends empty answers: see its log")
        held = ", ".join(map(str, body))[:_LONGEST_REASON] or "nothing"
        said = f"the answer is not a {interface}: '{field}' is missing (it has {held})"
        return LaneError(said, kind=ErrorKind.PROTOCOL, remedy=WRONG_ADDRESS)
    codes = codes_in(body)
    status = next((n for code in codes if (n := _as_status(code)) is not None), None)
    names = [code for code in codes if isinstance(code, str)]
    kind = next((_NAMES[name.lower()] for name in names if name.lower() in _NAMES), ErrorKind.SERVER)
    words = provider_words(body, "")
    said = f"the provider answered with an error: {shortened(words)}"
    return _judged(said, kind if status is None else _kind_of(status), names, {}, body)


def codes_in(body: object) -> list[object]:
    """Return the provider's codes and types of an error, from the error's body."""
    found = plain(body)
    inner = found.get("error") if isinstance(found, dict) else None
    inner = inner if isinstance(inner, dict) else found if isinstance(found, dict) else {}
    details = inner.get("details")
    inner = {**details, **inner} if isinstance(details, dict) else inner
    return [inner[name] for name in _CODE_FIELDS if name in inner]


def _kind_of(status: int) -> ErrorKind:
    return _STATUSES.get(status) or (ErrorKind.SERVER if status >= 500 else ErrorKind.REQUEST)


def _as_status(code: object) -> int | None:
    number = int(code) if isinstance(code, str) and code.isdigit() and len(code) == 3 else code
    return number if isinstance(number, int) and 400 <= number < 600 else None


def named_error(name: object, message: str) -> LaneError:
    """Return the LaneError for an error that has only a name, such as `overloaded_error`; unknown names are SERVER."""
    known = name.lower() if isinstance(name, str) else ""
    return _judged(f"{name}: {message}", _NAMES.get(known, ErrorKind.SERVER), [name], {}, None)


def status_error(
    status: int, message: str, headers: Mapping[str, str], *codes: object, body: object = None
) -> LaneError:
    """Return the LaneError for an HTTP status, the words of the error, and the provider's own codes or types.

    `message` may be a whole page. `body` is the error's body, which may say when requests are allowed again.
    """
    page = _PAGE.match(message)
    said = f"HTTP {status}: {page_title(message) if page else shortened(message)}"
    failed = _judged(said, _kind_of(status), codes, headers, body or message)
    failed.may_be_billed = status in _GATEWAYS_GAVE_UP
    if page and failed.remedy is None and not failed.retryable:
        failed.remedy = f"A web page answered. {WRONG_ADDRESS} Or something between this machine and the server refuses"
    return failed


def _judged(said: str, kind: ErrorKind, codes: Iterable[object], headers: Mapping[str, str], body: object) -> LaneError:
    named = next((_CODES[code.lower()] for code in codes if isinstance(code, str) and code.lower() in _CODES), None)
    kind = named or kind
    saying = next((one for one in _SAYINGS if kind in one.instead_of and one.words.search(said)), None)
    everything = f"{said} {plain(body)}"
    asked = retry_after_seconds(headers)
    wait = asked or (said_wait_seconds(everything) if kind in _PASSING else None)
    daily = kind in _ALLOWANCE and named is None and _DAILY.search(everything) is not None
    if daily and (saying is None or saying.kind is not ErrorKind.CONTEXT_LENGTH):
        if asked is None and (wait or 0.0) < _SHORTEST_DAILY:
            wait = allowance_wait_seconds(headers)
        return LaneError(said, kind=ErrorKind.RATE_LIMIT, retry_after_seconds=wait)
    if saying is not None and saying.kind is ErrorKind.QUOTA and wait is not None:
        saying = None  # an allowance that comes back by itself
    kind = (saying.kind if saying is not None else None) or kind
    return LaneError(said, kind=kind, retry_after_seconds=wait, remedy=saying.remedy if saying is not None else None)


def provider_words(body: object, otherwise: str) -> str:
    """Return the message in the body of a provider's error, else `otherwise`.

    The messages of SDKs would contain the whole body.
    """
    body = plain(body)
    body = body[0] if isinstance(body, list) and body else body
    inner = body.get("error", body) if isinstance(body, dict) else body
    words: object = inner
    if isinstance(inner, dict):
        words = next((inner[key] for key in ("message", "detail", "msg", "error_msg") if inner.get(key)), None)
        words = words or (body.get("message") if isinstance(body, dict) else None)
        words = words if isinstance(words, str) or words is None else str(words)
    return words.strip() if isinstance(words, str) and words.strip() else otherwise


def shortened(text: str) -> str:
    """Return a text on one line without its last full stop. Very long texts lose their end."""
    return " ".join(text[:_LONGEST_READ].split()).removesuffix(".")


def cut(words: str) -> str:
    """Return an error's words, cut to what is stored and shown. Secrets must be masked before, as a part shows them."""
    return words if len(words) <= LONGEST_WORDS else f"{words[:LONGEST_WORDS].rstrip()}… (cut)"


def page_title(page: str) -> str:
    """Return the title of a web page, as words of an error."""
    found = _TITLE.search(page[:_LONGEST_READ])
    title = " ".join(html.unescape(next((one for one in found.groups() if one), "") if found else "").split())
    return f"a web page ('{title}')" if title else "a web page"


def unreadable_body(text: str, content_type: str) -> LaneError:
    """Return the error for a body with status 200 that is not JSON."""
    kind = content_type.partition(";")[0].strip().lower()
    begins = text.lstrip("\ufeff \t\r\n")
    if kind == "text/event-stream" or begins.startswith(("data:", "event:")):
        said = "a stream of events, and one JSON object is needed"
        remedy = "The server streams although nobody asked: switch that off there, or in the gateway before it"
        return LaneError(f"the answer is {said}", kind=ErrorKind.PROTOCOL, retryable=False, remedy=remedy)
    if kind == "text/html" or _PAGE.match(begins):
        said = f"{page_title(text)}, and JSON is needed"
        return LaneError(f"the answer is {said}", kind=ErrorKind.PROTOCOL, remedy=WRONG_ADDRESS)
    shown = f"'{shortened(text)}'" if text.strip() else "empty"
    return LaneError(f"the answer is no JSON object: it is {shown}", kind=ErrorKind.PROTOCOL, remedy=WRONG_ADDRESS)
