"""The record of calls outside rounds: one JSON object per line, durable before an answer is used."""

import asyncio
import fcntl
import json
import os
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from demur.engine.journal import JournalError, call_line, cut_torn_line, known_reply, write_all
from demur.errors import FlowError
from demur.levers.durable import sync_directory
from demur.programs.journal import CallRecord, KnownReply


class CallFile:
    """Calls in a file; what it holds is not asked again, so that work that ended early costs nothing twice.

    One process at a time has the file, so that no answer is bought twice. The lock is the operating system's and ends
    with the process. Event loops and threads of that process share the file.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, or make it.

        Raises:
            FlowError: another process has it, one of its lines is no call, or the disk refuses.
        """
        self.path = path
        self._writing = threading.Lock()
        self._syncing = threading.Lock()
        self._written = 0
        self._synced = 0
        self._refusal: str | None = None
        self._known: dict[str, KnownReply] = {}
        self._of_unit: defaultdict[str, list[KnownReply]] = defaultdict(list)
        self._descriptor: int | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            self._take_lock()
            self._read()
        except OSError as exc:
            self.close()
            raise FlowError(f"{path}: cannot be used ({exc.strerror}). Set DEMUR_HOME to a folder of yours") from exc
        except FlowError:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the file back; what is being written is written first, and nothing more is taken."""
        with self._writing, self._syncing:
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None

    def known(self, request_digest: str) -> KnownReply | None:
        """Return the recorded answer to a request, named by model and digest."""
        return self._known.get(request_digest)

    def of_unit(self, unit_id: str) -> tuple[KnownReply, ...]:
        """Return the recorded answers that a unit of work got, oldest first."""
        return tuple(self._of_unit.get(unit_id, ()))

    async def record(self, call: CallRecord) -> None:
        """Return once the call is on the disk; cancelling the wait does not undo it.

        Raises:
            JournalError: the disk refused, now or earlier, or the file is closed.
        """
        await asyncio.to_thread(self._append, call)

    def _append(self, call: CallRecord) -> None:
        """Write a line and sync; one sync serves all lines that were written while the one before it ran."""
        with self._writing, self._refusing():
            write_all(self._open_descriptor(), call_line(call))
            self._written += 1
            mine = self._written
        with self._syncing, self._refusing():
            if self._synced < mine:
                covered = self._written
                os.fsync(self._open_descriptor())
                self._synced = covered
        self._remember(call)

    def _open_descriptor(self) -> int:
        if self._refusal is not None or self._descriptor is None:
            raise JournalError(None, self._refusal or "the record of calls is closed", str(self.path))
        return self._descriptor

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """Take nothing more after a failure: what it left on the disk is not known."""
        try:
            yield
        except JournalError:
            raise
        except OSError as exc:
            self._refusal = f"{exc.strerror or exc}; the record of calls takes no more"
            raise JournalError(exc.errno, self._refusal, str(self.path)) from exc

    def _take_lock(self) -> None:
        try:
            fcntl.flock(self._open_descriptor(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as exc:
            raise FlowError(
                f"{self.path}: another process writes there: it asks the same model for the same purpose. Wait until "
                "it has ended, or set DEMUR_HOME to another folder"
            ) from exc

    def _read(self) -> None:
        cut_torn_line(self._open_descriptor())
        sync_directory(self.path.parent)
        for number, line in enumerate(self.path.read_bytes().split(b"\n")[:-1], start=1):
            try:
                self._remember(CallRecord(**json.loads(line)))
            except (ValueError, TypeError) as exc:
                raise FlowError(
                    f"{self.path}:{number}: is no recorded call ({exc}). Take the line out: what it held is asked "
                    "again, and all other answers are kept"
                ) from exc

    def _remember(self, call: CallRecord) -> None:
        if call.status != "ok" or call.reply is None:
            return
        known = known_reply(call)
        self._of_unit[call.unit_id].append(known)
        self._known.setdefault(f"{call.model}:{call.request_digest}", known)
