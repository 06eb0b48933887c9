"""A shard's journal: calls appended as JSON lines and made durable in groups before their answers are used."""

import asyncio
import os
from pathlib import Path
from types import TracebackType
from typing import Self

import orjson

from demur.engine.progress import observer
from demur.levers.durable import sync_directory
from demur.programs.journal import CallRecord, KnownReply, Reply, read_logprobs
from demur.warehouse.units import KnownCall

_FIELDS = tuple(CallRecord.__slots__)


def known_reply(call: CallRecord | KnownCall) -> KnownReply:
    """Return the answer of a successful call, to be used instead of asking again."""
    counts = call.input_tokens, call.output_tokens, call.cached_tokens, call.reasoning_tokens
    reply = Reply(call.reply or "", call.finish_reason or "stop", *counts, logprobs=read_logprobs(call.logprobs))
    answerer = (call.role, call.model, call.fingerprint)
    return KnownReply(call.call_id, call.request_digest, call.attempt, reply, answerer)


def call_line(call: CallRecord) -> bytes:
    """Return a call as a line of a journal."""
    return orjson.dumps({name: getattr(call, name) for name in _FIELDS}, option=orjson.OPT_APPEND_NEWLINE)


class JournalError(OSError):
    """A call cannot be made durable, so its answer must not be used."""


class GroupJournal:
    """Appends calls in groups; `record` returns once the line is durable.

    While one group is being synced the next one gathers, so the disk sets the pace: tens of calls for one fsync under
    load, and no waiting for company when idle. After it has once refused, nothing more is taken.
    """

    error: type[JournalError] = JournalError

    def __init__(self, path: Path) -> None:
        self.path = path
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
        self._close()
        if cancelled is not None:
            raise cancelled

    async def record(self, call: CallRecord) -> None:
        """Return once the call is durable; cancelling the wait does not undo it.

        Raises:
            JournalError: the disk refused, or the journal is closed.
        """
        if self._closed:
            raise self.error(f"{self.path}: the journal is closed")
        line = call_line(call)
        durable: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((line, durable))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        await durable
        observer().paid(call.charged_usd or 0.0)

    async def _write(self) -> None:
        """Write group after group until none waits, and settle the future of every line."""
        while self._waiting:
            group = self._waiting
            self._waiting = []
            if self._refused is None:
                try:
                    await asyncio.to_thread(self._append, b"".join(line for line, _ in group))
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
            durable.set_exception(self.error(number, f"{why}; the journal takes no more", str(self.path)))

    def _append(self, data: bytes) -> None:
        """Make a group durable; runs in a thread."""
        raise NotImplementedError

    def _close(self) -> None:
        """Give back what appending took."""


class ShardJournal(GroupJournal):
    """A journal in a file. A torn last line, left by a crash, is no call and is cut off.

    What a failed fsync left behind is not known, so no line after it may be called durable.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._descriptor: int | None = None

    def _append(self, data: bytes) -> None:
        """Write everything and sync."""
        if self._descriptor is None:
            self._descriptor = _open(self.path)
        write_all(self._descriptor, data)
        os.fsync(self._descriptor)

    def _close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def write_all(descriptor: int, data: bytes) -> None:
    """Write everything, in as many parts as the system wants."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _open(path: Path) -> int:
    """Open for appending behind the last whole line; the file's name is durable too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        cut_torn_line(descriptor)
        sync_directory(path.parent)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def cut_torn_line(descriptor: int) -> None:
    """Cut off what follows the last line break: its answer was never used, and the next line must begin afresh."""
    end = os.fstat(descriptor).st_size
    at = end
    while at > 0:
        start = max(0, at - 65_536)
        found = os.pread(descriptor, at - start, start).rfind(b"\n")
        if found >= 0:
            at = start + found + 1
            break
        at = start
    if at < end:
        os.ftruncate(descriptor, at)
