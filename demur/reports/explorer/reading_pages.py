"""Readers' marks in the explorer: the next item to read, and a write-ahead store of marks."""

import fcntl
import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from uuid import uuid4

from pydantic import Field, StringConstraints, field_validator

from demur.errors import OURS, FlowError
from demur.levers.lever_models import Strict
from demur.levers.vocabulary import AuditCriterion
from demur.reports.audits.marks import MarkedItem, ReaderMark, record_marks
from demur.warehouse.home import Home
from demur.warehouse.results.snapshots import Snapshot

# A write-ahead store of readers' marks. Each mark is on disk at once, and batches go to the warehouse.


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


# Readers' marks in the explorer: the next item to read, existing marks, storing of marks.


Mark = Literal["pass", "fail", ""]
_VALUES: Final = {"pass": True, "fail": False, "": None}
ADJUDICATION: Final = " (adjudication)"
"""Suffix of the reader's name for marks of an adjudicator; the views of audits use it."""


class Reader(Strict):
    """The form with the reader's name."""

    reader: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=150)]

    @field_validator("reader")
    @classmethod
    def _is_no_adjudication(cls, name: str) -> str:
        if name.endswith(ADJUDICATION.strip()):
            raise ValueError(f"a reader's name cannot end in {ADJUDICATION.strip()}")
        return name


class Marks(Strict):
    """The form of an item: five criteria, a note, the next page, and whether the reader adjudicates."""

    lever_fidelity: Mark = ""
    intensity_achieved: Mark = ""
    uncertainty_induced: Mark = ""
    linguistic_soundness: Mark = ""
    ground_truth_alignment: Mark = ""
    note: Annotated[str, Field(max_length=4_000)] = ""
    then: Literal["stay", "next"] = "stay"
    adjudicates: Literal["", "yes"] = ""


@dataclass(frozen=True, slots=True)
class Queue:
    """A reader's progress.

    `items` is the number of perturbed items of the round. `read` is the number of items that the reader marked on all
    criteria. `following` is the id of the next item to read, or None if there is no such item.
    """

    items: int
    read: int
    following: str | None


class Marking:
    """The current marks of one home, published and pending.

    `newest` is a function that returns a snapshot of the current published copy.
    """

    def __init__(self, store: MarkStore, newest: Callable[[], Snapshot]) -> None:
        self._store = store
        self._pending = store.pending()  # before the copy, so that no mark is missed
        self._snapshot = newest()

    def _of_round(self, round_id: str) -> list[ReaderMark]:
        return [one for one in self._pending if one.round_id == round_id]

    def of_item(self, round_id: str, item_id: str) -> dict[str, dict[str, Any]]:
        """Return the marks on an item by reader."""
        found = {row["reader"]: row for row in self._snapshot.rows("audit_marks", round=round_id, id=item_id)}
        for one in self._of_round(round_id):
            if one.item.item_id == item_id:
                found[one.reader] = _row(one)
        return {reader: row for reader, row in found.items() if row["note"] or _marked(row)}

    def queue(self, round_id: str, reader: str, after: str | None = None) -> Queue:
        """Return a reader's progress.

        The next item is the first one in the random order that the reader has not marked completely. The item `after`
        is skipped.
        """
        rows = self._snapshot.rows("audit_queue", round=round_id, reader=reader)
        marked = {row["item_id"]: row["marked"] for row in rows}
        for one in self._of_round(round_id):
            if one.reader == reader and one.item.item_id in marked:
                marked[one.item.item_id] = len(_marked(_row(one)))
        unread = [item_id for item_id, number in marked.items() if number < len(AuditCriterion)]
        following = next((item_id for item_id in unread if item_id != after), None)
        return Queue(len(marked), len(marked) - len(unread), following)

    def store(self, round_id: str, item_id: str, reader: str, marks: Marks) -> None:
        """Store a reader's marks on an item.

        An item that the reader picked outside the random order does not count for pass rates.

        Raises:
            FlowError: the round has no such perturbed item.
        """
        rows = self._snapshot.rows("audit_queue", round=round_id, reader=reader)
        if item_id not in {row["item_id"] for row in rows}:
            raise FlowError(f"round {round_id} has no perturbed item '{item_id}' that can be marked")
        own = self.of_item(round_id, item_id)
        if marks.adjudicates:
            reader = f"{reader}{ADJUDICATION}"
            picked = True
        elif reader in own:
            picked = bool(own[reader]["suspected"])
        else:
            touched = {one.item.item_id for one in self._of_round(round_id) if one.reader == reader}
            drawn = next((row["item_id"] for row in rows if not row["touched"] and row["item_id"] not in touched), None)
            picked = item_id != drawn
        given = {criterion: _VALUES[getattr(marks, criterion.value)] for criterion in AuditCriterion}
        item = MarkedItem(item_id=item_id, criteria=given, note=marks.note or None, suspected=picked)
        self._store.add(ReaderMark(round_id=round_id, reader=reader, item=item))

    def differences(self, round_id: str) -> list[dict[str, Any]]:
        """Return the items on which readers differ, with all marks; adjudicated items come last."""
        found: dict[str, dict[str, dict[str, Any]]] = {}
        for row in self._snapshot.rows("audit_marks", round=round_id):
            found.setdefault(row["item_id"], {})[row["reader"]] = row
        for one in self._of_round(round_id):
            found.setdefault(one.item.item_id, {})[one.reader] = _row(one)
        listed = []
        for item_id, by_reader in found.items():
            readings = {name: row for name, row in by_reader.items() if not name.endswith(ADJUDICATION)}
            criteria = [name for name in AuditCriterion if len({row[name] for row in readings.values()} - {None}) > 1]
            if criteria:
                decided = len(readings) < len(by_reader)
                listed.append({"id": item_id, "criteria": criteria, "readings": readings, "decided": decided})
        return sorted(listed, key=lambda row: (row["decided"], row["id"]))


def _row(mark: ReaderMark) -> dict[str, Any]:
    criteria = {criterion.value: mark.item.criteria.get(criterion) for criterion in AuditCriterion}
    return {
        "item_id": mark.item.item_id,
        "reader": mark.reader,
        **criteria,
        "note": mark.item.note,
        "suspected": mark.item.suspected,
    }


def _marked(row: Mapping[str, Any]) -> list[str]:
    return [criterion for criterion in AuditCriterion if row[criterion.value] is not None]
