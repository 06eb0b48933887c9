"""The interface of a lane, one request to one reply or a LaneError, and shared code for reading answers."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from dspy.lm15 import Request
from pydantic import JsonValue

from demur.lanes.spec import ModelSpec
from demur.levers.catalogue import Catalogue
from demur.programs.errors import ErrorKind, LaneError
from demur.programs.journal import Reply

if TYPE_CHECKING:
    from demur.rules.corpus import Corpus

_KINDS: Final = {
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
_CODES: Final = {
    "insufficient_quota": ErrorKind.QUOTA,
    "billing_hard_limit_reached": ErrorKind.QUOTA,
    "billing_error": ErrorKind.QUOTA,
    "context_length_exceeded": ErrorKind.CONTEXT_LENGTH,
    "content_filter": ErrorKind.CONTENT_FILTER,
    "content_policy_violation": ErrorKind.CONTENT_FILTER,
}
"""What a provider's own code says more exactly than the status does."""
_FINISHES: Final = {
    **dict.fromkeys(("stop", "end_turn", "stop_sequence", "tool_calls", "tool_use"), "stop"),
    **dict.fromkeys(("length", "max_tokens", "model_context_window_exceeded"), "length"),
}
"""The finish reasons of replies that their model ended, and of those that a limit of tokens cut off."""
_LONGEST_REASON: Final = 80
MOST_TOKENS: Final = 10**9
"""No request takes so many; what says more has not counted."""
_GATEWAYS_GAVE_UP: Final = frozenset({502, 504, 524})
"""Somebody between us and the provider had no answer; the provider may have gone on and billed it."""
_TOO_LONG: Final = ("prompt is too long", "maximum context length")


@dataclass(frozen=True, slots=True)
class Access:
    """Arguments of a lane besides its spec: a key, headers, and for rules the levers and the corpus."""

    api_key: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    catalogue: Catalogue | None = None
    corpus: "Corpus | None" = None


class Transport(Protocol):
    """One attempt at one request; retries, journal and limits are the caller's."""

    async def ask(self, request: Request) -> Reply:
        """Return the reply, or raise LaneError."""

    async def aclose(self) -> None:
        """Give connections back."""


class Indexing(Transport, Protocol):
    """The lane of a system that may find passages itself."""

    async def index(self, passages: Sequence[Mapping[str, JsonValue]]) -> None:
        """Hand all passages over, or raise ProgramError."""


@dataclass(frozen=True, slots=True)
class Prepaid:
    """A request sent by an earlier run; `lease_id` names the lease that paid for it, None without a cap."""

    lease_id: str | None


@runtime_checkable
class Prepaying(Protocol):
    """A lane that finds paid requests of an earlier run again."""

    async def prepaid(self, request: Request) -> Prepaid | None:
        """Return the lease that paid for a request earlier; None if it must be paid now."""


@runtime_checkable
class Holding(Protocol):
    """A lane that has some replies and not others."""

    def holds(self, request: Request) -> bool:
        """Return whether the lane has the reply to the current unit's next request."""


@dataclass(frozen=True, slots=True)
class WantedFormat:
    """The JSON Schema of a reply; `strict` means that a provider can enforce it exactly."""

    name: str
    schema: dict[str, Any]
    strict: bool


def wanted_format(request: Request) -> WantedFormat | None:
    """Return the shape that a request wants its reply in, None for plain text."""
    wanted = request.config.response_format
    return None if wanted is None else WantedFormat(wanted["name"], wanted["schema"], bool(wanted.get("strict")))


def forced_tool(spec: ModelSpec, request: Request) -> WantedFormat | None:
    """Return the schema of the reply if the model replies by a tool's input; None for a reply in text."""
    wanted = wanted_format(request)
    return wanted if wanted is not None and spec.structured_output == "tool" else None


def no_logprobs(spec: ModelSpec) -> LaneError:
    """Return the error of a lane that was asked for log-probabilities and has none."""
    return LaneError(
        f"model '{spec.name}' ({spec.provider} {spec.model}) gives no log-probabilities: use a model of provider "
        "openai, or a server that speaks its interface, or ask for the probability in words",
        kind=ErrorKind.REQUEST,
    )


@contextmanager
def read_as(interface: str, spent: Reply) -> Iterator[None]:
    """Turn every error of reading an answer into a retryable one, with the usage read so far as its cost.

    Raises:
        LaneError: the answer does not match the interface.
    """
    try:
        yield
    except Exception as exc:
        paid = spent if spent.input_tokens is not None else None
        raise LaneError(f"the answer is no {interface}: {exc}", kind=ErrorKind.PROTOCOL, reply=paid) from exc


def text_of(value: object) -> str | None:
    """Return a field that must be text or missing.

    Raises:
        TypeError: it is something else.
    """
    if isinstance(value, str | None):
        return value
    raise TypeError(f"{type(value).__name__} stands where a text is wanted")


def finish_of(reason: object) -> str:
    """Return why a reply ended: stop, length, or else the provider's own word."""
    known = _FINISHES.get(reason) if isinstance(reason, str) else None
    return known or ("null" if reason is None else str(reason)[:_LONGEST_REASON])


def checked_end(reply: Reply, failure: object = None) -> Reply:
    """Return the reply; `failure` is an error that the provider reports beside its text.

    Raises:
        LaneError: nothing says that its text is whole.
    """
    if reply.finish_reason in _FINISHES.values() and failure is None:
        return reply
    words = provider_words(failure, "")
    raise LaneError(
        f"the reply may be cut off: finish reason '{reply.finish_reason}'" + (f", {words}" if words else ""),
        kind=ErrorKind.INCOMPLETE,
        reply=reply,
    )


TOOL_WORDS: Final = "Send the reply: its fields are this tool's input."


def status_error(status: int, message: str, headers: Mapping[str, str], code: object = None) -> LaneError:
    """Return the LaneError for an HTTP status, and for the provider's own code where it says more."""
    kind = _CODES.get(code) if isinstance(code, str) else None
    kind = kind or _KINDS.get(status)
    if kind is None:
        kind = ErrorKind.SERVER if status >= 500 else ErrorKind.REQUEST
    if kind is ErrorKind.REQUEST and any(words in message for words in _TOO_LONG):
        kind = ErrorKind.CONTEXT_LENGTH
    return LaneError(
        f"HTTP {status}: {message}",
        kind=kind,
        retry_after_seconds=retry_after_seconds(headers),
        may_be_billed=status in _GATEWAYS_GAVE_UP,
    )


def provider_words(body: object, otherwise: str) -> str:
    """Return a provider's message in the body of an error, `otherwise` if the body has none.

    SDKs show the whole body, as Python writes it.
    """
    inner = body.get("error", body) if isinstance(body, dict) else None
    words = (inner.get("message") or inner.get("detail")) if isinstance(inner, dict) else inner
    return words.strip() if isinstance(words, str) and words.strip() else otherwise


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """Return a provider's requested wait in seconds; None if missing, 0 or a past moment.

    Then the usual random pauses apply, so that requests do not come back all at once.
    """
    said_ms = headers.get("retry-after-ms")
    said = headers.get("retry-after")
    try:
        seconds = float(said_ms) / 1000 if said_ms else float(said or "")
    except ValueError:
        if not said:
            return None
        try:
            moment = parsedate_to_datetime(said)
        except ValueError:
            return None
        seconds = (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return seconds if math.isfinite(seconds) and seconds > 0 else None


def token_count(value: object) -> int | None:
    """Return a provider's count of tokens, None for an invalid one."""
    counted = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST_TOKENS
    return value if counted and isinstance(value, int) else None
