"""Anthropic's batch pages: submission, progress, cancellation, and results as a stream of lines."""

import json
import time
from datetime import UTC, datetime
from typing import Final

from aiohttp import web

from demur.lanes.simulator.batches import (
    DAY_SECONDS,
    LINES,
    BatchEntry,
    Fate,
    Page,
    SimulatedBatches,
    StoredBatch,
    missing,
    one_page,
    result_line,
)
from demur.lanes.simulator.engine import SimulatedOutcome
from demur.lanes.simulator.faults import SimulatorFault
from demur.lanes.simulator.wire import AnthropicWire, Body

MOST_REQUESTS: Final = 100_000


class AnthropicBatches:
    """`/v1/messages/batches`."""

    def __init__(self, store: SimulatedBatches) -> None:
        self._store = store

    def routes(self) -> list[web.RouteDef]:
        """Return the pages."""
        wire = AnthropicWire()
        path = "/v1/messages/batches"
        pages: tuple[tuple[str, str, Page], ...] = (
            ("POST", path, self._create),
            ("GET", path, self._list),
            ("GET", f"{path}/{{id}}", self._retrieve),
            ("GET", f"{path}/{{id}}/results", self._results),
            ("POST", f"{path}/{{id}}/cancel", self._cancel),
        )
        return [web.route(method, at, self._store.guarded(page, wire)) for method, at, page in pages]

    async def _create(self, request: web.Request) -> web.Response:
        wanted = await request.json()
        entries = [BatchEntry(one["custom_id"], json.dumps(one["params"]).encode()) for one in wanted["requests"]]
        if not 0 < len(entries) <= MOST_REQUESTS:
            body = AnthropicWire().error(SimulatorFault.BAD_REQUEST, f"requests: {len(entries)} is not 1 to 100000")
            return web.json_response(body, status=400)
        batch = StoredBatch(f"msgbatch_{len(self._store.batches) + 1}", AnthropicWire(), entries, time.time())
        self._store.submit(batch, AnthropicWire().key(request.headers))
        return web.json_response(self._body(batch, request))

    async def _list(self, request: web.Request) -> web.Response:
        data, more = one_page(request, self._store.newest(AnthropicWire), "after_id")
        body = [self._body(batch, request) for batch in data]
        ends = {"first_id": body[0]["id"] if body else None, "last_id": body[-1]["id"] if body else None}
        return web.json_response({"data": body, **ends, "has_more": more})

    async def _retrieve(self, request: web.Request) -> web.Response:
        batch = self._store.batch(request)
        return missing("batch") if batch is None else web.json_response(self._body(batch, request))

    async def _cancel(self, request: web.Request) -> web.Response:
        batch = self._store.batch(request)
        if batch is None:
            return missing("batch")
        batch.cancelled = batch.cancelled or batch.ended is None
        return web.json_response(self._body(batch, request))

    async def _results(self, request: web.Request) -> web.Response:
        batch = self._store.batch(request)
        if batch is None or batch.ended is None:
            return missing("batch results")
        lines = [
            result_line({"custom_id": entry.custom_id, "result": _result(f, o)}, o)
            for entry, f, o in batch.ended_entries()
        ]
        return web.Response(body=b"".join(lines), content_type=LINES)

    def _body(self, batch: StoredBatch, request: web.Request) -> Body:
        counts = batch.counts()
        status = "ended" if batch.ended is not None else "canceling" if batch.cancelled else "in_progress"
        url = str(request.url.origin() / f"v1/messages/batches/{batch.batch_id}/results")
        return {
            "id": batch.batch_id,
            "type": "message_batch",
            "processing_status": status,
            "request_counts": {
                "processing": len(batch.entries) - counts.total(),
                **{fate.value: counts[fate] for fate in Fate},
            },
            "created_at": _moment(batch.created),
            "expires_at": _moment(batch.created + DAY_SECONDS),
            "ended_at": None if batch.ended is None else _moment(batch.ended),
            "cancel_initiated_at": None,
            "archived_at": None,
            "results_url": None if batch.ended is None else url,
        }


def _result(fate: Fate, outcome: SimulatedOutcome | None) -> Body:
    if fate is Fate.SUCCEEDED and outcome is not None:
        return {"type": fate.value, "message": outcome.body}
    if fate is Fate.ERRORED and outcome is not None:
        return {"type": fate.value, "error": outcome.body}
    return {"type": fate.value}


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
