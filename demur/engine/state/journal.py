"""The journal of a shard: one line per call, durable before the answer is used. One write can store many lines."""

import asyncio
import time
import uuid
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Self

import orjson

from demur.engine.progress import observer
from demur.engine.state.database import Database, Values
from demur.programs.journal import CallRecord, Finish, KnownReply, Reply, read_logprobs
from demur.warehouse.units import KnownCall

_FIELDS = tuple(CallRecord.__slots__)


def known_reply(call: CallRecord | KnownCall) -> KnownReply:
    """Return the answer of a successful call, for use in place of a new request."""
    counts = call.input_tokens, call.output_tokens, call.cached_tokens, call.reasoning_tokens
    logprobs = read_logprobs(call.logprobs)
    reply = Reply(
        call.reply or "", call.finish_reason or Finish.STOP, *counts, logprobs=logprobs, reasoning=call.reasoning
    )
    answerer = (call.role, call.model, call.fingerprint)
    return KnownReply(call.call_id, call.request_digest, reply, answerer)


def call_line(call: CallRecord) -> bytes:
    """Return a call as a line of a journal (JSON)."""
    return orjson.dumps({name: getattr(call, name) for name in _FIELDS}, option=orjson.OPT_APPEND_NEWLINE)


class JournalError(OSError):
    """A call cannot be made durable, so its answer must not be used."""


class UnreachableJournalError(JournalError, ConnectionError):
    """A call cannot be made durable because the database does not answer."""


class GroupJournal:
    """Appends calls in groups. A call is durable when `record` returns.

    New calls wait while a group is written; then they form the next group. After a failed write, the journal refuses
    further calls.
    """

    def __init__(self, database: Database, values: Values) -> None:
        self.path = Path(str(database))
        self._database = database
        self._error = UnreachableJournalError if database.several_machines else JournalError
        self._values = {**values, "opened": f"{time.time_ns():020d}-{uuid.uuid4().hex[:8]}"}
        self._numbers = count()
        self._waiting: list[tuple[bytes, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None
        self._refused: OSError | RuntimeError | None = None
        self._closed = True

    async def __aenter__(self) -> Self:
        self._closed = False
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closed = True
        cancelled: asyncio.CancelledError | None = None
        while self._writing is not None and not self._writing.done():
            try:
                await asyncio.shield(self._writing)
            except asyncio.CancelledError as exc:
                cancelled = exc
        if cancelled is not None:
            raise cancelled

    async def record(self, call: CallRecord) -> None:
        """Append a call, and wait until it is durable. If the wait is cancelled, the call is written nevertheless.

        Raises:
            JournalError: the write failed, or the journal is closed.
        """
        if self._closed:
            raise self._error(f"{self.path}: the journal is closed")
        line = call_line(call)
        durable: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((line, durable))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        await durable
        observer().paid(call.charged_usd or 0.0)

    async def _write(self) -> None:
        """Write groups until no call waits, and set the result or error of every call's future."""
        while self._waiting:
            group = self._waiting
            self._waiting = []
            if self._refused is None:
                lines = b"".join(line for line, _ in group)
                try:
                    values = {**self._values, "number": next(self._numbers), "lines": lines}
                    await asyncio.wrap_future(self._database.submit_write("record", values))
                except (OSError, RuntimeError) as exc:  # RuntimeError: the interpreter starts no more threads
                    self._refused = exc
            for _, durable in group:
                if not durable.done():
                    self._settle(durable)

    def _settle(self, durable: asyncio.Future[None]) -> None:
        if self._refused is None:
            durable.set_result(None)
        else:
            why = getattr(self._refused, "strerror", None) or self._refused
            number = getattr(self._refused, "errno", None)
            durable.set_exception(self._error(number, f"{why}; the journal takes no more", str(self.path)))
