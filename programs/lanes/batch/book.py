"""What the batch lane needs of a book: batches written down before they are sent, results kept until they are used.

flows hands an implementation in, as with the journal.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class BatchStatus(StrEnum):
    """How far a batch is, as we know it."""

    INTENDED = "intended"
    """Written down; whether the provider has it is not known yet."""
    RUNNING = "running"
    CANCELLING = "cancelling"
    ENDED = "ended"
    """The provider has done with it; its results are still there."""
    COLLECTED = "collected"
    """Its results are here."""
    VOID = "void"
    """The provider did not take it, or has lost it: its requests are free to be sent again."""

    @property
    def is_open(self) -> bool:
        """Whether results are still to come."""
        return self not in (BatchStatus.COLLECTED, BatchStatus.VOID)


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """One batch; `batch_id` is ours, times are ISO 8601 in UTC.

    `done` counts requests that were answered, `failed` those that ended without an answer. `base_url` and
    `key_source` say how to reach the provider again; a key never stands here. `lease_id` names what pays for it under a
    cap.
    """

    batch_id: str
    round_id: str
    stage: str
    model: str
    provider: str
    provider_model: str
    base_url: str | None
    key_source: str | None
    requests: int
    intended_at: str
    status: BatchStatus = BatchStatus.INTENDED
    provider_batch_id: str | None = None
    done: int = 0
    failed: int = 0
    problem: str | None = None
    submitted_at: str | None = None
    ended_at: str | None = None
    lease_id: str | None = None


@dataclass(frozen=True, slots=True)
class ResultPlace:
    """Where a result stands in the kept results of a batch, in bytes."""

    batch_id: str
    start: int
    length: int


class ResultWriter(Protocol):
    """Takes the results of a batch, one line each; they are kept all or not at all."""

    def write(self, line: bytes) -> ResultPlace:
        """Take a line, without its end; return where it will stand."""

    def commit(self) -> None:
        """Keep what was taken."""

    def discard(self) -> None:
        """Forget what was taken, unless it was kept."""


class BatchBook(Protocol):
    """The batches of one stage; every change is durable when its method returns. May be used from threads."""

    def records(self, model: str | None = None) -> Sequence[BatchRecord]:
        """Return all batches of a model, or of the stage, oldest first."""

    def read(self, batch_id: str) -> BatchRecord:
        """Return one batch as it is written down now."""

    def request_ids(self, batch_id: str) -> Sequence[str]:
        """Return what was asked in a batch."""

    def intend(self, record: BatchRecord, request_ids: Sequence[str]) -> None:
        """Write a batch down before it is sent."""

    def update(self, record: BatchRecord) -> None:
        """Write down what became of a batch."""

    def forfeit(self, request_ids: Collection[str]) -> None:
        """Write down that nothing comes of requests that may have been paid for."""

    def forfeited(self) -> Collection[str]:
        """Return the ids of all those requests; they outlive their batches."""

    def open_results(self, batch_id: str) -> "ResultWriter":
        """Begin to keep the results of a batch."""

    def results(self, batch_id: str) -> Iterator[tuple[ResultPlace, bytes]]:
        """Yield the kept results of a batch."""

    def result(self, place: ResultPlace) -> bytes:
        """Return one of them."""

    def tell(self, record: BatchRecord, seconds: float) -> None:
        """Let people know how far a batch is that has been waited for so long."""

    def warn(self, message: str) -> None:
        """Let people know of something that costs money."""
