"""Access control of the explorer, and security headers of its pages."""

from dataclasses import dataclass
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from demur.configuration.web_access import is_same_origin, is_secret, names_this_machine

COOKIE: Final = "demur_token"
HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Security headers of all responses. Reports of releases, which have inline styles, replace the first."""


@dataclass(frozen=True, slots=True)
class RequestGuard:
    """ASGI middleware that controls access to all pages.

    Without a token, only requests to addresses of this machine are answered, which prevents DNS rebinding. With a
    token, each request must have the token. The first request has the token in its address, and later requests have the
    token in a cookie. Forms are accepted from the explorer's own pages only.
    """

    app: ASGIApp
    token: str | None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or refuse a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refused = self._refused(Request(scope))
        await (self.app if refused is None else refused)(scope, receive, with_headers)

    def _refused(self, request: Request) -> Response | None:
        if self.token is None:
            if not names_this_machine(request.headers.get("host")):
                return PlainTextResponse("This explorer answers on this machine alone.", 403)
        elif not is_secret(request.cookies.get(COOKIE, "").encode(), self.token):
            if not is_secret(request.query_params.get("token", "").encode(), self.token):
                return PlainTextResponse("Open the address that demur explore printed: it holds the token.", 403)
            there = request.url.remove_query_params("token")
            answer = RedirectResponse(f"{there.path}?{there.query}" if there.query else there.path, 303)
            answer.set_cookie(COOKIE, self.token, httponly=True, samesite="strict", max_age=86_400)
            return answer
        origin = request.headers.get("origin")
        if request.method not in ("GET", "HEAD") and (
            origin is None or not is_same_origin(origin, request.headers.get("host"))
        ):
            return PlainTextResponse("Only forms of the explorer's own pages are taken.", 403)
        return None
