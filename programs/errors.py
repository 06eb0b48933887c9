"""The errors of this room."""


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


class LaneError(ProgramError):
    """A request to a provider ended without an answer.

    `kind` names the sort of error for the ledger (rate_limit, timeout, server, authentication, ...); `retryable` says
    whether asking again can help, `retry_after_seconds` what the provider asked us to wait.
    """

    def __init__(self, message: str, *, kind: str, retryable: bool, retry_after_seconds: float | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.retryable = retryable
        self.retry_after_seconds = retry_after_seconds
