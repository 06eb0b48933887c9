"""A stage's batches as files in the home, so that a batch outlives the process that sent it.

<batch>.json            the batch as it stands, replaced whenever something becomes known
<batch>.ids             what was asked in it, one id a line, written before it is sent
<batch>.results.jsonl   what came back, one line each, there whole or not at all
<digits>.lost           requests that may have been paid for and of which nothing came; these files stay
"""

import json
import os
import threading
import uuid
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from demur.flows.progress import observer
from demur.levers.durable import replace_durably, sync_directory
from demur.programs.batch_record import BatchRecord, BatchStatus, ResultPlace
from demur.warehouse.home import Home

FIRST_WORD_SECONDS: Final = 60.0
LONGEST_SILENCE_SECONDS: Final = 900.0
_RESULTS: Final = ".results.jsonl"
_LOST: Final = ".lost"


class StageBatches:
    """The batches of one stage of one round."""

    def __init__(self, home: Home, round_id: str, stage: str) -> None:
        self._folder = home.batches(round_id, stage)
        self._stage = stage
        self._lock = threading.Lock()
        self._next_word: dict[str, float] = {}

    def records(self, model: str | None = None) -> Sequence[BatchRecord]:
        """Return all batches of a model, or of the stage, oldest first."""
        found = [read_batch(path) for path in self._folder.glob("*.json")] if self._folder.is_dir() else []
        return sorted(
            (record for record in found if model is None or record.model == model),
            key=lambda record: (record.intended_at, record.batch_id),
        )

    def read(self, batch_id: str) -> BatchRecord:
        """Return one batch as it is written down now."""
        return read_batch(self._folder / f"{batch_id}.json")

    def request_ids(self, batch_id: str) -> Sequence[str]:
        """Return what was asked in a batch."""
        return (self._folder / f"{batch_id}.ids").read_text(encoding="ascii").split()

    def intend(self, record: BatchRecord, request_ids: Sequence[str]) -> None:
        """Write a batch down before it is sent."""
        self._folder.mkdir(parents=True, exist_ok=True)
        replace_durably(self._folder / f"{record.batch_id}.ids", ("\n".join(request_ids) + "\n").encode("ascii"))
        self.update(record)

    def update(self, record: BatchRecord) -> None:
        """Write the state of a batch down."""
        replace_durably(self._folder / f"{record.batch_id}.json", json.dumps(asdict(record), indent=1).encode() + b"\n")

    def add_lost(self, request_ids: Collection[str]) -> None:
        """Write down that nothing comes of requests that may have been paid for."""
        replace_durably(
            self._folder / f"{uuid.uuid4().hex}{_LOST}", ("\n".join(sorted(request_ids)) + "\n").encode("ascii")
        )

    def lost(self) -> Collection[str]:
        """Return the ids of all those requests; they outlive their batches."""
        return {name for path in self._folder.glob(f"*{_LOST}") for name in path.read_text("ascii").split()}

    def open_results(self, batch_id: str) -> "ResultFile":
        """Open the file of a batch's results."""
        return ResultFile(self._folder / f"{batch_id}{_RESULTS}", batch_id)

    def results(self, batch_id: str) -> Iterator[tuple[ResultPlace, bytes]]:
        """Yield the kept results of a batch."""
        start = 0
        with (self._folder / f"{batch_id}{_RESULTS}").open("rb") as file:
            for line in file:
                yield ResultPlace(batch_id, start, len(line)), line
                start += len(line)

    def result(self, place: ResultPlace) -> bytes:
        """Return one of them."""
        with (self._folder / f"{place.batch_id}{_RESULTS}").open("rb") as file:
            file.seek(place.start)
            return file.read(place.length)

    def report(self, record: BatchRecord, seconds: float) -> None:
        """Report the progress of a batch: after a minute, two, four, at last every quarter of an hour."""
        with self._lock:
            due = self._next_word.get(record.batch_id, FIRST_WORD_SECONDS if seconds >= FIRST_WORD_SECONDS else 0.0)
            if seconds < due:
                return
            self._next_word[record.batch_id] = seconds + min(max(seconds, FIRST_WORD_SECONDS), LONGEST_SILENCE_SECONDS)
        failed = f", {record.failed} failed" if record.failed else ""
        state = "being cancelled, " if record.status is BatchStatus.CANCELLING else ""
        observer().notice(
            f"{self._stage}: batch {record.shown_id} of {record.model}: {state}{record.done} of "
            f"{record.requests} requests done{failed}, waiting for {_duration(seconds)}"
        )

    def warn(self, message: str) -> None:
        """Report what costs money."""
        observer().notice(f"{self._stage}: {message}")

    def tidy(self) -> None:
        """Remove the files of batches that have ended, once all they brought has landed; their rows stay."""
        for record in self.records():
            if not record.status.is_open:
                for suffix in (".json", ".ids", _RESULTS):
                    (self._folder / f"{record.batch_id}{suffix}").unlink(missing_ok=True)


class ResultFile:
    """Takes the results of a batch, one line each; they are there once `commit` has returned, all or none."""

    def __init__(self, path: Path, batch_id: str) -> None:
        self._path, self._batch_id = path, batch_id
        self._start = 0
        self._draft = path.with_name(f".{path.name}-{os.getpid()}-{uuid.uuid4().hex[:8]}")
        self._file = self._draft.open("wb")

    def write(self, line: bytes) -> ResultPlace:
        """Append a line, given without its end; return its place."""
        place = ResultPlace(self._batch_id, self._start, self._file.write(line.rstrip(b"\n") + b"\n"))
        self._start += place.length
        return place

    def commit(self) -> None:
        """Keep what was taken."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        self._draft.replace(self._path)
        sync_directory(self._path.parent)

    def discard(self) -> None:
        """Delete what was appended, unless it was kept."""
        self._file.close()
        self._draft.unlink(missing_ok=True)


def read_batch(path: Path) -> BatchRecord:
    """Return the batch that a file describes."""
    known = json.loads(path.read_bytes())
    return BatchRecord(**{**known, "status": BatchStatus(known["status"])})


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"
