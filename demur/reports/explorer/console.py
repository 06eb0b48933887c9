"""The console: one reading statement with its values, in the address, limited in time and rows; and its rows as CSV."""

import time
from datetime import datetime
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from demur.errors import FlowError
from demur.reports.explorer.pages import Page
from demur.reports.explorer_pages.links import VALUE, to
from demur.warehouse.errors import WarehouseError
from demur.warehouse.explorer.snapshot import Snapshot
from demur.warehouse.explorer.statements import BoundStatement
from demur.warehouse.formats import as_csv

CONSOLE_SECONDS: Final = 10.0
CONSOLE_ROWS: Final = 1_000
CSV_ROWS: Final = 200_000


def console_page(snapshot: Snapshot, request: Request) -> Page:
    """Return the console, with the rows of the statement that the address holds, or what is wrong with it."""
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
        "tables": snapshot.table("tables"),
    }
    if asked.sql:
        started = time.perf_counter()
        try:
            context["result"] = snapshot.query(asked, limit=CONSOLE_ROWS, seconds=CONSOLE_SECONDS)
        except WarehouseError as exc:
            context["problem"] = str(exc)
        context["milliseconds"] = 1000 * (time.perf_counter() - started)
    return Page("console", context)


def csv_of(snapshot: Snapshot, request: Request) -> Response:
    """Return the rows of the statement that the address holds as a file.

    Raises:
        FlowError: the statement is refused, or takes too long.
    """
    try:
        found = snapshot.query(_asked(request), limit=CSV_ROWS, seconds=CONSOLE_SECONDS)
    except WarehouseError as exc:
        raise FlowError(str(exc)) from exc
    name = f"demur-{datetime.now():%Y%m%d-%H%M%S}.csv"  # noqa: DTZ005  (the reader's own clock)
    return Response(
        as_csv(found.columns, found.rows) + "\n",
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _asked(request: Request) -> BoundStatement:
    """Return the statement of an address, with the values that it names, as texts."""
    given = request.query_params
    values: dict[str, object] = {name.removeprefix(VALUE): given[name] for name in given if name.startswith(VALUE)}
    return BoundStatement(given.get("q", "").strip(), values)
