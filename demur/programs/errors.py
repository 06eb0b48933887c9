"""The errors of this room."""

from enum import StrEnum
from typing import Any

from demur.programs.journal import Reply


class ProgramError(Exception):
    """A program or a lane cannot do what it was asked; the message says what to change."""


class ReplyError(ProgramError):
    """A model's reply does not have the shape that its signature asks for.

    `problem` says what is wrong in one line; `reply` keeps the text as it came.
    """

    def __init__(self, problem: str, *, reply: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.reply = reply


class Halted(ProgramError):
    """Nothing more can be asked for now, and no unit is to blame.

    The unit stays pending, the stage ends after what is under way, and the next run goes on from there.
    """


class ErrorKind(StrEnum):
    """Why no answer came, as the ledger's `error_class` and a failure's `reason` say it."""

    RATE_LIMIT = "rate_limit"
    OVERLOADED = "overloaded"
    SERVER = "server"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    CONFLICT = "conflict"
    PROTOCOL = "protocol"
    """An answer came that is none of the provider's interface: cut off, or of another shape."""
    INCOMPLETE = "incomplete"
    """A reply came that its model is not known to have ended."""
    AUTHENTICATION = "authentication"
    PERMISSION = "permission"
    NOT_FOUND = "not_found"
    REDIRECT = "redirect"
    """Its address sends on to another host, where nothing is sent."""
    QUOTA = "quota"
    """The account has no money or allowance left."""
    REQUEST = "request"
    CONTEXT_LENGTH = "context_length"
    CONTENT_FILTER = "content_filter"
    REFUSAL = "refusal"
    EXPIRED = "expired"
    """The provider did not come to it before its batch ended."""
    CANCELLED = "cancelled"
    """Somebody cancelled its batch."""
    LOST = "lost"
    """The provider took it in a batch, and has no result for it, or does not know the batch any more."""
    RULES = "rules"
    LANGUAGE = "language"
    """Rules read English only, and the texts are not: known before, so that no stage stops for it."""
    RAISED = "raised"
    """A system that is a function raised an exception."""
    NOT_RECORDED = "not_recorded"
    UNEXPECTED = "unexpected"

    @property
    def retryable(self) -> bool:
        """Whether asking the same again can help."""
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
    {ErrorKind.TIMEOUT, ErrorKind.CONNECTION, ErrorKind.PROTOCOL, ErrorKind.LOST, ErrorKind.UNEXPECTED}
)
"""After these it is unknown whether the provider did the work; an error that a provider answered with is not billed."""


class LaneError(ProgramError):
    """A request to a provider ended without an answer.

    `retryable` says whether asking again can help, by default what `kind` says; `retry_after_seconds` what the
    provider asked us to wait; `reply` what came and was paid for all the same, where a model declined;
    `may_be_billed` whether the provider may have worked on it although nothing readable came, by default what `kind`
    says.
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
    ) -> None:
        super().__init__(message)
        self.kind = ErrorKind(kind)
        self.retryable = self.kind.retryable if retryable is None else retryable
        self.retry_after_seconds = retry_after_seconds
        self.reply = reply
        self.may_be_billed = self.kind in _UNKNOWN_USAGE if may_be_billed is None else may_be_billed

    def restated(self, message: str, **changes: Any) -> "LaneError":
        """Return the same error in other words, with changes of its other fields."""
        known = {"kind": self.kind, "retryable": self.retryable, "retry_after_seconds": self.retry_after_seconds}
        known |= {"reply": self.reply, "may_be_billed": self.may_be_billed}
        return LaneError(message, **{**known, **changes})


class ModelUnavailable(Halted):
    """A model does not answer at all: its key, name, allowance or server is at fault; `kind` says which."""

    def __init__(self, message: str, *, kind: ErrorKind) -> None:
        super().__init__(message)
        self.kind = kind
