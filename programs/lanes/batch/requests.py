"""Which request is in which batch: ids that a restart finds again, and what is known of each."""

import hashlib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from demur.programs.errors import LaneError
from demur.programs.lanes.batch.book import BatchBook, BatchRecord, BatchStatus, ResultPlace
from demur.programs.lanes.batch.gateway import BatchResult

_KEY_DIGITS = 40
_BATCH_DIGITS = 8


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
class Register:
    """What is known of the requests of one model in one stage.

    `answers` are those that came in batches of earlier runs and were not used yet, `pending` requests in batches whose
    results are still to come; both by key.
    """

    answers: dict[str, ResultPlace] = field(default_factory=dict)
    pending: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Batch and request id of each."""
    attempts: dict[str, int] = field(default_factory=dict)
    leases: dict[str, str | None] = field(default_factory=dict)
    """What paid for each batch of an earlier run, None where it ran without a cap."""
    forfeited: dict[str, set[str]] = field(default_factory=dict)
    """Ids of requests that may have been paid for and of which nothing came, by key."""

    def batch_of(self, key: str) -> str | None:
        """Return the batch of an earlier run that a request is in, None where it has to be sent."""
        if key in self.answers:
            return self.answers[key].batch_id
        return self.pending[key][0] if key in self.pending else None

    def next_attempt(self, key: str) -> int:
        """Return the number of the next attempt at a request."""
        number = self.attempts.get(key, 0) + 1
        self.attempts[key] = number
        return number

    def put(self, batch_id: str, ids: Sequence[str]) -> None:
        """Note that requests are in a batch whose results are to come."""
        for one in ids:
            key, attempt = split_id(one)
            self.pending[key] = (batch_id, one)
            self.attempts[key] = max(attempt, self.attempts.get(key, 0))

    def forfeit(self, ids: Collection[str]) -> None:
        """Note that nothing comes of requests that may have been paid for."""
        for one in ids:
            self.forfeited.setdefault(split_id(one)[0], set()).add(one)

    def times_forfeited(self, key: str) -> int:
        """Return how often a request was sent, and perhaps paid for, in vain, in all runs."""
        return len(self.forfeited.get(key, ()))

    def settle(self, batch_id: str) -> None:
        """Note that nothing more is to come from a batch."""
        self.pending = {key: place for key, place in self.pending.items() if place[0] != batch_id}


def register_of(book: BatchBook, model: str, read: Callable[[bytes], BatchResult]) -> Register:
    """Return what a model's batches of earlier runs hold.

    Errors of batches that were collected in an earlier run are not taken up: those requests are free to be sent again.
    """
    register = Register()
    forfeited = book.forfeited()
    register.forfeit(forfeited)
    for record in book.records(model):
        ids = book.request_ids(record.batch_id)
        register.leases[record.batch_id] = record.lease_id
        if record.status.is_open:
            register.put(record.batch_id, ids)
            continue
        for one in ids:
            key, attempt = split_id(one)
            register.attempts[key] = max(attempt, register.attempts.get(key, 0))
        if record.status is BatchStatus.COLLECTED:
            register.answers |= {
                split_id(result.request_id)[0]: place
                for place, result in _kept(book, record, read)
                if result.answered and result.request_id not in forfeited
            }
    return register


def _kept(
    book: BatchBook, record: BatchRecord, read: Callable[[bytes], BatchResult]
) -> Iterator[tuple[ResultPlace, BatchResult]]:
    for place, line in book.results(record.batch_id):
        with suppress(LaneError):
            yield place, read(line)
