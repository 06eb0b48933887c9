"""The SQL console. It runs the SQL statement in a URL and shows the first rows, or streams all rows as CSV.

A time limit applies to the statement and to each part of the CSV file.
"""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import closing, suppress
from datetime import datetime
from functools import partial
from typing import Any, Final, TypeVar

import anyio.to_thread
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse

from demur.errors import FlowError
from demur.reports.pages.links import VALUE, to
from demur.reports.pages.rendering import render
from demur.warehouse.errors import WarehouseError
from demur.warehouse.explorer.snapshot import Snapshot
from demur.warehouse.explorer.statement_process import LimitedStatement
from demur.warehouse.explorer.statements import BoundStatement
from demur.warehouse.formats import as_csv, csv_rows
from demur.warehouse.query import StopSignal

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
