"""Interfaces between programs and their round: recalled answers, the store of calls, a budget.

The engine implements these interfaces, so programs can also run without a round.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, TypeAlias

from demur.programs.batch_record import BatchStore


class Finish(StrEnum):
    """Ends of replies, in one vocabulary for all providers. Any other end is the error INCOMPLETE."""

    STOP = "stop"
    LENGTH = "length"
    """The reply was cut at a token limit."""
    TOOL_CALLS = "tool_calls"
    """The model called a tool that was not offered. The text is what it said beside the call, and may be empty."""
    REFUSAL = "refusal"
    """The model declined in the interface's own way (a field or stop reason): the error REFUSAL."""
    CONTENT_FILTER = "content_filter"
    """A filter of the provider stopped the reply: the error CONTENT_FILTER."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A request's reply as the lane read it: text, reasoning, finish reason and token counts.

    `text` has the text parts of the reply, or the words of a refusal; reasoning in tags inside of the text stays there.
    `reasoning` is the reasoning that the server sends in a field or part of its own; None if there is none.
    `finish_reason` is a `Finish`; after the error INCOMPLETE, it is the provider's own word. Output tokens include
    tokens of reasoning. Token counts are None if the provider reports none. `logprobs` are the likeliest first tokens
    with log-probabilities, likeliest first. `batch_id` is the id of the reply's batch. `earlier_prompt` is true for a
    recorded reply to another wording of the prompt.
    """

    text: str
    finish_reason: str = "stop"
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    cache_write_tokens: int | None = None
    logprobs: tuple[tuple[str, float], ...] | None = None
    batch_id: str | None = None
    earlier_prompt: bool | None = None
    reasoning: str | None = None


def read_logprobs(text: str | None) -> tuple[tuple[str, float], ...] | None:
    """Return the log-probabilities in a `CallRecord`."""
    return None if text is None else tuple((str(token), float(logprob)) for token, logprob in json.loads(text))


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One request to a model, as in a row of `calls`.

    `fingerprint` is the fingerprint of the model's spec. `started_at` is ISO 8601 in UTC. Prices are the prices of this
    request. `reserved_usd` is the largest possible cost. `charged_usd` is the cost that was charged to the cap when the
    reply arrived. `prompt` is the sent prompt in the form of `SentPrompts`. It is stored with the call, but not in the
    warehouse.
    """

    call_id: str
    round_id: str
    stage: str
    unit_id: str
    role: str
    model: str
    provider: str
    provider_model: str
    program: str
    request_digest: str
    attempt: int
    status: str
    error_class: str | None
    error: str | None
    reply: str | None
    finish_reason: str | None
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    reasoning_tokens: int | None
    cost_usd: float | None
    latency_seconds: float
    queue_seconds: float
    started_at: str
    cache_write_tokens: int | None = None
    input_usd_per_million: float | None = None
    output_usd_per_million: float | None = None
    cached_usd_per_million: float | None = None
    cache_write_usd_per_million: float | None = None
    reserved_usd: float | None = None
    charged_usd: float | None = None
    batch_id: str | None = None
    logprobs: str | None = None
    fingerprint: str | None = None
    earlier_prompt: bool | None = None
    reasoning: str | None = None
    prompt: Mapping[str, Any] | None = None


Answerer: TypeAlias = tuple[str, str, str | None]
"""Role, name and fingerprint of a model."""


@dataclass(frozen=True, slots=True)
class KnownReply:
    """An answer of an earlier run, used instead of a new request.

    `answerer` is the model that gave it, and `started_at` the time of the request (ISO 8601 in UTC).
    """

    call_id: str
    request_digest: str
    reply: Reply
    answerer: Answerer
    started_at: str


@dataclass(frozen=True, slots=True)
class SentCall:
    """A request of an earlier run whose outcome was never stored. `shard` is the shard that stored it as sent."""

    call_id: str
    request_digest: str
    answerer: Answerer
    shard: str


class CallStore(Protocol):
    """The store of calls. An answer is used only after its call is stored."""

    async def record(self, call: CallRecord) -> None:
        """Store a call durably."""


class SpendGuard(Protocol):
    """The budget of requests in a round with a cap."""

    async def reserve(self, sent: CallRecord) -> None:
        """Store a request durably before it leaves, and reserve its worst cost (`reserved_usd`).

        Raises:
            Halted: the budget is too small, and too little can be freed by requests in flight.
        """

    async def unreserve(self, sent: CallRecord) -> None:
        """Give back what `reserve` has taken for a request that did not leave."""

    def adopt(self, sent: SentCall) -> None:
        """Take over a request that an earlier run has reserved, and whose answer can still be had."""

    def settle(self) -> None:
        """Note that a reserved request has ended, after its outcome was stored or if nobody waits for it any more."""


class Wave(Protocol):
    """The first requests to a model, which are watched until one reply can be read."""

    async def enter(self) -> None:
        """Wait until a request may be sent.

        Raises:
            Halted: none of many replies could be read.
        """

    def leave(self) -> None:
        """Note that a request ended without a reply."""

    def note(self, problem: str | None) -> None:
        """Note a reply: None for a reply that could be read, else the reason why it could not."""

    def retract(self, problem: str) -> None:
        """Note that a reply that could be read cannot be used."""


class Waves(Protocol):
    """The first requests to the models of a stage, task by task."""

    def of(self, model: str, task: str, size: int) -> Wave:
        """Return those of a model and task; `size` is the number of requests that its limits allow at a time."""


@dataclass(frozen=True, slots=True)
class Decided:
    """The inputs that decide a unit's replies, except the wording of the prompt.

    `key` is the hash of the unit's inputs. `drawn` are values that the round drew for the unit (levers, faults).
    `words` describe the unit in messages.
    """

    key: str
    drawn: tuple[str, ...]
    words: str


class SentPrompts:
    """The texts of prompts that the call store of a shard has stored.

    Each text is stored once, since instructions, examples and passages are the same in many calls.
    """

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held: set[str] = set()

    def of(
        self, system: str, turns: Iterable[tuple[str, str]], wanted: str | None, hidden: Callable[[str], str]
    ) -> dict[str, Any]:
        """Return a prompt as digests of its texts.

        Under `texts`, the result has the texts that the call store has not stored yet. `hidden` removes secrets from a
        text.
        """
        texts: dict[str, str] = {}

        def digest_of(text: str) -> str:
            digest = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=12).hexdigest()
            if digest not in self._held:
                self._held.add(digest)
                texts[digest] = hidden(text)
            return digest

        return {
            "system": digest_of(system),
            "turns": [(role, digest_of(text)) for role, text in turns],
            "wanted": None if wanted is None else digest_of(wanted),
            "texts": texts,
        }


@dataclass(slots=True)
class CallScope:
    """The unit that calls belong to, with its recalled answers, call store and budget.

    A scope belongs to one unit in one run. `known` answers are sorted by time. `unanswered` are requests of earlier
    runs whose outcome was never stored. `last_call_id` is the id of the call that gave the newest answer, and
    `last_reply` is this answer as the lane read it. `seed` is the seed of the rules lane; if `seed` is None, the unit's
    id is the seed. `decided` is used to look up recorded replies. If the unit gets rows although its replies could not
    be read, `unreadable` is the reason; otherwise None. `is_cut` is true if a reply of the unit reached the limit of
    tokens.

    `confirm` waits until no other process can have taken over the work, and raises `Halted` if one has; None if none
    ever can.

    `prompts` are the prompts that the call store has, or None if it keeps no prompts. `waves` are the first requests of
    the stage, or None if none are held back; `wave` is that of the newest request, or None before the first request.
    """

    round_id: str
    stage: str
    unit_id: str
    call_store: CallStore | None = None
    known: tuple[KnownReply, ...] = ()
    last_call_id: str | None = None
    last_reply: Reply | None = None
    budget: SpendGuard | None = None
    batches: BatchStore | None = None
    unanswered: list[SentCall] = field(default_factory=list)
    seed: str | None = None
    decided: Decided | None = None
    unreadable: str | None = None
    is_cut: bool = False
    prompts: SentPrompts | None = None
    waves: Waves | None = None
    wave: Wave | None = None
    confirm: Callable[[], Awaitable[None]] | None = None
    _unnoted: int = 0
    _asked: Counter[tuple[str, Answerer]] = field(default_factory=Counter)

    def recall(self, request_digest: str, answerer: Answerer) -> KnownReply | None:
        """Return the next known answer of a model to a request.

        A request that is repeated gets a later answer each time. Return None if no known answers remain.
        """
        asked = request_digest, answerer
        nth = self._asked[asked]
        self._asked[asked] += 1
        matching = [known for known in self.known if (known.request_digest, known.answerer) == asked]
        if nth >= len(matching):
            return None
        self.last_call_id = matching[nth].call_id
        return matching[nth]

    def take_unanswered(self, request_digest: str, answerer: Answerer) -> SentCall | None:
        """Return and remove the newest call of this request whose outcome was never stored; None if there is none."""
        alike = [one for one in self.unanswered if (one.request_digest, one.answerer) == (request_digest, answerer)]
        if not alike:
            return None
        self.unanswered.remove(alike[-1])
        return alike[-1]

    def awaits_note(self, wave: Wave) -> None:
        """Set the wave of the newest request, whose reply has come and will be noted by `note_reply`."""
        self.wave = wave
        self._unnoted += 1

    def note(self, problem: str | None, *, was_read: bool) -> None:
        """Note a reply as `note_reply` does. A reply that an earlier run requested belongs to no wave."""
        if self.wave is None:
            return
        if was_read and problem is not None:
            self.wave.retract(problem)
        elif self._unnoted:
            self._unnoted -= 1
            self.wave.note(problem)

    def close(self) -> None:
        """Give back the places of replies that were never read, at the end of the unit."""
        while self.wave is not None and self._unnoted:
            self._unnoted -= 1
            self.wave.leave()

    def times_asked(self, request_digest: str) -> int:
        """Return how often the unit has made a request in this run."""
        return sum(times for (digest, _), times in self._asked.items() if digest == request_digest)


_SCOPE: ContextVar[CallScope | None] = ContextVar("demur_call_scope", default=None)


def current_scope() -> CallScope | None:
    """Return the scope of the current unit; None if no unit is being worked on."""
    return _SCOPE.get()


def last_call_id() -> str | None:
    """Return the id of the unit's newest call; None before the first call, and outside of any unit."""
    scope = current_scope()
    return scope.last_call_id if scope else None


def note_cut() -> None:
    """Mark the current unit's newest reply as cut off at the limit of tokens."""
    scope = current_scope()
    if scope is not None:
        scope.is_cut = True


def note_reply(problem: str | None, *, was_read: bool = False) -> None:
    """Note whether the current unit's newest reply could be read; `problem` is the reason if it could not.

    `was_read` is true if the reply was noted as read before.
    """
    scope = current_scope()
    if scope is not None:
        scope.note(problem, was_read=was_read)


def last_reply() -> Reply | None:
    """Return the unit's newest reply as the lane read it; None before the first reply, and outside of any unit."""
    scope = current_scope()
    return scope.last_reply if scope else None


def note_unreadable(problem: str) -> None:
    """Mark the current unit's replies as unreadable."""
    scope = current_scope()
    if scope is not None:
        scope.unreadable = problem


@contextmanager
def call_scope(scope: CallScope) -> Iterator[CallScope]:
    """Make `scope` the current scope inside the block."""
    token = _SCOPE.set(scope)
    try:
        yield scope
    finally:
        _SCOPE.reset(token)
