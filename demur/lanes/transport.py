"""The interface of a lane, which turns one request into one reply or LaneError, and shared code to read answers."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

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
"""Error kinds by the provider's own code, which is more exact than the HTTP status."""
_FINISHES: Final = {
    **dict.fromkeys(("stop", "end_turn", "stop_sequence", "tool_calls", "tool_use"), "stop"),
    **dict.fromkeys(("length", "max_tokens", "model_context_window_exceeded"), "length"),
}
"""Finish reasons of complete replies (stop), and of replies cut off at a token limit (length)."""
_LONGEST_REASON: Final = 80
MOST_TOKENS: Final = 10**9
"""Token counts from this number on are invalid."""
_GATEWAYS_GAVE_UP: Final = frozenset({502, 504, 524})
"""HTTP statuses of gateways without an answer; the provider may have worked on the request and bill it."""
_TOO_LONG: Final = ("prompt is too long", "maximum context length")


@dataclass(frozen=True, slots=True)
class Access:
    """What a lane needs besides the spec: key and headers; in the rules lane, the catalogue and the corpus."""

    api_key: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    catalogue: Catalogue | None = None
    corpus: "Corpus | None" = None


class Transport(Protocol):
    """Sends requests once. Retries, journal and limits belong to the caller."""

    async def ask(self, request: Request) -> Reply:
        """Return the reply.

        Raises:
            LaneError: no usable reply came.
        """

    async def aclose(self) -> None:
        """Close connections. Lanes without connections inherit this empty method."""


class Indexing(Transport, Protocol):
    """The transport of a system that may find passages itself."""

    async def index(self, passages: Sequence[Mapping[str, JsonValue]]) -> None:
        """Hand all passages over.

        Raises:
            ProgramError: the system does not accept them.
        """


@dataclass(frozen=True, slots=True)
class Prepaid:
    """Proof that an earlier run sent a request. `lease_id` names the lease that paid; None if that run had no cap."""

    lease_id: str | None


@runtime_checkable
class Prepaying(Protocol):
    """A transport that finds requests of earlier runs."""

    async def prepaid(self, request: Request) -> Prepaid | None:
        """Return proof that an earlier run sent the request; None if the request must be paid now."""


@runtime_checkable
class Holding(Protocol):
    """A transport that can answer only some requests."""

    def holds(self, request: Request) -> bool:
        """Return whether the transport can answer `request`, if the current unit sends it next."""


def no_logprobs(spec: ModelSpec) -> LaneError:
    """Return the error of a lane without log-probabilities."""
    return LaneError(
        f"model '{spec.name}' ({spec.provider} {spec.model}) gives no log-probabilities: use a model of provider "
        "openai, or a server that speaks its interface, or ask for the probability in words",
        kind=ErrorKind.REQUEST,
    )


@contextmanager
def read_as(interface: str, spent: Reply) -> Iterator[None]:
    """Turn all exceptions of the block into a retryable LaneError that has the token counts of `spent`.

    Raises:
        LaneError: the answer does not match the interface.
    """
    try:
        yield
    except Exception as exc:
        paid = spent if spent.input_tokens is not None else None
        raise LaneError(f"the answer is not a {interface}: {exc}", kind=ErrorKind.PROTOCOL, reply=paid) from exc


def text_of(value: object) -> str | None:
    """Return a field that must be a text or None.

    Raises:
        TypeError: the field is something else.
    """
    if isinstance(value, str | None):
        return value
    raise TypeError(f"expected a text, not {type(value).__name__}")


def finish_of(reason: object) -> str:
    """Return `stop` for a complete reply, `length` for a reply cut at a token limit, else the provider's reason."""
    known = _FINISHES.get(reason) if isinstance(reason, str) else None
    return known or ("null" if reason is None else str(reason)[:_LONGEST_REASON])


def checked_end(reply: Reply, failure: object = None) -> Reply:
    """Return the reply if it is complete; `failure` is an error that the provider reports beside the reply's text.

    Raises:
        LaneError: the reply may be cut off.
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
    """Return the LaneError for an HTTP status and the provider's own error code."""
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
    """Return the message in the body of a provider's error, else `otherwise`.

    The messages of SDKs would contain the whole body.
    """
    inner = body.get("error", body) if isinstance(body, dict) else None
    words = (inner.get("message") or inner.get("detail")) if isinstance(inner, dict) else inner
    return words.strip() if isinstance(words, str) and words.strip() else otherwise


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """Return a provider's requested wait in seconds; None if it is missing, 0 or in the past."""
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
    """Return a provider's token count; None if it is invalid."""
    counted = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST_TOKENS
    return value if counted and isinstance(value, int) else None
