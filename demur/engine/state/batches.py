"""A stage's batches with their requests and results. Batches outlive the process that sent them."""

import json
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import asdict
from functools import partial
from typing import Any, Final

from demur.engine.logs import observer
from demur.engine.progress_events import Quoting
from demur.engine.state.database import Database, Transaction, Values
from demur.programs.batch_record import BatchRecord, BatchStatus, ResultPlace

FIRST_WORD_SECONDS: Final = 60.0
LONGEST_SILENCE_SECONDS: Final = 900.0
PART_BYTES: Final = 4_000_000
"""Approximate size of one row of a batch's results."""


class StageBatches:
    """The batches of one stage of one round. Writes are durable and atomic."""

    def __init__(self, database: Database, values: Mapping[str, Any]) -> None:
        self._database = database
        self._values = values
        self._stage = str(values["stage"])
        self._lock = threading.Lock()
        self._next_word: dict[str, float] = {}

    def records(self, model: str | None = None) -> Sequence[BatchRecord]:
        """Return the batches of a model in the stage, oldest first; None means the batches of all models."""
        return [one for one in records_of(self._read("batches")) if model is None or one.model == model]

    def read(self, batch_id: str) -> BatchRecord:
        """Return the stored record of a batch."""
        [(record, _, _)] = self._read("batch", batch_id=batch_id)
        return record_of(record)

    def request_ids(self, batch_id: str) -> Sequence[str]:
        """Return the ids of a batch's requests."""
        [(_, request_ids, _)] = self._read("batch", batch_id=batch_id)
        return str(request_ids).split()

    def intend(self, record: BatchRecord, request_ids: Sequence[str]) -> None:
        """Store a batch before it is sent."""
        self._write("intend_batch", **_row(record), request_ids="\n".join(request_ids))

    def update(self, record: BatchRecord) -> None:
        """Store the new state of a batch."""
        self._write("update_batch", **_row(record))

    def add_lost(self, request_ids: Collection[str]) -> None:
        """Store the ids of lost requests: requests without an answer that the provider may have billed."""
        rows = [{**self._values, "request_id": one} for one in sorted(request_ids)]
        with self._database.explained():
            self._database.transact(lambda transaction: transaction.run_each("add_lost", rows))

    def lost(self) -> Collection[str]:
        """Return the ids of all lost requests, also of requests whose batches were deleted."""
        return {str(one) for (one,) in self._read("lost")}

    def open_results(self, batch_id: str) -> "ResultRows":
        """Return a writer for the results of a batch."""
        return ResultRows(self._database, {**self._values, "batch_id": batch_id})

    def results(self, batch_id: str) -> Iterator[tuple[ResultPlace, bytes]]:
        """Yield the stored results of a batch as (place, line)."""
        for (start,) in self._read("result_starts", batch_id=batch_id):
            [(content,)] = self._read("results_part", batch_id=batch_id, start=start)
            for line in bytes(content).splitlines(keepends=True):
                yield ResultPlace(batch_id, start, len(line)), line
                start += len(line)

    def result(self, place: ResultPlace) -> bytes:
        """Return the line of one stored result."""
        [(content,)] = self._read("result", batch_id=place.batch_id, start=place.start, length=place.length)
        return bytes(content)

    def report(self, record: BatchRecord, seconds: float) -> None:
        """Report the progress of a batch that has been waited for `seconds`, if a report is due.

        The time between reports grows from one minute to a quarter of an hour.
        """
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

    def warn(self, message: str, quoted: str) -> None:
        """Report a problem that costs money, with a quotation of the provider."""
        observer().notice(Quoting(f"{self._stage}: {message}", quoted))

    def tidy(self) -> None:
        """Delete ended batches after all their results have landed. Their rows in the warehouse stay."""
        ended = [{**self._values, "batch_id": one.batch_id} for one in self.records() if not one.status.is_open]

        def delete(transaction: Transaction) -> None:
            transaction.run_each("delete_results", ended)
            transaction.run_each("delete_batch", ended)

        if ended:
            with self._database.explained():
                self._database.transact(delete)

    def _read(self, statement: str, **values: object) -> list[tuple[Any, ...]]:
        with self._database.explained():
            return self._database.read(statement, {**self._values, **values})

    def _write(self, statement: str, **values: object) -> None:
        with self._database.explained():
            self._database.write(statement, {**self._values, **values})


class ResultRows:
    """Writes the results of a batch, one line for each result. Without a `commit`, no result is stored.

    Lines are written in parts, which are invisible until `commit`. Uncommitted parts are deleted when the results of
    the batch are written again, or when the batch is deleted.
    """

    def __init__(self, database: Database, values: Values) -> None:
        self._database = database
        self._values = values
        self._start = 0
        self._lines: list[bytes] = []
        self._bytes = 0
        self._writing: list[Future[Any]] = []
        with database.explained():
            database.transact(partial(_delete_results, values))

    def write(self, line: bytes) -> ResultPlace:
        """Add a line, with or without a line end; return the place of the line."""
        whole = line.rstrip(b"\n") + b"\n"
        place = ResultPlace(str(self._values["batch_id"]), self._start + self._bytes, len(whole))
        self._lines.append(whole)
        self._bytes += len(whole)
        if self._bytes >= PART_BYTES:
            self._write_part()
        return place

    def commit(self) -> None:
        """Store all lines."""
        if self._lines:
            self._write_part()
        with self._database.explained():
            for part in self._writing:
                part.result()
            self._database.write("keep_results", {**self._values, "results_bytes": self._start})

    def _write_part(self) -> None:
        part = {**self._values, "start": self._start, "content": b"".join(self._lines)}
        self._start += self._bytes
        self._lines = []
        self._bytes = 0
        self._writing.append(self._database.submit_write("add_results", part))


def _delete_results(values: Values, transaction: Transaction) -> None:
    transaction.run("keep_results", {**values, "results_bytes": None})
    transaction.run("delete_results", values)


def records_of(rows: Sequence[tuple[Any, ...]]) -> list[BatchRecord]:
    """Return the batch records of rows, oldest first."""
    return sorted((record_of(row[0]) for row in rows), key=lambda record: (record.intended_at, record.batch_id))


def record_of(text: str) -> BatchRecord:
    """Return the batch record for its JSON text."""
    known = json.loads(text)
    return BatchRecord(**{**known, "status": BatchStatus(known["status"])})


def _row(record: BatchRecord) -> dict[str, object]:
    return {"batch_id": record.batch_id, "record": json.dumps(asdict(record))}


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"
