"""The explorer's web application: pages, error pages, CSV downloads, a read-only SQL console."""

import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, quote, unquote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from demur.engine.progress_state import live_rounds
from demur.errors import FlowError
from demur.reports.explorer import comparisons, item, levers, pages, questions
from demur.reports.explorer.access import RequestGuard
from demur.reports.explorer.console import console_page, csv_of
from demur.reports.explorer.filters import ItemFilter, checked
from demur.reports.explorer.pages import NotFoundError, Page, load_instructions, shown_rounds
from demur.reports.explorer.results import results_page
from demur.reports.pages.links import PATHS, to
from demur.reports.pages.rendering import SCRIPT, STYLE, asset, render
from demur.warehouse.errors import WarehouseError, WarehouseMissingError
from demur.warehouse.explorer.snapshot import Snapshot, Snapshots, stamp_of
from demur.warehouse.home import Home
from demur.warehouse.inside import plain_file
from demur.warehouse.release import Release, releases

if TYPE_CHECKING:
    from demur.reports.explorer.mark_store import MarkStore
    from demur.reports.explorer.marks import Marking

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
            "levers": lambda s, r: levers.levers_page(s, r.path_params["round"]),
            "lever": lambda s, r: levers.lever_page(s, r.path_params["round"], r.path_params["lever"]),
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
        wanted = questions.QuestionFilter.of(request.query_params.multi_items())
        return questions.questions_page(snapshot, request.path_params["round"], wanted, to)

    def _item(self, snapshot: Snapshot, request: Request) -> Page:
        round_id = request.path_params["round"]
        item_id = request.path_params["id"]
        wanted = ItemFilter.of(request.query_params.multi_items())
        page = item.item_page(snapshot, round_id, item_id, wanted)
        marks = self._marking().of_item(round_id, item_id) if self.whole else {}
        return Page(page.template, {**page.context, "auditing": self.takes_marks, "marks": marks})

    def _read(self, snapshot: Snapshot, request: Request) -> Page:
        from demur.reports.explorer.reading import reading_page

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
        from demur.reports.explorer.mark_store import MarkStore

        with self._making:
            if self._store is None:
                self._store = MarkStore(self.home)
            return self._store

    def close(self) -> None:
        """Store pending marks."""
        if self._store is not None:
            self._store.close()

    def _marking(self) -> "Marking":
        from demur.reports.explorer.marks import Marking

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
        return item.calls_page(snapshot, round_id, unit, self.home if self.whole else None)

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
        from demur.reports.explorer.marks import Reader

        reader = checked(Reader, await _form(request)).reader
        answer = await run_in_threadpool(self._next, request.path_params["round"], reader, None)
        answer.set_cookie(READER_COOKIE, quote(reader), httponly=True, samesite="strict", max_age=31_536_000)
        return answer

    async def _mark(self, request: Request) -> Response:
        from demur.reports.explorer.marks import Marks

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
