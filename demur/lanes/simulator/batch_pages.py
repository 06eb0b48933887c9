"""The HTTP pages of OpenAI and Anthropic for batches: submission, state, cancellation, results."""

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
from demur.lanes.simulator.behaviour import SimulatedOutcome
from demur.lanes.simulator.faults import SimulatorFault
from demur.lanes.simulator.wire import AnthropicWire, Body, OpenAIWire

# OpenAI's HTTP pages for batches: files, submission, state, cancellation.


MOST_OPENAI_REQUESTS: Final = 50_000


class OpenAIBatches(BatchPages):
    """`/v1/files` and `/v1/batches`."""

    wire = OpenAIWire()
    path = "/v1/batches"
    after = "after"

    def pages(self) -> list[tuple[str, str, Page]]:
        """Return the pages of files, then the pages of batches."""
        files = [("POST", "/v1/files", self._upload), ("GET", "/v1/files/{id}/content", self._content)]
        return [*files, *super().pages()]

    async def _upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        upload = form["file"]
        assert isinstance(upload, web.FileField)
        data = upload.file.read()
        file_id = self._store.keep_file(data)
        body = {"id": file_id, "object": "file", "bytes": len(data), "created_at": int(time.time())}
        return web.json_response(
            {**body, "filename": upload.filename, "purpose": form["purpose"], "status": "processed"}
        )

    async def _content(self, request: web.Request) -> web.Response:
        data = self._store.files.get(request.match_info["id"])
        return missing("file") if data is None else web.Response(body=data, content_type=LINES)

    async def create(self, request: web.Request) -> web.Response:
        """Take the requests of a batch from an uploaded file."""
        wanted = await request.json()
        data = self._store.files.get(wanted["input_file_id"])
        if data is None:
            return missing("file")
        lines = [json.loads(line) for line in data.splitlines() if line.strip()]
        entries = [BatchEntry(line["custom_id"], json.dumps(line["body"]).encode()) for line in lines]
        batch = StoredBatch(f"batch_{len(self._store.batches) + 1}", self.wire, entries, time.time())
        batch.metadata = wanted.get("metadata") or {}
        batch.input_file = wanted["input_file_id"]
        self._store.submit(batch, self.wire.key(request.headers))
        if len(entries) > MOST_OPENAI_REQUESTS:
            batch.problem = f"{len(entries)} requests are more than {MOST_OPENAI_REQUESTS}"
            batch.cancelled = True
        return self.shown(batch, request)

    def body(self, batch: StoredBatch, request: web.Request) -> Body:
        """Return the state of a batch as JSON; make the files of results when the state first names them."""
        counts = batch.counts()
        status = "cancelling" if batch.cancelled else "in_progress"
        body: Body = {"output_file_id": None, "error_file_id": None, "errors": None}
        if batch.ended is not None:
            status = "cancelled" if batch.cancelled else "expired" if counts[Fate.EXPIRED] else "completed"
            if counts[Fate.SUCCEEDED]:
                body["output_file_id"] = self._file(batch, f"{batch.batch_id}-output", good=True)
            if counts.total() > counts[Fate.SUCCEEDED]:
                body["error_file_id"] = self._file(batch, f"{batch.batch_id}-errors", good=False)
        if batch.problem is not None:
            status = "failed"
            problem = {"code": "invalid_request", "message": batch.problem, "param": None, "line": None}
            body = {"output_file_id": None, "error_file_id": None, "errors": {"object": "list", "data": [problem]}}
        failed = counts[Fate.ERRORED] + counts[Fate.EXPIRED]
        return {
            "id": batch.batch_id,
            "object": "batch",
            "endpoint": OpenAIWire.path,
            "input_file_id": batch.input_file,
            "completion_window": "24h",
            "status": status,
            "created_at": int(batch.created),
            "expires_at": int(batch.created) + DAY_SECONDS,
            "completed_at": None if batch.ended is None else int(batch.ended),
            "request_counts": {"total": len(batch.entries), "completed": counts[Fate.SUCCEEDED], "failed": failed},
            "metadata": batch.metadata,
            **body,
        }

    def _file(self, batch: StoredBatch, file_id: str, *, good: bool) -> str:
        if file_id not in self._store.files:
            self._store.files[file_id] = b"".join(
                result_line(_openai_line(entry, fate, outcome), outcome)
                for entry, fate, outcome in batch.ended_entries()
                if (fate is Fate.SUCCEEDED) is good
            )
        return file_id


def _openai_line(entry: BatchEntry, fate: Fate, outcome: SimulatedOutcome | None) -> Body:
    line: Body = {"id": f"batch_req_{entry.custom_id}", "custom_id": entry.custom_id, "response": None, "error": None}
    if fate in (Fate.EXPIRED, Fate.CANCELLED) or outcome is None:
        code = "batch_expired" if fate is Fate.EXPIRED else "batch_cancelled"
        return line | {"error": {"code": code, "message": "This request was not done before the batch ended."}}
    return line | {"response": {"status_code": outcome.status, "request_id": "req_1", "body": outcome.body}}


# Anthropic's HTTP pages for batches: submission, state, cancellation, and results as lines of JSON.


MOST_ANTHROPIC_REQUESTS: Final = 100_000


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
        if not 0 < len(entries) <= MOST_ANTHROPIC_REQUESTS:
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
