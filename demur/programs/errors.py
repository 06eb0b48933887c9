"""Errors of programs and lanes."""

from enum import StrEnum
from typing import Any

from demur.programs.call_scope import Reply


class ProgramError(Exception):
    """A program or lane cannot do its task; the message gives the remedy."""


class ReplyError(ProgramError):
    """A model's reply does not have the shape of its signature.

    `problem` gives the fault in one line; `reply` is the unchanged text.
    """

    def __init__(self, problem: str, *, reply: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.reply = reply


class Halted(ProgramError):
    """No more requests can be sent now, and no unit is at fault.

    The unit stays pending. The stage stops after the requests in flight, and the next run continues with the pending
    units.
    """


class ErrorKind(StrEnum):
    """Reasons for a missing answer: the values of the ledger's `error_class` and of a failure's `reason`."""

    RATE_LIMIT = "rate_limit"
    OVERLOADED = "overloaded"
    SERVER = "server"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    CONFLICT = "conflict"
    PROTOCOL = "protocol"
    """The answer does not match the provider's interface: cut off, or of another shape."""
    INCOMPLETE = "incomplete"
    """The reply may be cut off."""
    AUTHENTICATION = "authentication"
    PERMISSION = "permission"
    NOT_FOUND = "not_found"
    REDIRECT = "redirect"
    """The address redirects to another host, to which nothing is sent."""
    QUOTA = "quota"
    """The account has no money or allowance left."""
    REQUEST = "request"
    CONTEXT_LENGTH = "context_length"
    CONTENT_FILTER = "content_filter"
    REFUSAL = "refusal"
    EXPIRED = "expired"
    """The batch ended before the provider worked on the request."""
    CANCELLED = "cancelled"
    """The batch was cancelled."""
    LOST = "lost"
    """The provider accepted the request in a batch, but has no result for it or lost the batch."""
    UNANSWERED = "unanswered"
    """The process ended before an outcome was stored."""
    RULES = "rules"
    LANGUAGE = "language"
    """The texts are not English, which the rules lane cannot read. Such failures stop no stage."""
    RAISED = "raised"
    """A system that is a function raised an exception."""
    LEFT_OUT = "left_out"
    """The model was not asked, since too many of its earlier requests failed."""
    NOT_RECORDED = "not_recorded"
    UNEXPECTED = "unexpected"

    @property
    def retryable(self) -> bool:
        """Whether the same request can succeed later."""
        return self in _RETRYABLE


_RETRYABLE = frozenset(
    {
        ErrorKind.RATE_LIMIT,
        ErrorKind.OVERLOADED,
        ErrorKind.SERVER,
        ErrorKind.TIMEOUT,
        ErrorKind.CONNECTION,
        ErrorKind.CONFLICT,
        ErrorKind.PROTOCOL,
        ErrorKind.INCOMPLETE,
        ErrorKind.EXPIRED,
        ErrorKind.LOST,
    }
)


_UNKNOWN_USAGE = frozenset(
    {
        ErrorKind.TIMEOUT,
        ErrorKind.CONNECTION,
        ErrorKind.PROTOCOL,
        ErrorKind.LOST,
        ErrorKind.UNANSWERED,
        ErrorKind.UNEXPECTED,
    }
)
"""Errors after which the provider may have done the work. An error in a provider's answer is not billed."""


class LaneError(ProgramError):
    """A request to a provider ended without an answer.

    `retryable` says whether the same request can succeed later. `may_be_billed` says whether the provider may have done
    the work. The defaults of both depend on `kind`. `retry_after_seconds` is the time that the provider asks to wait.
    `reply` is a billed reply without an answer, such as a model's refusal. `remedy` is a sentence that says what to do;
    None if the kind says it.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str,
        retryable: bool | None = None,
        retry_after_seconds: float | None = None,
        reply: Reply | None = None,
        may_be_billed: bool | None = None,
        remedy: str | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = ErrorKind(kind)
        self.retryable = self.kind.retryable if retryable is None else retryable
        self.retry_after_seconds = retry_after_seconds
        self.reply = reply
        self.remedy = remedy
        self.may_be_billed = self.kind in _UNKNOWN_USAGE if may_be_billed is None else may_be_billed

    def restated(self, message: str, **changes: Any) -> "LaneError":
        """Return a copy of the error with another message and changed fields."""
        known = {"kind": self.kind, "retryable": self.retryable, "retry_after_seconds": self.retry_after_seconds}
        known |= {"reply": self.reply, "may_be_billed": self.may_be_billed, "remedy": self.remedy}
        return LaneError(message, **{**known, **changes})


class ModelUnavailable(Halted):
    """A model does not answer at all. `kind` tells whether its key, name, allowance or server is the cause."""

    def __init__(self, message: str, *, kind: ErrorKind) -> None:
        super().__init__(message)
        self.kind = kind
