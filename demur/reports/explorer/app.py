"""The explorer's web application and server: pages, error pages, CSV downloads, access control."""

import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, quote, unquote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from demur.configuration.settings import is_loopback, is_same_origin, is_secret, names_this_machine
from demur.engine.progress_state import live_rounds
from demur.errors import FlowError
from demur.reports.explorer import comparisons, items, pages
from demur.reports.explorer.pages import NotFoundError, Page, load_instructions, results_page, shown_rounds
from demur.reports.explorer.queries import ItemFilter, checked, console_page, csv_of
from demur.reports.pages.rendering import PATHS, SCRIPT, STYLE, asset, render, to
from demur.warehouse.errors import WarehouseError, WarehouseMissingError
from demur.warehouse.home import Home, plain_file
from demur.warehouse.releases.manifest import Release, releases
from demur.warehouse.results.snapshots import Snapshot, Snapshots, stamp_of

if TYPE_CHECKING:
    from demur.reports.explorer.reading_pages import Marking, MarkStore


# Access control of the explorer, and security headers of its pages.


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


# The explorer's web application: pages, error pages, CSV downloads, a read-only SQL console.


MOST_FORM_BYTES: Final = 100_000
READER_COOKIE: Final = "demur_reader"
KINDS: Final = {STYLE: "text/css; charset=utf-8", SCRIPT: "text/javascript; charset=utf-8"}
REPORT_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
)


class Explorer:
    """The pages of one home.

    `only` is the id of the round whose page opens first. `whole` is False if the home has only the files of `release`.
    Items of such a home cannot be marked, and its rejections are unknown. With `read_only`, marks are shown but cannot
    be made.
    """

    def __init__(
        self,
        home: Home,
        only: str | None = None,
        *,
        whole: bool = True,
        read_only: bool = False,
        release: Release | None = None,
    ) -> None:
        self.home = home
        self.only = only
        self.release = release
        self.whole = whole
        self.takes_marks = whole and not read_only
        self.snapshots = Snapshots(home, afterwards=load_instructions)
        self._making = threading.Lock()
        self._store: MarkStore | None = None
        self._copy: Snapshot | None = None

    def check(self) -> None:
        """Check that there are published results or a running round.

        Raises:
            WarehouseMissingError: nothing was published yet, and no round runs.
            NotFoundError: there is no round with the id `only`.
        """
        try:
            snapshot = self.snapshots.current()
        except WarehouseMissingError:
            if not live_rounds(self.home):
                raise
            return
        if self.only is not None:
            pages.head_of(snapshot, self.only)

    def newest_round(self) -> str:
        """Return the id of the round that began last.

        Raises:
            NotFoundError: there is no round.
        """
        found = self.snapshots.current().rows("round_ids")
        if not found:
            raise NotFoundError("no round has begun here yet. Start one with `demur round`")
        return str(found[0]["round_id"])

    def application(self, token: str | None = None) -> RequestGuard:
        """Return the ASGI application."""
        paged = {
            "round": self._round,
            "results": self._results,
            **({"questions": self._questions} if self.whole else {}),
            "items": self._items,
            "item": self._item,
            **({"read": self._read, "differences": self._differences} if self.takes_marks else {}),
            "calls": self._calls,
            "levers": lambda s, r: items.levers_page(s, r.path_params["round"]),
            "lever": lambda s, r: items.lever_page(s, r.path_params["round"], r.path_params["lever"]),
            "compare": lambda s, r: comparisons.compare_page(s, r.path_params["round"], r.query_params),
            "judges": lambda s, r: comparisons.judges_page(s, r.path_params["round"], r.query_params),
            "audit": self._audit,
            "rounds": self._rounds,
            "compare_rounds": lambda s, r: comparisons.compare_rounds_page(s, r.query_params),
        }
        routes = [Route(PATHS[name], self._shown(made), methods=["GET"]) for name, made in paged.items()]
        routes += [
            Route(PATHS["console"], partial(console_page, self.snapshots.current), methods=["GET"]),
            Route(PATHS["csv"], partial(csv_of, self.snapshots.current), methods=["GET"]),
            Route("/releases/{name}/{version}/report.html", self._report, methods=["GET"]),
            Route(PATHS["file"], self._file, methods=["GET"]),
        ]
        if self.takes_marks:
            routes += [
                Route(PATHS["audit"], self._reader, methods=["POST"]),
                Route(PATHS["marks"], self._mark, methods=["POST"]),
            ]
        application = Starlette(
            routes=routes,
            exception_handlers={
                HTTPException: lambda request, exc: _error(exc.status_code, exc.detail),
                NotFoundError: lambda request, exc: _error(404, str(exc)),
                FlowError: lambda request, exc: _error(400, str(exc)),
                WarehouseError: lambda request, exc: _error(503, str(exc)),
                Exception: lambda request, exc: _error(500, f"{type(exc).__name__}; the terminal shows where"),
            },
        )
        return RequestGuard(application, token)

    def _shown(self, made: Callable[[Snapshot, Request], Page]) -> Callable[[Request], Response]:
        def answer(request: Request) -> Response:
            try:
                snapshot = self.snapshots.current()
                return _rendered(made(snapshot, request), several=len(snapshot.rows("round_ids")) > 1)
            except WarehouseMissingError:
                if request.url.path != PATHS["rounds"] or not (running := live_rounds(self.home)):
                    raise
                return _rendered(pages.waiting_page(running), several=False)

        return answer

    def _rounds(self, snapshot: Snapshot, request: Request) -> Page:
        shelved = [(one.label, one.round_id, one.items) for one in releases(self.home)]
        return pages.rounds_page(snapshot, shown_rounds(self.home), shelved, whole=self.whole)

    def _round(self, snapshot: Snapshot, request: Request) -> Page:
        round_id = request.path_params["round"]
        return pages.round_page(snapshot, round_id, shown_rounds(self.home).get(round_id), whole=self.whole)

    def _results(self, snapshot: Snapshot, request: Request) -> Page:
        return results_page(snapshot, self.home, request.path_params["round"], self.release)

    def _items(self, snapshot: Snapshot, request: Request) -> Page:
        wanted = ItemFilter.of(request.query_params.multi_items())
        return pages.items_page(snapshot, request.path_params["round"], wanted, to)

    def _questions(self, snapshot: Snapshot, request: Request) -> Page:
        wanted = items.QuestionFilter.of(request.query_params.multi_items())
        return items.questions_page(snapshot, request.path_params["round"], wanted, to)

    def _item(self, snapshot: Snapshot, request: Request) -> Page:
        round_id = request.path_params["round"]
        item_id = request.path_params["id"]
        wanted = ItemFilter.of(request.query_params.multi_items())
        page = items.item_page(snapshot, round_id, item_id, wanted)
        marks = self._marking().of_item(round_id, item_id) if self.whole else {}
        return Page(page.template, {**page.context, "auditing": self.takes_marks, "marks": marks})

    def _read(self, snapshot: Snapshot, request: Request) -> Page:
        from demur.reports.explorer.items import reading_page

        round_id = request.path_params["round"]
        item_id = request.path_params["id"]
        adjudicates = "adjudicate" in request.query_params
        page = reading_page(snapshot, self._marking(), round_id, item_id, reader_of(request), adjudicates=adjudicates)
        return Page(page.template, {**page.context, "problem": self.store().problem})

    def _differences(self, snapshot: Snapshot, request: Request) -> Page:
        round_id = request.path_params["round"]
        pages.head_of(snapshot, round_id)
        listed = self._marking().differences(round_id)
        return Page("differences", {"page": "audit", "round": round_id, "listed": listed, "reader": reader_of(request)})

    def store(self) -> "MarkStore":
        """Return the store of readers' marks; the first call opens it."""
        from demur.reports.explorer.reading_pages import MarkStore

        with self._making:
            if self._store is None:
                self._store = MarkStore(self.home)
            return self._store

    def close(self) -> None:
        """Store pending marks."""
        if self._store is not None:
            self._store.close()

    def _marking(self) -> "Marking":
        from demur.reports.explorer.reading_pages import Marking

        return Marking(self.store(), self._newest)

    def _newest(self) -> Snapshot:
        """Return a snapshot of the published copy without the explorer's tables. Marks do not need these tables."""
        with self._making:
            if self._copy is None or self._copy.stamp != stamp_of(self.home):
                self._copy = Snapshot(self.home)
            return self._copy

    def _audit(self, snapshot: Snapshot, request: Request) -> Page:
        round_id = request.path_params["round"]
        reader = reader_of(request)
        page = pages.audit_page(snapshot, round_id, reader, form=self.takes_marks)
        if not self.takes_marks:
            return page
        marking = self._marking()
        queue = marking.queue(round_id, reader) if reader else None
        differing = [row for row in marking.differences(round_id) if not row["decided"]]
        return Page(page.template, {**page.context, "queue": queue, "differing": len(differing)})

    def _calls(self, snapshot: Snapshot, request: Request) -> Page:
        round_id = request.path_params["round"]
        unit = request.path_params["unit"]
        return items.calls_page(snapshot, round_id, unit, self.home if self.whole else None)

    def _report(self, request: Request) -> Response:
        label = f"{request.path_params['name']}/{request.path_params['version']}"
        known = {one.label: one.path for one in releases(self.home)}
        if label not in known:
            raise NotFoundError(f"there is no release '{label}' here")
        return HTMLResponse(
            plain_file(known[label], "report.html").read_bytes(), headers={"Content-Security-Policy": REPORT_POLICY}
        )

    def _file(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in KINDS:
            raise NotFoundError(f"there is no file '{name}' here")
        return Response(asset(name), media_type=KINDS[name], headers={"Cache-Control": "max-age=60"})

    async def _reader(self, request: Request) -> Response:
        from demur.reports.explorer.reading_pages import Reader

        reader = checked(Reader, await _form(request)).reader
        answer = await run_in_threadpool(self._next, request.path_params["round"], reader, None)
        answer.set_cookie(READER_COOKIE, quote(reader), httponly=True, samesite="strict", max_age=31_536_000)
        return answer

    async def _mark(self, request: Request) -> Response:
        from demur.reports.explorer.reading_pages import Marks

        reader = reader_of(request)
        if reader is None:
            raise FlowError("the reader's name is unknown: enter your name on the audit page first")
        round_id = request.path_params["round"]
        item_id = request.path_params["id"]
        marks = checked(Marks, await _form(request))
        await run_in_threadpool(lambda: self._marking().store(round_id, item_id, reader, marks))
        if marks.then == "next" and marks.adjudicates:
            return RedirectResponse(to("differences", round=round_id), 303)
        if marks.then == "next":
            return await run_in_threadpool(self._next, round_id, reader, item_id)
        return RedirectResponse(to("read", round=round_id, id=item_id, adjudicate=marks.adjudicates or None), 303)

    def _next(self, round_id: str, reader: str, after: str | None) -> Response:
        """Redirect to the reader's next item, or to the audit page if all items are read."""
        pages.head_of(self.snapshots.current(), round_id)
        following = self._marking().queue(round_id, reader, after).following
        there = to("audit", round=round_id) if following is None else to("read", round=round_id, id=following)
        return RedirectResponse(there, 303)


def reader_of(request: Request) -> str | None:
    """Return the reader's name from the cookie; None if there is no cookie."""
    return unquote(request.cookies.get(READER_COOKIE, "")) or None


def _rendered(page: Page, *, several: bool) -> Response:
    """Render a page. If `several` is False, the home has one round, and no page links to the comparison of rounds."""

    def there(name: str, /, **values: object) -> str | None:
        return None if name == "compare_rounds" and not several and not values else to(name, **values)

    return HTMLResponse(render(page.template, there, **page.context))


async def _form(request: Request) -> dict[str, str]:
    """Return the fields of a form.

    Raises:
        FlowError: the form is longer than MOST_FORM_BYTES, or not UTF-8.
    """
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_FORM_BYTES:
            raise FlowError(f"the form is longer than {MOST_FORM_BYTES:,} bytes")
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True))
    except UnicodeDecodeError:
        raise FlowError("the form is not UTF-8") from None


def _error(status: int, message: str) -> Response:
    headings = {400: "That cannot be shown", 403: "Not allowed", 404: "Not here", 405: "Not here", 503: "Not now"}
    heading = headings.get(status, "Something went wrong")
    return HTMLResponse(render("error", to, heading=heading, message=message), status)


# The explorer's web server. Other machines need a token.


LEAST_TOKEN = 16
GRACE_SECONDS = 1
"""Time for open requests to finish when the explorer ends."""


def serve(
    explorer: Explorer,
    *,
    host: str,
    port: int,
    token: str | None,
    open_browser: bool,
    started: Callable[[str], None],
) -> None:
    """Serve until Ctrl-C, and call `started` with the address.

    The address contains the token if requests need a token. If `token` is None and other machines can connect, the
    token is random.

    Raises:
        FlowError: the token is too short, or the port is taken.
    """
    if token is not None and len(token) < LEAST_TOKEN:
        raise FlowError(
            f"the token has {len(token)} characters; give at least {LEAST_TOKEN}, or no token for a random one"
        )
    if not is_loopback(host) and token is None:
        token = secrets.token_urlsafe(24)
    start = to("rounds") if explorer.only is None else to("round", round=explorer.only)

    def announce(server: str) -> None:
        address = f"{server}{start}" + ("" if token is None else f"?token={quote(token)}")
        started(address)
        if open_browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    try:
        serve_application(explorer.application(token), host, port, announce)
    finally:
        explorer.close()


def serve_application(application: "ASGIApp", host: str, port: int, started: Callable[[str], None]) -> None:
    """Serve an ASGI application until Ctrl-C. Call `started` with `http://host:port` when the port is open.

    Raises:
        FlowError: the port is taken, or the host is no address of this machine.
    """
    import uvicorn

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, port))
            listening.listen()
        except OSError as exc:
            raise FlowError(
                f"{host}:{port} cannot be used ({exc.strerror or exc}): give another --host or --port; port 0 takes a "
                "free one"
            ) from exc
        started(f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}")
        config = uvicorn.Config(
            application,
            log_level="warning",
            access_log=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        uvicorn.Server(config).run(sockets=[listening])
