"""Records of batches, the ids of their requests, and the interface of the store that keeps them.

flows hands a store in, as with the journal.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol

_KEY_DIGITS: Final = 40
_BATCH_DIGITS: Final = 8


class BatchStatus(StrEnum):
    """The state of a batch, as far as it is known."""

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
    `key_source` say how to ask the provider again; a key never stands here. `lease_id` names what pays for it under a
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

    @property
    def shown_id(self) -> str:
        """The provider's id, ours as long as that is not known."""
        return self.provider_batch_id or self.batch_id


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


class BatchStore(Protocol):
    """The batches of one stage; every change is durable when its method returns. May be used from threads."""

    def records(self, model: str | None = None) -> Sequence[BatchRecord]:
        """Return all batches of a model, or of the stage, oldest first."""

    def read(self, batch_id: str) -> BatchRecord:
        """Return one batch as it is written down now."""

    def request_ids(self, batch_id: str) -> Sequence[str]:
        """Return what was asked in a batch."""

    def intend(self, record: BatchRecord, request_ids: Sequence[str]) -> None:
        """Record a batch before it is sent."""

    def update(self, record: BatchRecord) -> None:
        """Keep the new state of a batch."""

    def add_lost(self, request_ids: Collection[str]) -> None:
        """Record requests that may have been paid for and brought nothing."""

    def lost(self) -> Collection[str]:
        """Return the ids of all those requests; they outlive their batches."""

    def open_results(self, batch_id: str) -> ResultWriter:
        """Begin to keep the results of a batch."""

    def results(self, batch_id: str) -> Iterator[tuple[ResultPlace, bytes]]:
        """Yield the kept results of a batch."""

    def result(self, place: ResultPlace) -> bytes:
        """Return one of them."""

    def report(self, record: BatchRecord, seconds: float) -> None:
        """Report the progress of a batch that has been waited for so long."""

    def warn(self, message: str, quoted: str) -> None:
        """Report something that costs money, and what somebody said of it."""


def request_key(unit_id: str, request_digest: str, nth: int) -> str:
    """Return what identifies a request of a unit, however often it has to be sent; `nth` counts equal ones from 1."""
    return hashlib.sha256(f"{unit_id}|{request_digest}|{nth}".encode()).hexdigest()[:_KEY_DIGITS]


def request_id(key: str, attempt: int, batch_id: str) -> str:
    """Return the id of one attempt at a request in one batch, as providers take it."""
    return f"{key}-{attempt}-{batch_id[-_BATCH_DIGITS:]}"


def split_id(request_id: str) -> tuple[str, int]:
    """Return key and attempt of an id that `request_id` made."""
    key, attempt, _ = request_id.split("-")
    return key, int(attempt)


@dataclass(slots=True)
class RequestIndex:
    """The requests of one model in one stage, by their keys.

    `answers` came in batches of earlier runs and were not used yet; `pending` requests are in batches whose results are
    still to come, with batch and request id; `leases` paid for the batches of earlier runs, None where no cap held;
    `lost` are the ids of what may have been paid for and brought nothing.
    """

    answers: dict[str, ResultPlace] = field(default_factory=dict)
    pending: dict[str, tuple[str, str]] = field(default_factory=dict)
    attempts: dict[str, int] = field(default_factory=dict)
    leases: dict[str, str | None] = field(default_factory=dict)
    lost: dict[str, set[str]] = field(default_factory=dict)

    def batch_of(self, key: str) -> str | None:
        """Return the batch of an earlier run that a request is in, None where it has to be sent."""
        if key in self.answers:
            return self.answers[key].batch_id
        return self.pending[key][0] if key in self.pending else None

    def next_attempt(self, key: str) -> int:
        """Return the number of the next attempt at a request."""
        self.attempts[key] = self.attempts.get(key, 0) + 1
        return self.attempts[key]

    def settle(self, batch_id: str) -> None:
        """Close a batch: no more results come from it."""
        self.pending = {key: place for key, place in self.pending.items() if place[0] != batch_id}

    def add_lost(self, ids: Iterable[str]) -> None:
        """Note requests that may have been paid for and brought nothing."""
        for one in ids:
            self.lost.setdefault(split_id(one)[0], set()).add(one)

    def times_lost(self, key: str) -> int:
        """Return how often a request was sent, and perhaps paid for, in vain, in all runs."""
        return len(self.lost.get(key, ()))


def index_of(store: BatchStore, model: str, answered: Callable[[bytes], str | None]) -> RequestIndex:
    """Return what a model's batches of earlier runs hold; `answered` tells whose answer a line of results is, if any.

    Errors of batches that were collected in an earlier run are not taken up: those requests are free to be sent again.
    """
    index = RequestIndex()
    lost = store.lost()
    index.add_lost(lost)
    for record in store.records(model):
        index.leases[record.batch_id] = record.lease_id
        for one in store.request_ids(record.batch_id):
            key, attempt = split_id(one)
            index.attempts[key] = max(attempt, index.attempts.get(key, 0))
            if record.status.is_open:
                index.pending[key] = (record.batch_id, one)
        if record.status is BatchStatus.COLLECTED:
            for place, line in store.results(record.batch_id):
                answer = answered(line)
                if answer is not None and answer not in lost:
                    index.answers[split_id(answer)[0]] = place
    return index
