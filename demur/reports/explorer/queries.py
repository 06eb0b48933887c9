"""What the query of a URL asks: filters, order and page of lists, and SQL statements of the console."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import closing, suppress
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Final, Literal, Self, TypeVar

import anyio.to_thread
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse

from demur.errors import FlowError
from demur.levers.lever_models import Strict
from demur.reports.pages.rendering import VALUE, To, render, to
from demur.warehouse.errors import WarehouseError
from demur.warehouse.results.formats import as_csv, csv_rows
from demur.warehouse.results.query import StopSignal
from demur.warehouse.results.snapshots import BoundStatement, Snapshot
from demur.warehouse.results.statement_process import LimitedStatement

# Filters, order and page number of the explorer's lists, read from the query of a URL.


REFUSED: Final = ("correct_refusal", "wrong_category_refusal", "false_refusal")
OUTCOMES: Final = {
    "right": ("correct_answer", "correct_refusal"),
    "wrong": ("wrong_answer", "wrong_category_refusal", "false_refusal", "missed_refusal", "invalid"),
    "answered": ("correct_answer", "wrong_answer", "ungraded_answer", "missed_refusal"),
    "refused": REFUSED,
    **{
        kind: (kind,)
        for kind in (*REFUSED, "correct_answer", "wrong_answer", "ungraded_answer", "missed_refusal", "invalid")
    },
}
"""The outcomes of responses by the value of the parameters `outcome` and `outcome2`."""
REJECTED: Final = frozenset(("rejected by verifiers", "rejected by check", "duplicate", "declined"))
"""States of perturbations that did not become items."""
_ANSWERED: Final = ("respondent", "judge", "outcome", "given", "expected", "confidence", "judge2")

Model = TypeVar("Model", bound=BaseModel)
Word = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]
Outcome = Literal[
    "right", "wrong", "answered", "refused", "correct_refusal", "wrong_category_refusal", "false_refusal",
    "correct_answer", "wrong_answer", "ungraded_answer", "missed_refusal", "invalid",
]  # fmt: skip
Status = Literal[
    "sampled", "accepted", "candidate", "rejected by verifiers", "duplicate", "rejected by check", "declined",
    "control", "imported",
]  # fmt: skip
Sort = Literal[
    "stratum", "difficulty", "easiest", "disagreement", "verifiers", "cost", "lever", "generator", "status"
]  # fmt: skip


class PageQuery(Strict):
    """The query of one page of a list. A filter that is None has no effect. The first page has number 1."""

    model_config = ConfigDict(populate_by_name=True)

    page: Annotated[int, Field(ge=1, le=1_000_000)] = 1

    @classmethod
    def of(cls, query: Iterable[tuple[str, str]]) -> Self:
        """Return the query of an address; parameters with empty values are ignored.

        Raises:
            FlowError: an unknown parameter, or a value that is not allowed.
        """
        return checked(cls, {name: value for name, value in query if value.strip()})

    def carried(self) -> dict[str, Any]:
        """Return the parameters for links to this list, without the page number and without default values."""
        return self.model_dump(by_alias=True, exclude_defaults=True, exclude={"page"})

    def shown(self) -> dict[str, Any]:
        """Return all values by parameter."""
        return self.model_dump(by_alias=True)

    def links(self, to: To, page: str, round_id: str, total: int, size: int) -> dict[str, Any]:
        """Return the page numbers of a list, and the addresses of the previous and the next page.

        The list has `total` rows, with `size` rows on a page.
        """
        last = max(1, -(-total // size))

        def link(number: int) -> str | None:
            return to(page, round=round_id, **self.carried(), page=number) if 1 <= number <= last else None

        return {
            "total": total,
            "pages": last,
            "number": self.page,
            "before": link(self.page - 1),
            "after": link(self.page + 1),
        }


class ItemFilter(PageQuery):
    """The query of a list of items."""

    status: Status | None = None
    lever_class: Word | None = Field(default=None, alias="class")
    intensity: Literal["LOW", "MEDIUM", "HIGH"] | None = None
    lever: Word | None = None
    generator: Word | None = None
    layout: Word | None = None
    domain: Word | None = None
    language: Word | None = None
    base: Word | None = None
    check: Word | None = None
    verifier: Word | None = None
    text: Word | None = None
    right: Annotated[str, StringConstraints(pattern=r"^(none|all|no model|[1-9]\d{0,5})$")] | None = None
    respondent: Word | None = None
    judge: Word | None = None
    outcome: Outcome | None = None
    given: Word | None = None
    expected: Word | None = None
    confidence: Word | None = None
    respondent2: Word | None = None
    outcome2: Outcome | None = None
    judge2: Word | None = None
    given2: Word | None = None
    sort: Sort = "stratum"

    @property
    def is_of_rejected(self) -> bool:
        """True if the query asks for rejected perturbations. The page then shows the reasons."""
        return self.status in REJECTED or self.check is not None or self.verifier is not None

    def values(self) -> dict[str, object]:
        """Return the parameters of the SQL statement that reads the list."""
        found = self.model_dump(by_alias=True, exclude={"sort", "page"})
        for name in ("outcome", "outcome2"):
            if found[name] is not None:
                found[name] = ",".join(OUTCOMES[found[name]])
        answered = any(found[name] is not None for name in _ANSWERED)
        if found["respondent2"] is None:
            found["outcome2"] = None
        if found["judge2"] is None:
            found["given2"] = None
        paired = found["respondent2"] is not None and found["judge"] is not None
        return {
            **found,
            "answered": True if answered else None,
            "rejected": True if self.is_of_rejected else None,
            "paired": True if paired else None,
        }


def checked(model: type[Model], given: Mapping[str, object]) -> Model:
    """Validate the parameters of an address, or the fields of a form.

    Raises:
        FlowError: an unknown name, or a value that the model does not allow.
    """
    try:
        return model.model_validate(given)
    except ValidationError as exc:
        first = exc.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            allowed = ", ".join(field.alias or name for name, field in model.model_fields.items())
            raise FlowError(f"'{place}' is not one of {allowed}") from None
        raise FlowError(f"{place} {first['input']!r}: {first['msg']}") from None


# The SQL console. It runs the SQL statement in a URL and shows the first rows, or streams all rows as CSV.
#
# A time limit applies to the statement and to each part of the CSV file.


CONSOLE_SECONDS: Final = 10.0
CONSOLE_ROWS: Final = 1_000
CSV_ROWS: Final = 5_000
"""Rows per part of a download."""
MOST_NAME_CHARACTERS: Final = 100
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
Made = TypeVar("Made")


async def console_page(find: Callable[[], Snapshot], request: Request) -> Response:
    """Return the console page, with the rows or the error of the SQL statement in the URL."""
    snapshot = await run_in_threadpool(find)
    await run_in_threadpool(snapshot.prepare)
    asked = _asked(request)
    context: dict[str, Any] = {
        "page": "console",
        "sql": asked.sql or "SELECT * FROM leaderboard",
        "given": asked.values,
        "seconds": CONSOLE_SECONDS,
        "rows": CONSOLE_ROWS,
        "problem": None,
        "result": None,
        "csv": to("csv", **dict(request.query_params)),
        "tables": await run_in_threadpool(snapshot.table, "tables"),
    }
    if asked.sql:
        started = time.perf_counter()

        def first(stop: StopSignal) -> object:
            with closing(snapshot.start(asked, CONSOLE_SECONDS, stop)) as statement:
                return statement.first(CONSOLE_ROWS)

        try:
            context["result"] = await _while_connected(request, first)
        except WarehouseError as exc:
            context["problem"] = str(exc)
        context["milliseconds"] = 1000 * (time.perf_counter() - started)
    return HTMLResponse(await run_in_threadpool(render, "console", to, **context))


async def csv_of(find: Callable[[], Snapshot], request: Request) -> Response:
    """Stream all rows of the SQL statement in the URL as a CSV file.

    If a part exceeds the time limit, the transfer is aborted and the browser reports an incomplete download.

    Raises:
        FlowError: the statement is refused, or the first rows take longer than the time limit.
    """
    snapshot = await run_in_threadpool(find)

    def begin(stop: StopSignal) -> tuple[LimitedStatement, str]:
        statement = snapshot.start(_asked(request), CONSOLE_SECONDS, stop)
        try:
            return statement, as_csv(statement.columns, statement.fetch(CSV_ROWS))
        except BaseException:
            statement.close()
            raise

    try:
        statement, first = await _while_connected(request, begin)
    except WarehouseError as exc:
        raise FlowError(str(exc)) from exc
    named = _UNSAFE.sub("-", request.query_params.get("name", "")).strip("-.")[:MOST_NAME_CHARACTERS]
    name = f"demur-{named or f'{datetime.now():%Y%m%d-%H%M%S}'}.csv"  # noqa: DTZ005  (the reader's own clock)
    return StreamingResponse(
        _parts(statement, first),
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


async def _parts(statement: LimitedStatement, first: str) -> AsyncIterator[str]:
    """Yield the parts of a CSV file; the statement is closed when the client disconnects."""
    with closing(statement):
        yield f"{first}\n"
        while rows := await anyio.to_thread.run_sync(partial(statement.fetch, CSV_ROWS), abandon_on_cancel=True):
            yield csv_rows(rows) + "\n"


async def _while_connected(request: Request, work: Callable[[StopSignal], Made]) -> Made:
    """Run `work` on a thread and return its result. If the browser disconnects, give `work` the stop signal."""
    stop = StopSignal()

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        stop.give()

    watching = asyncio.create_task(watch())
    try:
        return await run_in_threadpool(work, stop)
    finally:
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching


def _asked(request: Request) -> BoundStatement:
    """Return the SQL statement of a URL with the values of its parameters. All values are strings."""
    given = request.query_params
    values: dict[str, object] = {name.removeprefix(VALUE): given[name] for name in given if name.startswith(VALUE)}
    return BoundStatement(given.get("q", "").strip(), values)
