"""Files and batches of a simulated provider, and the HTTP pages of OpenAI and Anthropic for them."""

import asyncio
import json
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from aiohttp import web

from demur.lanes.simulator.behaviour import SimulatedOutcome, SimulatorEngine
from demur.lanes.simulator.faults import BROKEN, STATUS, FaultPlan, OddAnswer, SimulatedRequest, SimulatorFault
from demur.lanes.simulator.wire import AnthropicWire, Body, OpenAIWire, Wire, error_message

# Files and batches of a simulated provider, and answers that do not match a provider's interface.


# Answers that do not match a provider's interface, as faulty proxies, servers and models send them.


TOO_DEEP: Final = '{"error": ' + "[" * 20_000 + "]" * 20_000 + "}"
"""JSON nested deeper than parsers accept."""
_TOO_MANY_TOKENS: Final = 2**70


def misshapen(body: Body, fault: SimulatorFault | None) -> str:
    """Return an answer as JSON text, spoiled in the way that `fault` names."""
    if fault is SimulatorFault.NESTED:
        return TOO_DEEP
    if fault is SimulatorFault.NOT_THE_INTERFACE:
        body = {"choices": "none", "content": 7, "usage": "free"}
    if fault is SimulatorFault.NO_USAGE:
        body = {name: value for name, value in body.items() if name != "usage"}
    if fault is SimulatorFault.HUGE_USAGE:
        body = {**body, "usage": dict.fromkeys(body["usage"], _TOO_MANY_TOKENS)}
    if fault is SimulatorFault.REFUSAL_NO_TEXT and "choices" in body:
        message = {"role": "assistant", "content": None, "refusal": {"reasons": ["it depends"]}}
        body = {**body, "choices": [{**body["choices"][0], "message": message}]}
    elif fault is SimulatorFault.REFUSAL_NO_TEXT:
        body = {**body, "content": [{"type": "text", "text": {"parts": []}}], "stop_reason": "refusal"}
    return json.dumps(body)


async def broken_answer(request: web.Request, text: str, fault: SimulatorFault | None) -> web.StreamResponse | None:
    """Return a response that cannot be read; None if `fault` leaves the response readable."""
    if fault is SimulatorFault.HANGING:
        await asyncio.sleep(3600)
    if fault is SimulatorFault.NOT_JSON:
        return web.Response(text="<html><body>Bad gateway</body></html>", content_type="text/html")
    if fault in (SimulatorFault.NOT_THE_INTERFACE, SimulatorFault.NESTED, SimulatorFault.REFUSAL_NO_TEXT):
        return web.json_response(text=text)
    if fault is SimulatorFault.DROPPED and request.transport:
        request.transport.abort()
        return web.Response()
    if fault is SimulatorFault.TRUNCATED:
        return await torn(request, web.Response(text=text, content_type="application/json"))
    return None


async def torn(request: web.Request, answer: web.Response) -> web.StreamResponse:
    """Send half of a response, then close the connection."""
    data = answer.body if isinstance(answer.body, bytes) else b""
    response = web.StreamResponse(headers={"Content-Length": str(len(data)), "Content-Type": answer.content_type})
    await response.prepare(request)
    await response.write(data[: len(data) // 2])
    if request.transport:
        request.transport.close()
    return response


# Files and batches of a simulated provider, and the request handlers that both providers share.
#
# In a batch, a fault with an HTTP status becomes a failed entry. A broken connection becomes an expired entry.
# Answers with other faults are the same as outside of a batch.


Page = Callable[[web.Request], Awaitable[web.Response]]
Guarded = Callable[[web.Request], Awaitable[web.StreamResponse]]
DAY_SECONDS: Final = 86_400
LINES: Final = "application/x-jsonl"
"""The content type of results."""
_DEEP: Final = 100_000


class Fate(StrEnum):
    """Outcomes of an entry of a batch."""

    SUCCEEDED = "succeeded"
    ERRORED = "errored"
    EXPIRED = "expired"
    CANCELLED = "canceled"


@dataclass(frozen=True, slots=True)
class BatchEntry:
    """One request of a batch: its id, and its JSON body."""

    custom_id: str
    raw: bytes


@dataclass(slots=True)
class StoredBatch:
    """A batch at the provider; `results` has the finished results, in the order of the entries."""

    batch_id: str
    wire: Wire
    entries: list[BatchEntry]
    created: float
    metadata: dict[str, str] = field(default_factory=dict)
    input_file: str = ""
    results: list[tuple[Fate, SimulatedOutcome | None]] = field(default_factory=list)
    cancelled: bool = False
    ended: float | None = None
    problem: str | None = None
    forgotten: bool = False

    def counts(self) -> Counter[Fate]:
        """Return the number of ended entries by outcome."""
        return Counter(fate for fate, _ in self.results)

    def ended_entries(self) -> Iterator[tuple[BatchEntry, Fate, SimulatedOutcome | None]]:
        """Yield entries with their outcomes."""
        for entry, (fate, outcome) in zip(self.entries, self.results, strict=True):
            yield entry, fate, outcome


class SimulatedBatches:
    """Keeps files and batches in memory, and works on batches in the background."""

    def __init__(self, engine: SimulatorEngine) -> None:
        self.engine = engine
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, StoredBatch] = {}
        self.control_plan: FaultPlan | None = None
        """Faults of requests about batches.

        Faults are HTTP statuses (404 only for existing batches and files), connections that drop before (DROPPED) or
        after (TRUNCATED) the provider has acted, results that end early (LINES_MISSING), and FORGOTTEN batches.
        """
        self._calls: Counter[str] = Counter()
        self._tasks: set[asyncio.Task[None]] = set()

    def keep_file(self, data: bytes) -> str:
        """Store a file, and return its id."""
        file_id = f"file-{len(self.files) + 1}"
        self.files[file_id] = data
        return file_id

    def submit(self, batch: StoredBatch, key: str) -> None:
        """Accept a batch, and start to work on it."""
        self.batches[batch.batch_id] = batch
        self.engine.counts.batches += 1
        ids = [entry.custom_id for entry in batch.entries]
        if len(set(ids)) != len(ids):
            batch.problem, batch.ended = "a custom_id stands more than once", time.time()
            return
        task = asyncio.create_task(self._work(batch, key))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def batch(self, request: web.Request) -> StoredBatch | None:
        """Return the batch that a request names; None if the provider does not show the batch."""
        batch = self.batches.get(request.match_info["id"])
        return batch if batch is not None and self._is_known(batch) else None

    def newest(self, wire: type[Wire]) -> list[StoredBatch]:
        """Return all known batches of a provider, newest first."""
        found = (batch for batch in reversed(self.batches.values()) if isinstance(batch.wire, wire))
        return [batch for batch in found if self._is_known(batch)]

    def _is_known(self, batch: StoredBatch) -> bool:
        return not batch.forgotten and time.time() >= batch.created + self.engine.config.batch_unknown_seconds

    async def _work(self, batch: StoredBatch, key: str) -> None:
        seconds = self.engine.config.batch_seconds
        for number, entry in enumerate(batch.entries):
            due = batch.created + seconds * (number + 1) / len(batch.entries)
            while not batch.cancelled and time.time() < due:
                await asyncio.sleep(min(0.1, max(0.0, due - time.time())))
            if batch.cancelled:
                batch.results.append((Fate.CANCELLED, None))
                continue
            outcome, _ = self.engine.outcome(batch.wire, entry.raw, key, batch=True)
            fate = Fate.SUCCEEDED if outcome.answered else Fate.ERRORED
            if outcome.answered and outcome.fault in BROKEN:
                fate = Fate.EXPIRED
            if fate is Fate.SUCCEEDED:
                self.engine.delivered(batch.wire, entry.raw, outcome)
            batch.results.append((fate, outcome))
            await asyncio.sleep(0)
        batch.ended = time.time()

    def guarded(self, page: Page, wire: Wire) -> Guarded:
        """Return a request handler that calls `page`, and adds the faults that `control_plan` chooses."""

        async def handle(request: web.Request) -> web.StreamResponse:
            fault = self._fault(f"{request.method} {request.path}")
            created = request.match_info.get("id")
            if fault is SimulatorFault.FORGOTTEN and created in self.batches:
                self.batches[created].forgotten = True
            if fault in STATUS and (fault is not SimulatorFault.NOT_FOUND or created is not None):
                body = wire.error(fault, error_message(fault, wire.key(request.headers)))
                return web.json_response(body, status=STATUS[fault], headers={"Retry-After": "0"})
            if fault is SimulatorFault.DROPPED and request.transport:
                request.transport.abort()
                return web.Response()
            answer = await page(request)
            if fault is SimulatorFault.LINES_MISSING and answer.content_type == LINES:
                lines = bytes(answer.body).splitlines(keepends=True) if isinstance(answer.body, bytes) else []
                answer.body = b"".join(lines[: len(lines) // 2])
            return await torn(request, answer) if fault is SimulatorFault.TRUNCATED else answer

        return handle

    def _fault(self, what: str) -> SimulatorFault | None:
        if self.control_plan is None:
            return None
        self._calls[what] += 1
        fault = self.control_plan(SimulatedRequest(self._calls.total(), what, self._calls[what], "", "", {}))
        return None if isinstance(fault, OddAnswer) else fault


def one_page(request: web.Request, batches: list[StoredBatch], after: str) -> tuple[list[StoredBatch], bool]:
    """Return one page of a list of batches, and whether another page follows."""
    ids = [batch.batch_id for batch in batches]
    start = ids.index(request.query[after]) + 1 if request.query.get(after) in ids else 0
    end = start + int(request.query.get("limit", "20"))
    return batches[start:end], end < len(batches)


def result_line(line: Body, outcome: SimulatedOutcome | None) -> bytes:
    """Return a line of results as UTF-8."""
    text = json.dumps(line, ensure_ascii=False)
    fault = outcome.fault if outcome is not None else None
    if fault is SimulatorFault.BAD_LINE:
        text = text[: len(text) // 2]
    if fault is SimulatorFault.NESTED_LINE:
        text = f'{text[:-1]}, "input": {"[" * _DEEP}{"]" * _DEEP}}}'
    return text.encode() + b"\n"


def missing(what: str) -> web.Response:
    """Return the response for something that does not exist."""
    body: dict[str, Any] = {"type": "error", "error": {"type": "not_found_error", "message": f"no such {what}"}}
    return web.json_response(body, status=404)


class BatchPages(ABC):
    """The pages of one provider's batches."""

    wire: Wire
    path: str
    after: str
    """The query parameter that names the last batch of the previous page."""

    def __init__(self, store: SimulatedBatches) -> None:
        self._store = store

    def routes(self) -> list[web.RouteDef]:
        """Return the routes of all pages."""
        return [web.route(method, at, self._store.guarded(page, self.wire)) for method, at, page in self.pages()]

    def pages(self) -> list[tuple[str, str, Page]]:
        """Return method, path and function of each page."""
        return [
            ("POST", self.path, self.create),
            ("GET", self.path, self._list),
            ("GET", f"{self.path}/{{id}}", self._retrieve),
            ("POST", f"{self.path}/{{id}}/cancel", self._cancel),
        ]

    @abstractmethod
    async def create(self, request: web.Request) -> web.Response:
        """Take a batch, and answer with its state."""

    @abstractmethod
    def body(self, batch: StoredBatch, request: web.Request) -> Body:
        """Return the state of a batch as JSON."""

    def shown(self, batch: StoredBatch, request: web.Request) -> web.Response:
        """Return the page of a batch."""
        return web.json_response(self.body(batch, request))

    async def _list(self, request: web.Request) -> web.Response:
        data, more = one_page(request, self._store.newest(type(self.wire)), self.after)
        body = [self.body(batch, request) for batch in data]
        ends = {"first_id": body[0]["id"] if body else None, "last_id": body[-1]["id"] if body else None}
        return web.json_response({"object": "list", "data": body, **ends, "has_more": more})

    async def _retrieve(self, request: web.Request) -> web.Response:
        batch = self._store.batch(request)
        return missing("batch") if batch is None else self.shown(batch, request)

    async def _cancel(self, request: web.Request) -> web.Response:
        batch = self._store.batch(request)
        if batch is None:
            return missing("batch")
        batch.cancelled = batch.cancelled or batch.ended is None
        return self.shown(batch, request)


# The HTTP pages of OpenAI and Anthropic for batches: submission, state, cancellation, results.


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
