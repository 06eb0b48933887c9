"""Refusal of redirects to other hosts, so that prompts go only to the model's configured host."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, Final

from demur.programs.errors import ErrorKind, LaneError

_STAYING: Final[ContextVar[bool]] = ContextVar("demur_staying_on_host", default=False)


async def stay_on_host(response: Any) -> None:
    """Refuse a redirect to another host. This is a response hook for httpx and httpx2, which follow all redirects.

    Raises:
        LaneError: the response redirects to another host.
    """
    _check(response)


@contextmanager
def staying_on_host() -> Iterator[None]:
    """Refuse redirects to other hosts in all requests that httpx sends inside the block.

    This function serves SDKs whose clients take no hooks.
    """
    _watch_httpx()
    token = _STAYING.set(True)
    try:
        yield
    finally:
        _STAYING.reset(token)


def redirect_error(error: BaseException) -> LaneError | None:
    """Return the refused redirect that caused an SDK's error; None for another cause."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, LaneError) and cause.kind is ErrorKind.REDIRECT:
            return cause.restated(str(cause))  # itself, it would be its own cause
        cause = cause.__cause__ or cause.__context__
    return None


def _check(response: Any) -> None:
    if not response.has_redirect_location:
        return
    asked = response.request.url
    target = asked.join(response.headers["location"])
    if target.host in ("", asked.host) and (asked.scheme, target.scheme) != ("https", "http"):
        return
    place = f"{target.scheme}://{target.host}" + (f":{target.port}" if target.port else "")
    raise LaneError(
        f"HTTP {response.status_code}: {asked.host} redirects to another host, {place}; nothing is sent there",
        kind=ErrorKind.REDIRECT,
    )


@cache
def _watch_httpx() -> None:
    """Patch httpx to check each redirect inside `staying_on_host`, since httpx has no hooks for all clients."""
    from httpx._client import BaseClient

    follow = BaseClient._build_redirect_request

    def follow_if_allowed(client: Any, request: Any, response: Any) -> Any:
        if _STAYING.get():
            _check(response)
        return follow(client, request, response)

    setattr(BaseClient, follow.__name__, follow_if_allowed)  # noqa: B010 (of httpx, which has no place for it)
