"""A write-ahead store of readers' marks. Each mark is on disk at once, and batches go to the warehouse."""

import fcntl
import json
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final
from uuid import uuid4

from demur.errors import OURS
from demur.reports.audits.marks import ReaderMark, record_marks
from demur.warehouse.home import Home

SETTLE_SECONDS: Final = 3.0
"""Delay of publication after a mark, so that marks in quick succession are published together."""
RETRY_SECONDS: Final = 15.0
FOLDER: Final = "pending_marks"


class MarkStore:
    """Takes readers' marks without delay, and writes them to the warehouse in the background.

    Marks that are not in the warehouse yet are pending. Pending marks are in a file that this process locks. If the
    process is killed, the next explorer writes the marks of this file to the warehouse.
    """

    def __init__(self, home: Home) -> None:
        self._home = home
        self._lock = threading.Lock()
        self._flushing = threading.Lock()
        self._wanted = threading.Event()
        self._closed = threading.Event()
        self._pending: list[ReaderMark] = []
        self._file: Path | None = None
        self._held = ExitStack()
        self.problem: str | None = None

    def add(self, mark: ReaderMark) -> None:
        """Add a mark; the mark is on disk when the call returns."""
        with self._lock:
            if self._file is None:
                self._open()
            self._write([*self._pending, mark])
            self._pending.append(mark)
        self._wanted.set()

    def pending(self) -> list[ReaderMark]:
        """Return the pending marks: for each reader and item the newest mark."""
        with self._lock:
            return _newest(self._pending)

    def flush(self) -> None:
        """Write pending marks, and marks of killed explorers, to the warehouse, and publish the warehouse.

        Raises:
            FlowError, WarehouseError: the warehouse cannot be written now. The marks stay pending.
        """
        with self._flushing:
            with self._lock:
                batch = list(self._pending)
            with _left_behind(self._home) as found:
                if not batch and not found:
                    return
                record_marks(self._home, _newest([*found, *batch]))
            with self._lock:
                self._pending = self._pending[len(batch) :]
                if self._file is not None:
                    self._write(self._pending)

    def close(self) -> None:
        """Store pending marks and stop the background thread."""
        self._closed.set()
        self._wanted.set()
        try:
            self.flush()
        finally:
            self._held.close()
            if self._file is not None and not self._pending:
                self._file.unlink(missing_ok=True)

    def _open(self) -> None:
        folder = self._home.root / FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{os.getpid()}-{uuid4().hex[:8]}.jsonl"
        handle = self._held.enter_context(path.with_suffix(".lock").open("w"))
        self._held.callback(path.with_suffix(".lock").unlink, missing_ok=True)
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._file = path
        threading.Thread(target=self._work, name="marks", daemon=True).start()

    def _work(self) -> None:
        while not self._closed.is_set():
            self._wanted.wait()
            self._wanted.clear()
            if self._closed.wait(SETTLE_SECONDS):
                return
            try:
                self.flush()
                self.problem = None
            except OURS as exc:
                self.problem = str(exc)
                self._wanted.set()
                self._closed.wait(RETRY_SECONDS)

    def _write(self, marks: Sequence[ReaderMark]) -> None:
        assert self._file is not None
        draft = self._file.with_suffix(".draft")
        with draft.open("w", encoding="utf-8") as file:
            file.writelines(one.model_dump_json() + "\n" for one in marks)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._file)


def _newest(marks: Sequence[ReaderMark]) -> list[ReaderMark]:
    return list({(one.round_id, one.reader, one.item.item_id): one for one in marks}.values())


@contextmanager
def _left_behind(home: Home) -> Iterator[list[ReaderMark]]:
    """Yield the marks of killed explorers. Delete their files if the `with` block ends without an error."""
    with ExitStack() as held:
        found = []
        files = []
        for path in sorted((home.root / FOLDER).glob("*.jsonl")):
            lock = path.with_suffix(".lock")
            try:
                fcntl.flock(held.enter_context(lock.open("a")), fcntl.LOCK_EX | fcntl.LOCK_NB)
                lines = path.read_text(encoding="utf-8").splitlines()
            except OSError:  # its explorer is running or has just ended
                continue
            found += [ReaderMark.model_validate(json.loads(line)) for line in lines]
            files += [path, lock]
        yield found
        for path in files:
            path.unlink(missing_ok=True)
