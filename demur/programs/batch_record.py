"""Records of batches, ids of their requests, and the interface of the store of batches."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol

_KEY_DIGITS: Final = 40
_BATCH_DIGITS: Final = 8


class BatchStatus(StrEnum):
    """The known state of a batch."""

    INTENDED = "intended"
    """Recorded; the provider may or may not have it."""
    RUNNING = "running"
    CANCELLING = "cancelling"
    ENDED = "ended"
    """Ended at the provider; the results are not downloaded."""
    COLLECTED = "collected"
    """The results are downloaded."""
    VOID = "void"
    """Rejected or lost by the provider; its requests may be sent again."""

    @property
    def is_open(self) -> bool:
        """Whether results are still expected."""
        return self not in (BatchStatus.COLLECTED, BatchStatus.VOID)


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """One batch of requests.

    `batch_id` is demur's id of the batch; `provider_batch_id` is the provider's id. Times are ISO 8601 in UTC. `done`
    counts requests with an answer, `failed` counts requests that ended without one. `base_url` and `key_source` tell
    where to ask the provider about the batch, and where to find the key; the key itself is not stored. Nor are the
    values of `headers`: these name environment variables.
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
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def shown_id(self) -> str:
        """The provider's id, or our id while the provider's is unknown."""
        return self.provider_batch_id or self.batch_id


@dataclass(frozen=True, slots=True)
class ResultPlace:
    """The place of a result in the stored results of a batch. `start` and `length` are in bytes."""

    batch_id: str
    start: int
    length: int


class ResultWriter(Protocol):
    """Stores the results of a batch, one result per line. Either all results are stored or none."""

    def write(self, line: bytes) -> ResultPlace:
        """Add a line and return its place after `commit`. `line` has no line break at its end."""

    def commit(self) -> None:
        """Store all lines."""


class BatchStore(Protocol):
    """The batches of one stage. Changes are durable when a method returns. Methods may be called from threads."""

    def records(self, model: str | None = None) -> Sequence[BatchRecord]:
        """Return the batches of a model, oldest first; all batches of the stage if `model` is None."""

    def read(self, batch_id: str) -> BatchRecord:
        """Return the current record of a batch."""

    def request_ids(self, batch_id: str) -> Sequence[str]:
        """Return the ids of a batch's requests."""

    def intend(self, record: BatchRecord, request_ids: Sequence[str]) -> None:
        """Record a batch before it is sent."""

    def update(self, record: BatchRecord) -> None:
        """Store the changed record of a batch."""

    def add_lost(self, request_ids: Collection[str]) -> None:
        """Record requests that the provider may charge for but never answered."""

    def lost(self) -> Collection[str]:
        """Return the ids of all lost requests, including requests of deleted batches."""

    def open_results(self, batch_id: str) -> ResultWriter:
        """Return a writer for the results of a batch."""

    def results(self, batch_id: str) -> Iterator[tuple[ResultPlace, bytes]]:
        """Yield the stored results of a batch."""

    def result(self, place: ResultPlace) -> bytes:
        """Return one stored result."""

    def report(self, record: BatchRecord, seconds: float) -> None:
        """Report the progress of a batch that has run for `seconds` seconds."""

    def warn(self, message: str, quoted: str) -> None:
        """Show a warning about costs. `quoted` is a text of the provider that the warning quotes."""


def request_key(unit_id: str, fingerprint: str, request_digest: str, nth: int) -> str:
    """Return the key of a unit's request to a model, which has this fingerprint. The key is the same in all batches.

    `nth` counts equal requests of the unit from 1.
    """
    return hashlib.sha256(f"{unit_id}|{fingerprint}|{request_digest}|{nth}".encode()).hexdigest()[:_KEY_DIGITS]


def request_id(key: str, attempt: int, batch_id: str) -> str:
    """Return the id of one attempt at a request in one batch."""
    return f"{key}-{attempt}-{batch_id[-_BATCH_DIGITS:]}"


def split_id(request_id: str) -> tuple[str, int]:
    """Return the request's key and the number of the attempt, read from a request id."""
    key, attempt, _ = request_id.split("-")
    return key, int(attempt)


@dataclass(slots=True)
class RequestIndex:
    """The batch requests of one model in one stage. The keys of all fields are request keys.

    `answers` are the places of unused answers from batches of earlier runs. `pending` has the batch id and request id
    of each request without results yet. `lost` has the ids of requests that the provider may charge for but never
    answered.
    """

    answers: dict[str, ResultPlace] = field(default_factory=dict)
    pending: dict[str, tuple[str, str]] = field(default_factory=dict)
    attempts: dict[str, int] = field(default_factory=dict)
    lost: dict[str, set[str]] = field(default_factory=dict)

    def batch_of(self, key: str) -> str | None:
        """Return the id of the earlier run's batch that contains the request; None if the request must be sent."""
        if key in self.answers:
            return self.answers[key].batch_id
        return self.pending[key][0] if key in self.pending else None

    def next_attempt(self, key: str) -> int:
        """Return the number of the next attempt at a request."""
        self.attempts[key] = self.attempts.get(key, 0) + 1
        return self.attempts[key]

    def settle(self, batch_id: str) -> None:
        """Remove the pending requests of a batch that will return no more results."""
        self.pending = {key: place for key, place in self.pending.items() if place[0] != batch_id}

    def add_lost(self, ids: Iterable[str]) -> None:
        """Add lost requests."""
        for one in ids:
            self.lost.setdefault(split_id(one)[0], set()).add(one)

    def times_lost(self, key: str) -> int:
        """Return how often a request was lost, in all runs."""
        return len(self.lost.get(key, ()))


def index_of(store: BatchStore, model: str, answered: Callable[[bytes], str | None]) -> RequestIndex:
    """Return the index of all requests that earlier runs sent to a model in batches.

    `answered` receives one line of a batch's results. It returns the id of the answered request, or None if the line is
    not an answer. The index has no answer for a request that ended with an error, so this request may be sent again.
    """
    index = RequestIndex()
    lost = store.lost()
    index.add_lost(lost)
    for record in store.records(model):
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
