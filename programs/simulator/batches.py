"""The batch endpoints of both providers: files, submission, progress, cancellation and results.

What a fault means in a batch: a status becomes a failed entry, a broken connection an entry that expired, a spoilt
answer stays one.
"""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from aiohttp import web

from programs.simulator.faults import BROKEN, STATUS, Asked, Fault, Plan
from programs.simulator.mind import Mind, Outcome
from programs.simulator.wire import AnthropicWire, Body, OpenAIWire, Wire, error_message

Page = Callable[[web.Request], Awaitable[web.StreamResponse]]
MOST_REQUESTS: Final = {OpenAIWire.path: 50_000, AnthropicWire.path: 100_000}
_DAY_SECONDS: Final = 86_400


class Fate(StrEnum):
    """How one entry of a batch ended."""

    SUCCEEDED = "succeeded"
    ERRORED = "errored"
    EXPIRED = "expired"
    CANCELLED = "canceled"


@dataclass(frozen=True, slots=True)
class Entry:
    """One request of a batch: its id, and its body as JSON."""

    custom_id: str
    raw: bytes


@dataclass(slots=True)
class StoredBatch:
    """A batch at the provider; `results` has what is done so far, in the order of the entries."""

    batch_id: str
    wire: Wire
    entries: list[Entry]
    created: float
    metadata: dict[str, str] = field(default_factory=dict)
    input_file: str = ""
    results: list[tuple[Fate, Outcome | None]] = field(default_factory=list)
    cancelled: bool = False
    ended: float | None = None
    problem: str | None = None

    def counts(self) -> Counter[Fate]:
        """Return how many entries have ended, by fate."""
        return Counter(fate for fate, _ in self.results)

    def told(self) -> Iterator[tuple[Entry, Fate, Outcome | None]]:
        """Yield entries with what came of them."""
        for entry, (fate, outcome) in zip(self.entries, self.results, strict=True):
            yield entry, fate, outcome


class BatchStore:
    """Keeps files and batches in memory, and works on batches in the background."""

    def __init__(self, mind: Mind) -> None:
        self.mind = mind
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, StoredBatch] = {}
        self.control_plan: Plan | None = None
        """What goes wrong when batches are submitted, looked at and fetched: statuses, connections that drop before
        (DROPPED) and after (TRUNCATED) the provider has done what it was asked."""
        self._calls: Counter[str] = Counter()
        self._tasks: set[asyncio.Task[None]] = set()

    def keep_file(self, data: bytes) -> str:
        """Return the id of a file."""
        file_id = f"file-{len(self.files) + 1}"
        self.files[file_id] = data
        return file_id

    def submit(self, batch: StoredBatch, key: str) -> None:
        """Take a batch and begin to work on it."""
        self.batches[batch.batch_id] = batch
        self.mind.counts.batches += 1
        ids = [entry.custom_id for entry in batch.entries]
        if len(set(ids)) != len(ids):
            batch.problem, batch.ended = "a custom_id stands more than once", time.time()
            return
        task = asyncio.create_task(self._work(batch, key))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def newest(self, wire: type[Wire]) -> list[StoredBatch]:
        """Return all batches of an interface, newest first."""
        return [batch for batch in reversed(self.batches.values()) if isinstance(batch.wire, wire)]

    async def _work(self, batch: StoredBatch, key: str) -> None:
        seconds = self.mind.manner.batch_seconds
        for number, entry in enumerate(batch.entries):
            due = batch.created + seconds * (number + 1) / len(batch.entries)
            while not batch.cancelled and time.time() < due:
                await asyncio.sleep(min(0.1, max(0.0, due - time.time())))
            if batch.cancelled:
                batch.results.append((Fate.CANCELLED, None))
                continue
            outcome, _ = self.mind.outcome(batch.wire, entry.raw, key, batch=True)
            fate = Fate.SUCCEEDED if outcome.answered else Fate.ERRORED
            if outcome.answered and outcome.fault in BROKEN:
                fate = Fate.EXPIRED
            if fate is Fate.SUCCEEDED:
                self.mind.delivered(batch.wire, entry.raw, outcome)
            batch.results.append((fate, outcome))
            await asyncio.sleep(0)
        batch.ended = time.time()

    def guarded(self, page: Page, wire: Wire) -> Page:
        """Return a page with the faults that are due where batches are handled."""

        async def handle(request: web.Request) -> web.StreamResponse:
            fault = self._fault(f"{request.method} {request.path}")
            if fault in STATUS:
                body = wire.error(fault, error_message(fault, wire.key(request.headers)))
                return web.json_response(body, status=STATUS[fault], headers={"Retry-After": "0"})
            if fault is Fault.DROPPED and request.transport:
                request.transport.abort()
                return web.Response()
            answer = await page(request)
            if fault is Fault.TRUNCATED and request.transport:
                request.transport.abort()
            return answer

        return handle

    def _fault(self, what: str) -> Fault | None:
        if self.control_plan is None:
            return None
        self._calls[what] += 1
        return self.control_plan(Asked(self._calls.total(), what, self._calls[what], "", "", {}))


class OpenAIBatches:
    """`/v1/files` and `/v1/batches`."""

    def __init__(self, store: BatchStore) -> None:
        self._store = store

    def routes(self) -> list[web.RouteDef]:
        """Return the pages."""
        wire = OpenAIWire()
        pages: tuple[tuple[str, str, Page], ...] = (
            ("POST", "/v1/files", self._upload),
            ("GET", "/v1/files/{id}/content", self._content),
            ("POST", "/v1/batches", self._create),
            ("GET", "/v1/batches", self._list),
            ("GET", "/v1/batches/{id}", self._retrieve),
            ("POST", "/v1/batches/{id}/cancel", self._cancel),
        )
        return [web.route(method, path, self._store.guarded(page, wire)) for method, path, page in pages]

    async def _upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        upload = form["file"]
        assert isinstance(upload, web.FileField)
        data = upload.file.read()
        file_id = self._store.keep_file(data)
        told = {"id": file_id, "object": "file", "bytes": len(data), "created_at": int(time.time())}
        return web.json_response(
            {**told, "filename": upload.filename, "purpose": form["purpose"], "status": "processed"}
        )

    async def _content(self, request: web.Request) -> web.Response:
        data = self._store.files.get(request.match_info["id"])
        return _missing("file") if data is None else web.Response(body=data, content_type="application/octet-stream")

    async def _create(self, request: web.Request) -> web.Response:
        wanted = await request.json()
        data = self._store.files.get(wanted["input_file_id"])
        if data is None:
            return _missing("file")
        lines = [json.loads(line) for line in data.splitlines() if line.strip()]
        entries = [Entry(line["custom_id"], json.dumps(line["body"]).encode()) for line in lines]
        batch = StoredBatch(f"batch_{len(self._store.batches) + 1}", OpenAIWire(), entries, time.time())
        batch.metadata, batch.input_file = wanted.get("metadata") or {}, wanted["input_file_id"]
        self._store.submit(batch, OpenAIWire().key(request.headers))
        most = MOST_REQUESTS[OpenAIWire.path]
        if len(entries) > most:
            batch.problem, batch.cancelled = f"{len(entries)} requests are more than {most}", True
        return web.json_response(self._told(batch))

    async def _list(self, request: web.Request) -> web.Response:
        data, more = _page(request, self._store.newest(OpenAIWire), "after")
        told = [self._told(batch) for batch in data]
        ends = {"first_id": told[0]["id"] if told else None, "last_id": told[-1]["id"] if told else None}
        return web.json_response({"object": "list", "data": told, **ends, "has_more": more})

    async def _retrieve(self, request: web.Request) -> web.Response:
        batch = self._store.batches.get(request.match_info["id"])
        return _missing("batch") if batch is None else web.json_response(self._told(batch))

    async def _cancel(self, request: web.Request) -> web.Response:
        batch = self._store.batches.get(request.match_info["id"])
        if batch is None:
            return _missing("batch")
        batch.cancelled = batch.cancelled or batch.ended is None
        return web.json_response(self._told(batch))

    def _told(self, batch: StoredBatch) -> Body:
        counts = batch.counts()
        status = "cancelling" if batch.cancelled else "in_progress"
        told: Body = {"output_file_id": None, "error_file_id": None, "errors": None}
        if batch.ended is not None:
            status = "cancelled" if batch.cancelled else "expired" if counts[Fate.EXPIRED] else "completed"
            if counts[Fate.SUCCEEDED]:
                told["output_file_id"] = self._file(batch, f"{batch.batch_id}-output", good=True)
            if counts.total() > counts[Fate.SUCCEEDED]:
                told["error_file_id"] = self._file(batch, f"{batch.batch_id}-errors", good=False)
        if batch.problem is not None:
            status = "failed"
            problem = {"code": "invalid_request", "message": batch.problem, "param": None, "line": None}
            told = {"output_file_id": None, "error_file_id": None, "errors": {"object": "list", "data": [problem]}}
        failed = counts[Fate.ERRORED] + counts[Fate.EXPIRED]
        return {
            "id": batch.batch_id,
            "object": "batch",
            "endpoint": OpenAIWire.path,
            "input_file_id": batch.input_file,
            "completion_window": "24h",
            "status": status,
            "created_at": int(batch.created),
            "expires_at": int(batch.created) + _DAY_SECONDS,
            "completed_at": None if batch.ended is None else int(batch.ended),
            "request_counts": {"total": len(batch.entries), "completed": counts[Fate.SUCCEEDED], "failed": failed},
            "metadata": batch.metadata,
            **told,
        }

    def _file(self, batch: StoredBatch, file_id: str, *, good: bool) -> str:
        """Write a file of results when it is first told of."""
        if file_id not in self._store.files:
            lines = [
                json.dumps(_openai_line(entry, fate, outcome))
                for entry, fate, outcome in batch.told()
                if (fate is Fate.SUCCEEDED) is good
            ]
            self._store.files[file_id] = ("\n".join(lines) + "\n").encode()
        return file_id


def _openai_line(entry: Entry, fate: Fate, outcome: Outcome | None) -> Body:
    line: Body = {"id": f"batch_req_{entry.custom_id}", "custom_id": entry.custom_id, "response": None, "error": None}
    if fate in (Fate.EXPIRED, Fate.CANCELLED) or outcome is None:
        code = "batch_expired" if fate is Fate.EXPIRED else "batch_cancelled"
        return line | {"error": {"code": code, "message": "This request was not done before the batch ended."}}
    return line | {"response": {"status_code": outcome.status, "request_id": "req_1", "body": outcome.body}}


class AnthropicBatches:
    """`/v1/messages/batches`."""

    def __init__(self, store: BatchStore) -> None:
        self._store = store

    def routes(self) -> list[web.RouteDef]:
        """Return the pages."""
        wire, path = AnthropicWire(), "/v1/messages/batches"
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
        entries = [Entry(one["custom_id"], json.dumps(one["params"]).encode()) for one in wanted["requests"]]
        if not 0 < len(entries) <= MOST_REQUESTS[AnthropicWire.path]:
            told = AnthropicWire().error(Fault.BAD_REQUEST, f"requests: {len(entries)} is not 1 to 100000")
            return web.json_response(told, status=400)
        batch = StoredBatch(f"msgbatch_{len(self._store.batches) + 1}", AnthropicWire(), entries, time.time())
        self._store.submit(batch, AnthropicWire().key(request.headers))
        return web.json_response(self._told(batch, request))

    async def _list(self, request: web.Request) -> web.Response:
        data, more = _page(request, self._store.newest(AnthropicWire), "after_id")
        told = [self._told(batch, request) for batch in data]
        ends = {"first_id": told[0]["id"] if told else None, "last_id": told[-1]["id"] if told else None}
        return web.json_response({"data": told, **ends, "has_more": more})

    async def _retrieve(self, request: web.Request) -> web.Response:
        batch = self._store.batches.get(request.match_info["id"])
        return _missing("batch") if batch is None else web.json_response(self._told(batch, request))

    async def _cancel(self, request: web.Request) -> web.Response:
        batch = self._store.batches.get(request.match_info["id"])
        if batch is None:
            return _missing("batch")
        batch.cancelled = batch.cancelled or batch.ended is None
        return web.json_response(self._told(batch, request))

    async def _results(self, request: web.Request) -> web.Response:
        batch = self._store.batches.get(request.match_info["id"])
        if batch is None or batch.ended is None:
            return _missing("batch results")
        lines = [json.dumps({"custom_id": entry.custom_id, "result": _result(f, o)}) for entry, f, o in batch.told()]
        return web.Response(text="\n".join(lines) + "\n", content_type="application/x-jsonl")

    def _told(self, batch: StoredBatch, request: web.Request) -> Body:
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
            "expires_at": _moment(batch.created + _DAY_SECONDS),
            "ended_at": None if batch.ended is None else _moment(batch.ended),
            "cancel_initiated_at": None,
            "archived_at": None,
            "results_url": None if batch.ended is None else url,
        }


def _result(fate: Fate, outcome: Outcome | None) -> Body:
    if fate is Fate.SUCCEEDED and outcome is not None:
        return {"type": fate.value, "message": outcome.body}
    if fate is Fate.ERRORED and outcome is not None:
        return {"type": fate.value, "error": outcome.body}
    return {"type": fate.value}


def _page(request: web.Request, batches: list[StoredBatch], after: str) -> tuple[list[StoredBatch], bool]:
    """One page of a list, and whether more follow."""
    ids = [batch.batch_id for batch in batches]
    start = ids.index(request.query[after]) + 1 if request.query.get(after) in ids else 0
    end = start + int(request.query.get("limit", "20"))
    return batches[start:end], end < len(batches)


def _missing(what: str) -> web.Response:
    body: dict[str, Any] = {"type": "error", "error": {"type": "not_found_error", "message": f"no such {what}"}}
    return web.json_response(body, status=404)


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
