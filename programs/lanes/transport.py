"""What a lane is: something that turns one request into one reply, or a LaneError."""

from typing import Any, Protocol, cast

from dspy.lm15 import Request

from programs.errors import LaneError
from programs.journal import Reply

RETRYABLE_STATUS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


class Transport(Protocol):
    """One attempt at one request; retries, journal and limits are the caller's."""

    async def ask(self, request: Request) -> Reply:
        """Return the reply, or raise LaneError."""

    async def aclose(self) -> None:
        """Give connections back."""


def system_text(request: Request) -> str:
    """Return the request's instructions as one text."""
    if request.system is None or isinstance(request.system, str):
        return request.system or ""
    return "".join(part.text for part in request.system if hasattr(part, "text"))


def wanted_schema(request: Request) -> dict[str, Any] | None:
    """Return the JSON Schema that the reply must follow, None for plain text."""
    wanted = cast("dict[str, Any] | None", request.config.response_format)
    return None if wanted is None else cast("dict[str, Any]", wanted["schema"])


def status_error(status: int, message: str, retry_after: str | None) -> LaneError:
    """Return the LaneError for an HTTP status; only transient ones are retryable."""
    kinds = {401: "authentication", 403: "permission", 404: "not_found", 429: "rate_limit", 529: "overloaded"}
    kind = kinds.get(status, "server" if status >= 500 else "request")
    wait: float | None
    try:
        wait = float(retry_after) if retry_after else None
    except ValueError:
        wait = None
    return LaneError(
        f"HTTP {status}: {message}"[:500], kind=kind, retryable=status in RETRYABLE_STATUS, retry_after_seconds=wait
    )
