"""A stage's batches as files in the home, or in a database, so that a batch outlives the process that sent it.

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

from demur.engine.progress import observer
from demur.levers.durable import replace_durably, sync_directory
from demur.programs.batch_record import BatchRecord, BatchStatus, ResultPlace
from demur.warehouse.home import Home

FIRST_WORD_SECONDS: Final = 60.0
LONGEST_SILENCE_SECONDS: Final = 900.0
_RESULTS: Final = ".results.jsonl"
_LOST: Final = ".lost"


class Files:
    """Where a stage's batches are kept, by name: a folder. What is written is durable, there whole or not at all."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def names(self, suffix: str) -> list[str]:
        """Return the names that end so."""
        return [path.name for path in self._path.glob(f"*{suffix}")] if self._path.is_dir() else []

    def read(self, name: str) -> bytes:
        """Return what a file holds."""
        return (self._path / name).read_bytes()

    def part(self, name: str, start: int, length: int) -> bytes:
        """Return so many bytes of it."""
        with (self._path / name).open("rb") as file:
            file.seek(start)
            return file.read(length)

    def lines(self, name: str) -> Iterator[bytes]:
        """Yield its lines."""
        with (self._path / name).open("rb") as file:
            yield from file

    def write(self, name: str, data: bytes) -> None:
        """Write a file in place of the one that is there."""
        replace_durably(self._path / name, data)

    def draft(self, name: str) -> Path:
        """Return where a long file is written first."""
        return self._path / f".{name}-{os.getpid()}-{uuid.uuid4().hex[:8]}"

    def keep(self, draft: Path, name: str) -> None:
        """Take a draft, which is on the disk, as the file."""
        draft.replace(self._path / name)
        sync_directory(self._path)

    def delete(self, name: str) -> None:
        """Delete a file, if there is one."""
        (self._path / name).unlink(missing_ok=True)


class StageBatches:
    """The batches of one stage of one round, in the home unless other files are given."""

    def __init__(self, home: Home, round_id: str, stage: str, files: Files | None = None) -> None:
        self._here = Files(home.batches(round_id, stage))
        self._files = files or self._here
        self._stage = stage
        self._lock = threading.Lock()
        self._next_word: dict[str, float] = {}

    def records(self, model: str | None = None) -> Sequence[BatchRecord]:
        """Return all batches of a model, or of the stage, oldest first."""
        found = [self.read(name.removesuffix(".json")) for name in self._files.names(".json")]
        return sorted(
            (record for record in found if model is None or record.model == model),
            key=lambda record: (record.intended_at, record.batch_id),
        )

    def read(self, batch_id: str) -> BatchRecord:
        """Return one batch as it is written down now."""
        return _batch_of(self._files.read(f"{batch_id}.json"))

    def request_ids(self, batch_id: str) -> Sequence[str]:
        """Return what was asked in a batch."""
        return self._files.read(f"{batch_id}.ids").decode("ascii").split()

    def intend(self, record: BatchRecord, request_ids: Sequence[str]) -> None:
        """Write a batch down before it is sent."""
        self._files.write(f"{record.batch_id}.ids", ("\n".join(request_ids) + "\n").encode("ascii"))
        self.update(record)

    def update(self, record: BatchRecord) -> None:
        """Write the state of a batch down."""
        self._files.write(f"{record.batch_id}.json", json.dumps(asdict(record), indent=1).encode() + b"\n")

    def add_lost(self, request_ids: Collection[str]) -> None:
        """Write down that nothing comes of requests that may have been paid for."""
        self._files.write(f"{uuid.uuid4().hex}{_LOST}", ("\n".join(sorted(request_ids)) + "\n").encode("ascii"))

    def lost(self) -> Collection[str]:
        """Return the ids of all those requests; they outlive their batches."""
        return {one for name in self._files.names(_LOST) for one in self._files.read(name).decode("ascii").split()}

    def open_results(self, batch_id: str) -> "ResultFile":
        """Open the file of a batch's results."""
        return ResultFile(self._files, batch_id)

    def results(self, batch_id: str) -> Iterator[tuple[ResultPlace, bytes]]:
        """Yield the kept results of a batch."""
        start = 0
        for line in self._files.lines(f"{batch_id}{_RESULTS}"):
            yield ResultPlace(batch_id, start, len(line)), line
            start += len(line)

    def result(self, place: ResultPlace) -> bytes:
        """Return one of them."""
        return self._files.part(f"{place.batch_id}{_RESULTS}", place.start, place.length)

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
                    self._files.delete(f"{record.batch_id}{suffix}")
                    self._here.delete(f"{record.batch_id}{suffix}")

    def bring(self) -> None:
        """Write down here what the loader reads, where batches are kept elsewhere."""
        for name in self._files.names(".json"):
            self._here.write(name, self._files.read(name))


class ResultFile:
    """Takes the results of a batch, one line each; they are there once `commit` has returned, all or none."""

    def __init__(self, files: Files, batch_id: str) -> None:
        self._files = files
        self._batch_id = batch_id
        self._start = 0
        self._draft = files.draft(f"{batch_id}{_RESULTS}")
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
        self._files.keep(self._draft, f"{self._batch_id}{_RESULTS}")

    def discard(self) -> None:
        """Delete what was appended, unless it was kept."""
        self._file.close()
        self._draft.unlink(missing_ok=True)


def read_batch(path: Path) -> BatchRecord:
    """Return the batch that a file describes."""
    return _batch_of(path.read_bytes())


def _batch_of(data: bytes) -> BatchRecord:
    known = json.loads(data)
    return BatchRecord(**{**known, "status": BatchStatus(known["status"])})


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"
