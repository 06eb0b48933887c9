"""A shard's journal: calls appended as JSON lines and made durable in groups before their answers are used."""

import asyncio
import json
import os
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from programs.journal import CallRecord

_FIELDS = tuple(CallRecord.__slots__)


class ShardJournal:
    """Appends calls to one file; `record` returns once the line is on the disk.

    While one group is being synced the next one gathers, so the disk sets the pace: tens of calls for one fsync under
    load, and no waiting for company when idle. A torn last line, left by a crash, is ignored by the loader.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._waiting: list[tuple[bytes, asyncio.Future[None]]] = []
        self._wake = asyncio.Event()
        self._writer: asyncio.Task[None] | None = None
        self._closing = False

    async def __aenter__(self) -> Self:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._writer = asyncio.create_task(self._write())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing = True
        self._wake.set()
        if self._writer is not None:
            await self._writer

    async def record(self, call: CallRecord) -> None:
        """Return once the call is durable.

        Raises:
            OSError: the disk refused; the answer must not be used then.
        """
        line = json.dumps({name: getattr(call, name) for name in _FIELDS}, ensure_ascii=False).encode() + b"\n"
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((line, done))
        self._wake.set()
        await done

    async def _write(self) -> None:
        file: BinaryIO | None = None
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                group, self._waiting = self._waiting, []
                if group:
                    try:
                        file = file or _open(self._path)
                        await asyncio.to_thread(_append, file.fileno(), b"".join(line for line, _ in group))
                    except OSError as exc:
                        _settle(group, exc)
                    else:
                        _settle(group, None)
                if self._closing and not self._waiting:
                    return
        finally:
            if file is not None:
                file.close()


def _append(descriptor: int, data: bytes) -> None:
    """Write everything and sync."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
    os.fsync(descriptor)


def _open(path: Path) -> BinaryIO:
    """Open for appending, on a line of its own where an earlier run was torn off in the middle of one."""
    file = path.open("a+b", buffering=0)
    if file.seek(0, os.SEEK_END):
        file.seek(-1, os.SEEK_END)
        if file.read(1) != b"\n":
            file.write(b"\n")
    return file


def _settle(group: list[tuple[bytes, asyncio.Future[None]]], error: OSError | None) -> None:
    for _, done in group:
        if done.done():
            continue
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(error)
