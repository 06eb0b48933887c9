"""Reading of providers' errors, and of the waits that providers ask for."""

import html
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, Final

from demur.lanes.providers.decoded import Decoded, plain
from demur.programs.errors import ErrorKind, LaneError

# Waits that providers ask for: in headers, in the words of errors, and until a daily allowance begins anew.


_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_ISO: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?")
_AMOUNT: Final = re.compile(
    r"(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?![a-z])",
    re.IGNORECASE,
)
_SAID: Final = re.compile(
    rf"(?:try again|retry|retrydelay|retry[-_ ]?after|available(?: again)?|resets?|cool ?down(?: of)?|wait(?: for)?)"
    rf"\W{{0,5}}(?:in|after)?\W{{0,5}}((?:{_AMOUNT.pattern}\s*(?:,|and)?\s*)+)",
    re.IGNORECASE,
)
_SAID_IN_FIELD: Final = re.compile(
    r"retry[-_]?after(?:[-_]?seconds)?\W{1,5}(\d{1,7}(?:\.\d+)?)\b(?!\s*[a-z:/])", re.IGNORECASE
)
_SAID_AS_MOMENT: Final = re.compile(
    rf"(?:resets?|retry|again|until)\W{{0,5}}(?:at|on|after)?\W{{0,5}}({_ISO.pattern})", re.IGNORECASE
)
_RESETS: Final = ("x-ratelimit-reset", "x-ratelimit-reset-requests", "x-ratelimit-reset-tokens", "ratelimit-reset")
_EPOCH_SECONDS: Final = 1_000_000_000
"""Numbers from this one on are moments since 1970, in seconds, or in milliseconds from its thousandfold on."""
LEAST_ALLOWANCE_WAIT: Final = 3_600.0
"""The shortest wait, in seconds, for a daily allowance whose beginning is unknown."""


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """Return a provider's requested wait in seconds; None if it is missing, unreadable, 0 or in the past.

    A moment is compared with the time that the provider's header Date gives, since clocks differ.
    """
    now = _moment(headers.get("date")) or datetime.now(UTC)
    said_ms = _number(headers.get("retry-after-ms") or headers.get("x-ms-retry-after-ms"))
    if said_ms is not None:
        return _wait(said_ms / 1000)
    said = (headers.get("retry-after") or headers.get("x-ratelimit-reset-after") or "").strip(" \"'")
    first = said if _moment(said) else re.split(r"[,;]", said)[0].strip()
    return _until(first, now)


def said_wait_seconds(words: str) -> float | None:
    """Return the wait that an error's words name, such as "try again in 7m12.5s"; None if they name none."""
    if (found := _SAID.search(words)) is not None:
        return duration_seconds(found[1].rstrip(" ,and"))
    if (found := _SAID_IN_FIELD.search(words)) is not None:
        return _wait(float(found[1]))
    found = _SAID_AS_MOMENT.search(words)
    return None if found is None else _until(found[1])


def allowance_wait_seconds(headers: Mapping[str, str]) -> float:
    """Return the seconds until a daily allowance begins anew: by the provider's headers, else midnight in UTC."""
    seconds_named = [seconds for name in _RESETS if (seconds := _until(headers.get(name))) is not None]
    if seconds_named:
        return max(seconds_named)
    now = datetime.now(UTC)
    midnight = datetime.combine(now.date() + timedelta(days=1), datetime.min.time(), UTC)
    return max((midnight - now).total_seconds(), LEAST_ALLOWANCE_WAIT)


def duration_seconds(said: str) -> float | None:
    """Return the seconds of a duration such as `1h2m`, `6m0s`, `2s` or `20 seconds`; None if it is no duration."""
    if not _AMOUNT.search(said) or _AMOUNT.sub("", said).strip(" ,and"):
        return None
    return sum(float(number) * _unit(unit) for number, unit in _AMOUNT.findall(said))


def spoken_wait(seconds: float) -> str:
    """Return a wait in words, such as `45 s`, `12 min`, `11 h`, `3 h 5 min` or `3 days`."""
    if seconds < 90:
        return f"{math.ceil(seconds)} s"
    if seconds >= 172_800:
        return f"{math.ceil(seconds / 86_400):,} days"
    hours, minutes = divmod(math.ceil(seconds / 60), 60)
    return " ".join([*([f"{hours} h"] if hours else []), *([f"{minutes} min"] if minutes else [])])


def _unit(name: str) -> float:
    small = name.lower()
    return _UNITS["ms"] if small.startswith(("ms", "mil")) else _UNITS[small[0]]


def _number(said: str | None) -> float | None:
    try:
        return float(said or "")
    except ValueError:
        return None


def _wait(seconds: float | None) -> float | None:
    return seconds if seconds is not None and math.isfinite(seconds) and seconds > 0 else None


def _until(said: str | None, now: datetime | None = None) -> float | None:
    """Return the seconds of a wait that is given as a number, a duration or a moment; None if it is 0 or past."""
    now = now or datetime.now(UTC)
    number = _number(said)
    if number is not None and number >= _EPOCH_SECONDS:
        number = number / (1000 if number >= _EPOCH_SECONDS * 1000 else 1) - now.timestamp()
    if number is None and said:
        number = duration_seconds(said)
    if number is None and (moment := _moment(said)) is not None:
        number = (moment - now).total_seconds()
    return _wait(number)


def _moment(said: str | None) -> datetime | None:
    """Return the moment that a date of HTTP or of ISO 8601 names; None if it names none."""
    said = said or ""
    try:
        moment = datetime.fromisoformat(said) if _ISO.fullmatch(said) else parsedate_to_datetime(said)
    except (ValueError, TypeError, OverflowError):
        return None
    return moment.replace(tzinfo=moment.tzinfo or UTC)


# Reading of providers' errors: tables of their spellings, and functions that read by the tables.
#
# A new spelling is one line of a table. `answers` reads what is no error.


_STATUSES: Final = {
    401: ErrorKind.AUTHENTICATION,
    402: ErrorKind.QUOTA,
    403: ErrorKind.PERMISSION,
    404: ErrorKind.NOT_FOUND,
    405: ErrorKind.NOT_FOUND,
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
    "moderation_blocked": ErrorKind.CONTENT_FILTER,
    "data_inspection_failed": ErrorKind.CONTENT_FILTER,
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
    r"system.{0,3} (role|message|prompt|instruction)s?\b.{0,40}(not|un)\W?(support|allow|permit|accept)"
    r"|(not support|unsupported|invalid|unexpected|unknown|n.t (support|accept)).{0,40}"
    r"\bsystem\W{0,3} ?(role|message|prompt)"
    r"|\brole\b.{0,12}\bsystem\b|\broles?\b.{0,40}(not|un)\W?(support|allow|permit|accept).{0,20}\bsystem\b"
    r"|developer instruction is not enabled|roles must alternate"
    r"|(only|should be|must be) .?user.? (and|or) .?assistant\b",
    re.IGNORECASE,
)
"""Words of servers whose models take no instructions, such as Gemma 2."""
_LIMITED: Final = frozenset({ErrorKind.RATE_LIMIT, ErrorKind.REQUEST, ErrorKind.PERMISSION, ErrorKind.PROTOCOL})
_SAYINGS: Final = (
    _saying(
        r"(input|prompt|request|messages?) (is |are )?too (long|large)|context (length|size|window|limit)|n_ctx\b"
        r"|maximum (context|input|prompt|number of (input )?tokens)|input token count|max_seq_len|KV cache"
        r"|too many (input |prompt )?tokens(?!.{0,20}\b(wait|try|per)\b)|must have less than \d+ tokens"
        r"|(input|prompt) length .{0,40}(exceed|greater|should be)|(input|prompt) exceeds the maximum"
        r"|longer than the (model|maximum)|(reduce|shorten) (the length of )?(your|the) (prompt|message|input|request)",
        ErrorKind.CONTEXT_LENGTH,
        instead_of=_LIMITED | {ErrorKind.SERVER},
    ),
    _saying(
        r"insufficient[_ ](quota|balance|credits?|funds)|credit balance|out of credits|payment required"
        r"|check your plan and billing",
        ErrorKind.QUOTA,
        instead_of=_LIMITED | {ErrorKind.SERVER},
    ),
    _saying(
        r"(monthly|weekly).{0,20} (quota|limit|allowance|credits|allocation)|(per|a|/) ?(month|week)\b",
        ErrorKind.QUOTA,
        "The allowance is spent: wait until it begins anew, or ask for more",
        instead_of=frozenset({ErrorKind.RATE_LIMIT}),
    ),
    _saying(
        r"safety system|content (management|filter\w*|policy)\b|inappropriate content|moderation"
        r"|(input|prompt|content|request|output) (was|has been|is) (flagged|blocked|filtered)",
        ErrorKind.CONTENT_FILTER,
        instead_of=frozenset({ErrorKind.REQUEST, ErrorKind.PERMISSION}),
    ),
    _saying(r"rate.?limit|too many requests|quota exceeded|exceeded your .{0,20}quota", ErrorKind.RATE_LIMIT),
    _saying(r"\boverloaded\b|at capacity|server is busy", ErrorKind.OVERLOADED),
    _saying(
        r"(incorrect|invalid|missing|no) (api )?key|api key (is |has )?(been )?(not valid|expired|invalid)"
        r"|unauthori[sz]ed",
        ErrorKind.AUTHENTICATION,
    ),
    _saying(
        r"\bmodel\b.{0,60}(not found|not exist)|unknown model",
        ErrorKind.NOT_FOUND,
        instead_of=frozenset({ErrorKind.REQUEST}),
    ),
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
    r"(per|by)[-_ ]?(model)?(per|by)?[-_ ]?day|\bdaily\b|\bRPD\b|\bTPD\b|(requests|tokens|calls) ?(/|a) ?day"
    r"|today.s (limit|quota)|24[- ]?h(ours?)?\b|86,?400 ?s",
    re.IGNORECASE,
)
"""Words of an allowance that begins anew each day."""

_RESET_INSIDE: Final = re.compile(r"x-ratelimit-reset\W{1,6}(\d{10,13})\b", re.IGNORECASE)
"""A header of the provider behind a gateway, in the gateway's body."""

_ALLOWANCE: Final = frozenset({ErrorKind.RATE_LIMIT, ErrorKind.QUOTA, ErrorKind.PERMISSION})
_PASSING: Final = frozenset({ErrorKind.RATE_LIMIT, ErrorKind.OVERLOADED, ErrorKind.SERVER, ErrorKind.QUOTA})
"""Kinds whose words may name a wait."""
_SHORTEST_DAILY: Final = 120.0
"""Shorter waits, in seconds, in the words of a spent daily allowance are those of a limit by the minute."""
_ERROR_FIELDS: Final = ("error", "errors", "fault", "base_resp")
"""Fields of a body, or of an error, that hold the error itself."""
_WORD_FIELDS: Final = (
    *("message", "detail", "msg", "error_msg", "error_message", "error_description", "status_msg", "faultstring"),
    *("Message", "title", "reason", "type"),
)
"""Fields of an error with the provider's words, the best first."""
_CODE_FIELDS: Final = ("code", "status", "type", "error_code", "status_code", "statusCode")
"""Fields of an error with the provider's own codes, or with an HTTP status."""
_GATEWAYS_GAVE_UP: Final = frozenset({502, 504, 524})
"""HTTP statuses of gateways without an answer; the provider may have worked on the request and bill it."""
LONGEST_REASON: Final = 80
LONGEST_WORDS: Final = 500
"""The most characters of a provider's error that are stored and shown."""
_LONGEST_READ: Final = 4_000
"""The most characters of a provider's error that are read. Far more than is shown, since secrets are masked between."""
_PAGE: Final = re.compile(r"\A\W{0,5}<(!doctype|html|head|body|title|center|h1|\?xml)", re.IGNORECASE)
_TITLE: Final = re.compile(r"<title[^>]*>(.*?)</title>|<h1[^>]*>(.*?)</h1>", re.IGNORECASE | re.DOTALL)
WRONG_ADDRESS: Final = "Is base_url the address of a model's server, with its whole path (mostly up to /v1)?"


def refuses_system_role(error: LaneError, was_sent: bool) -> bool:
    """Return whether a request failed because its model takes no system role."""
    return was_sent and error.kind in (ErrorKind.REQUEST, ErrorKind.SERVER) and bool(_NO_SYSTEM_ROLE.search(str(error)))


def error_in(answer: Decoded, field: str, interface: str) -> LaneError | None:
    """Return the error in an answer with status 200; None if the answer has a value in `field` and no error beside it.

    Gateways send errors so, such as `{"error": {"message": ..., "code": 429}}`. The code decides the kind as an HTTP
    status would.
    """
    body = answer.fields
    if answer.get(field) not in (None, []) and not body.get("error"):
        return None
    says = body.keys() & {*_ERROR_FIELDS, "detail", "msg", "Message"} or isinstance(body.get("message"), str)
    words = provider_words(body, "") if says else ""
    if not words:
        if field in body:
            said = f"the answer is a {interface} without a reply: '{field}' is empty"
            return LaneError(said, kind=ErrorKind.PROTOCOL, remedy="The server sends empty answers: see its log")
        held = ", ".join(map(str, body))[:LONGEST_REASON] or "nothing"
        said = f"the answer is not a {interface}: '{field}' is missing (it has {held})"
        return LaneError(said, kind=ErrorKind.PROTOCOL, remedy=WRONG_ADDRESS)
    codes = codes_in(body)
    status = next((n for code in codes if (n := _as_status(code)) is not None), None)
    names = [code for code in codes if isinstance(code, str)]
    kind = next((_NAMES[name.lower()] for name in names if name.lower() in _NAMES), ErrorKind.SERVER)
    said = f"the provider answered with an error: {shortened(words)}"
    return _judged(said, kind if status is None else _kind_of(status), names, {}, body)


def _error_of(body: object) -> object:
    """Return the error in an error's body: its innermost object, or its text."""
    found = plain(body)
    if isinstance(found, list):
        return _error_of(found[0]) if found else None
    if not isinstance(found, dict):
        return found
    inner = next((found[name] for name in _ERROR_FIELDS if found.get(name)), None)
    return found if inner is None else _error_of(inner)


def codes_in(body: object) -> list[object]:
    """Return the provider's codes and types of an error, from the error's body."""
    inner = _error_of(body)
    if not isinstance(inner, dict):
        inner = plain(body)
    if not isinstance(inner, dict):
        return []
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
            inside = _RESET_INSIDE.search(everything)
            wait = allowance_wait_seconds({**headers, "x-ratelimit-reset": inside[1]} if inside else headers)
        return LaneError(said, kind=ErrorKind.RATE_LIMIT, retry_after_seconds=wait)
    if saying is not None and saying.kind is ErrorKind.QUOTA and wait is not None:
        saying = None  # an allowance that comes back by itself
    kind = (saying.kind if saying is not None else None) or kind
    return LaneError(said, kind=kind, retry_after_seconds=wait, remedy=saying.remedy if saying is not None else None)


def provider_words(body: object, otherwise: str) -> str:
    """Return the message in the body of a provider's error, else `otherwise`.

    The messages of SDKs would contain the whole body.
    """
    inner, whole = _error_of(body), plain(body)
    words: object = inner
    if isinstance(inner, dict):
        words = next((inner[key] for key in _WORD_FIELDS if inner.get(key)), None)
        words = words or (whole.get("message") if isinstance(whole, dict) else None)
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
