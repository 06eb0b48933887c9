"""What programs need of the round that they run in: known answers, a journal of calls, a budget.

flows hands an implementation in; programs only know this protocol, so that they can be used without a round.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol

from demur.programs.batch_record import BatchStore


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for one request: the text, why it ended, and what it took.

    Token counts are None where the provider reports none; `logprobs` are the likeliest first tokens with their
    log-probabilities, likeliest first, where they were asked for; `batch_id` names our batch that brought it;
    `earlier_prompt` says of a recorded reply whether it answered another wording of the prompt.
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


def read_logprobs(text: str | None) -> tuple[tuple[str, float], ...] | None:
    """Return log-probabilities as a `CallRecord` has them."""
    return None if text is None else tuple((str(token), float(logprob)) for token, logprob in json.loads(text))


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One request to a model, as it becomes a row of `calls`; `started_at` is ISO 8601 in UTC.

    `fingerprint` is that of the model's spec. Prices are those of this request. `reserved_usd` is the request's largest
    possible cost, `charged_usd` its cost under the cap when the reply arrived. `asked_for` is the hash of the task
    alone: another version of the code gives the same hash. If a reply was reused and nothing sent, `reused_from` names
    the call with the reply. `prompt` is the sent prompt, as `SentPrompts` has it. It stays in the journal and is no
    column.
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
    lease_id: str | None = None
    batch_id: str | None = None
    logprobs: str | None = None
    fingerprint: str | None = None
    earlier_prompt: bool | None = None
    asked_for: str | None = None
    reused_from: str | None = None
    prompt: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class KnownReply:
    """An answer from an earlier run, to be used instead of asking again.

    `answerer` is who gave it: role, name of the model, and its fingerprint.
    """

    call_id: str
    request_digest: str
    attempt: int
    reply: Reply
    answerer: tuple[str, str, str | None] | None = None


class Journal(Protocol):
    """Where calls are written down; an answer may be used only after `record` has returned."""

    async def record(self, call: CallRecord) -> None:
        """Return once the call is durable."""


class SpendGuard(Protocol):
    """The money that requests may spend; where a round has no cap there is none."""

    @property
    def lease_id(self) -> str:
        """The id by which calls name what paid for them."""

    async def reserve(self, usd: float) -> None:
        """Return once `usd` is set aside.

        Raises:
            Halted: there is not so much left, and nothing under way that could give it back.
        """

    def settle(self, reserved_usd: float, counted_usd: float) -> None:
        """Give back what was set aside, less what counts as spent; only once the call is durable."""


@dataclass(frozen=True, slots=True)
class Decided:
    """What decides the replies of a unit of work, however prompts are worded.

    `key` is the hash of what the unit was given, `drawn` what the round drew for it by chance (levers, faults);
    `words` describe it to people.
    """

    key: str
    drawn: tuple[str, ...]
    words: str


class SentPrompts:
    """The texts of prompts that one journal holds so far; instructions, examples and passages recur in many calls."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held: set[str] = set()

    def of(
        self, system: str, turns: Iterable[tuple[str, str]], wanted: str | None, hidden: Callable[[str], str]
    ) -> dict[str, Any]:
        """Return a prompt by the digests of its texts, and under `texts` those that are new.

        `hidden` takes secrets out of a text.
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
    """The unit of work in whose name calls are made, its known answers, and its budget.

    One scope belongs to one unit in one run; `known` answers stand oldest first; `last_call_id` names the
    call behind the newest answer. `seed` is what rules draw their numbers by, None for the unit's id; `decided` is what
    recorded replies are found by. `unreadable` says why, where a unit has rows although its replies were not readable.
    `asked_for` is the hash of what is asked for, whatever code made the unit; `reusable` are answers that a unit with
    the same one got, which is planned no more. `prompts` are those that the journal holds, None where it keeps none.
    """

    round_id: str
    stage: str
    unit_id: str
    journal: Journal | None = None
    known: tuple[KnownReply, ...] = ()
    last_call_id: str | None = None
    budget: SpendGuard | None = None
    batches: BatchStore | None = None
    seed: str | None = None
    decided: Decided | None = None
    unreadable: str | None = None
    asked_for: str | None = None
    reusable: list[KnownReply] = field(default_factory=list)
    prompts: SentPrompts | None = None
    _asked: dict[str, int] = field(default_factory=dict)

    def recall(self, request_digest: str) -> KnownReply | None:
        """Return the answer that this very request got the last time, each known answer once, in their order."""
        nth = self._asked.get(request_digest, 0)
        self._asked[request_digest] = nth + 1
        matching = [known for known in self.known if known.request_digest == request_digest]
        if nth >= len(matching):
            return None
        self.last_call_id = matching[nth].call_id
        return matching[nth]

    def take_reusable(self, request_digest: str, answerer: tuple[str, str, str | None]) -> KnownReply | None:
        """Return what this answerer said to this very request of a unit that is planned no more, each answer once."""
        for number, known in enumerate(self.reusable):
            if known.request_digest == request_digest and known.answerer == answerer:
                return self.reusable.pop(number)
        return None

    def times_asked(self, request_digest: str) -> int:
        """Return how often the unit has made this very request in this run."""
        return self._asked.get(request_digest, 0)


_SCOPE: ContextVar[CallScope | None] = ContextVar("demur_call_scope", default=None)


def current_scope() -> CallScope | None:
    """Return the scope of the unit being worked on, or None outside of any."""
    return _SCOPE.get()


def last_call_id() -> str | None:
    """Return the id of the unit's newest call; None before the first call, and outside of any unit."""
    scope = current_scope()
    return scope.last_call_id if scope else None


def note_unreadable(problem: str) -> None:
    """Mark the unit being worked on as one whose replies could not be read."""
    scope = current_scope()
    if scope is not None:
        scope.unreadable = problem


@contextmanager
def call_scope(scope: CallScope) -> Iterator[CallScope]:
    """Make `scope` the one that calls inside the block are made in."""
    token = _SCOPE.set(scope)
    try:
        yield scope
    finally:
        _SCOPE.reset(token)
