"""Anthropic's HTTP pages for batches: submission, state, cancellation, and results as lines of JSON."""

import json
import time
from datetime import UTC, datetime
from typing import Final

from aiohttp import web

from demur.lanes.simulator.batches import (
    DAY_SECONDS,
    LINES,
    BatchEntry,
    BatchPages,
    Fate,
    Page,
    StoredBatch,
    missing,
    result_line,
)
from demur.lanes.simulator.engine import SimulatedOutcome
from demur.lanes.simulator.faults import SimulatorFault
from demur.lanes.simulator.wire import AnthropicWire, Body

MOST_REQUESTS: Final = 100_000


class AnthropicBatches(BatchPages):
    """`/v1/messages/batches`."""

    wire = AnthropicWire()
    path = "/v1/messages/batches"
    after = "after_id"

    def pages(self) -> list[tuple[str, str, Page]]:
        """Return the pages that all providers have, and Anthropic's page with the results of a batch."""
        return [*super().pages(), ("GET", f"{self.path}/{{id}}/results", self._results)]

    async def create(self, request: web.Request) -> web.Response:
        """Take the requests of a batch from the body."""
        wanted = await request.json()
        entries = [BatchEntry(one["custom_id"], json.dumps(one["params"]).encode()) for one in wanted["requests"]]
        if not 0 < len(entries) <= MOST_REQUESTS:
            body = self.wire.error(SimulatorFault.BAD_REQUEST, f"requests: {len(entries)} is not 1 to 100000")
            return web.json_response(body, status=400)
        batch = StoredBatch(f"msgbatch_{len(self._store.batches) + 1}", self.wire, entries, time.time())
        self._store.submit(batch, self.wire.key(request.headers))
        return self.shown(batch, request)

    async def _results(self, request: web.Request) -> web.Response:
        batch = self._store.batch(request)
        if batch is None or batch.ended is None:
            return missing("batch results")
        lines = [
            result_line({"custom_id": entry.custom_id, "result": _result(f, o)}, o)
            for entry, f, o in batch.ended_entries()
        ]
        return web.Response(body=b"".join(lines), content_type=LINES)

    def body(self, batch: StoredBatch, request: web.Request) -> Body:
        """Return the state of a batch as JSON."""
        counts = batch.counts()
        status = "ended" if batch.ended is not None else "canceling" if batch.cancelled else "in_progress"
        url = str(request.url.origin() / f"{self.path[1:]}/{batch.batch_id}/results")
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
