"""The simulator's answers, faults, latencies and counts, without network."""

import hashlib
import json
import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any, Final

from demur.lanes.simulator.answers import Answers, UnknownModelError, answered, is_plain, refusal, smallest, spoilt
from demur.lanes.simulator.faults import STATUS, FaultPlan, OddAnswer, SimulatedRequest, SimulatorFault
from demur.lanes.simulator.wire import (
    BadRequestError,
    Body,
    SimulatedReply,
    Wire,
    error_message,
    error_status,
)
from demur.programs.adapter.json_adapter import task_of
from demur.programs.errors import ProgramError

MOST_REMEMBERED: Final = 20_000
"""The most answers kept for repeated requests."""


@dataclass(frozen=True, slots=True)
class SimulatorConfig:
    """Settings of the simulator: answers, latencies, batches.

    Latencies are log-normal around their mean; `latency_spread` is the standard deviation of their logarithm, 0 for
    constant latencies. `batch_seconds` is a batch's duration. A batch is neither found nor listed for the first
    `batch_unknown_seconds`. Live requests beyond `requests_per_minute` get a 429, but as many requests as one second
    allows may come at once.
    """

    answers: Answers = Answers.RULES
    latency_seconds: float = 0.0
    latency_spread: float = 0.0
    retry_after: str = "0.001"
    batch_seconds: float = 0.0
    batch_unknown_seconds: float = 0.0
    requests_per_minute: float | None = None
    seed: int = 0
    refusals: float = 0.0
    """Share of the replies to questions with passages that are exactly one refusal code, in place of `answers`."""
    keep_requests: bool = True
    """Whether requests are kept for tests, or only counted."""
    reply: Callable[[SimulatedRequest], str] | None = None
    """Returns the reply's text to a request, in place of `answers`."""


@dataclass(frozen=True, slots=True)
class SimulatedOutcome:
    """The outcome of one request: an answer or an HTTP error; `fault` is the planned fault."""

    status: int
    body: Body
    fault: SimulatorFault | None
    odd: OddAnswer | None = None

    @property
    def answered(self) -> bool:
        """True if the provider bills the request."""
        return self.status == 200


@dataclass(slots=True)
class RequestCounts:
    """Counts of requests and answers since the start."""

    requests: int = 0
    in_batches: int = 0
    batches: int = 0
    most_at_once: int = 0
    at_once: int = 0
    faults: Counter[SimulatorFault] = field(default_factory=Counter)
    answered: Counter[bytes] = field(default_factory=Counter)
    input_tokens: int = 0
    output_tokens: int = 0

    def summary(self) -> dict[str, object]:
        """Return the counts for the statistics page."""
        answers = self.answered.total()
        return {
            "requests": self.requests,
            "answered": answers,
            "answered_distinct": len(self.answered),
            "answered_again": answers - len(self.answered),
            "in_batches": self.in_batches,
            "batches": self.batches,
            "faults": {fault.value: count for fault, count in sorted(self.faults.items())},
            "at_once": self.at_once,
            "most_at_once": self.most_at_once,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
        }


class SimulatorEngine:
    """Decides the outcomes of requests.

    The answer depends on the request. Fault and latency depend on the request and on the number of the attempt.
    """

    def __init__(self, plan: FaultPlan, config: SimulatorConfig) -> None:
        self.plan = plan
        """The plan of faults; it may be replaced at any time."""
        self.config = config
        self.counts = RequestCounts()
        self.asked: list[SimulatedRequest] = []
        self.faults: list[SimulatorFault | None] = []
        """The fault of each request in `asked`; None for no fault."""
        self._attempts: Counter[bytes] = Counter()
        self._good: OrderedDict[bytes, str] = OrderedDict()
        self._prompts: set[int] = set()
        self._allowance = (config.requests_per_minute or 0.0) / 60
        self._counted_at = time.monotonic()

    def outcome(self, wire: Wire, raw: bytes, key: str, *, batch: bool = False) -> tuple[SimulatedOutcome, float]:
        """Return the outcome of a request, and its latency in seconds."""
        mark = hashlib.sha256(wire.path.encode() + raw).digest()
        self._attempts[mark] += 1
        try:
            body: Body = json.loads(raw)
            system, turns = wire.conversation(body)
            model = str(body["model"])
        except (BadRequestError, ValueError, KeyError, TypeError) as exc:
            return SimulatedOutcome(
                400, wire.error(SimulatorFault.BAD_REQUEST, str(exc)), SimulatorFault.BAD_REQUEST
            ), 0.0
        task = task_of(system)
        self.counts.requests += 1
        self.counts.in_batches += batch
        asked = SimulatedRequest(self.counts.requests, mark.hex(), self._attempts[mark], task, key, body)
        planned = SimulatorFault.RATE_LIMITED if not batch and self._is_too_fast() else self.plan(asked)
        odd, fault = (planned, None) if isinstance(planned, OddAnswer) else (None, planned)
        self._note(asked, fault)
        seconds = 0.0 if batch else self._latency_seconds(asked)
        if fault in STATUS:
            refused = wire.error(fault, error_message(fault, key))
            return SimulatedOutcome(error_status(wire, fault), refused, fault), seconds
        reply = self.config.reply
        try:
            text = self._text(mark, wire, body, model, system, turns) if reply is None else reply(asked)
        except UnknownModelError as exc:
            return SimulatedOutcome(
                404, wire.error(SimulatorFault.NOT_FOUND, str(exc)), SimulatorFault.NOT_FOUND
            ), seconds
        except ProgramError as exc:
            return SimulatedOutcome(
                400, wire.error(SimulatorFault.BAD_REQUEST, str(exc)), SimulatorFault.BAD_REQUEST
            ), seconds
        said = spoilt(text, fault, plain=is_plain(task))
        said = SimulatedReply(said.text, said.finish, said.declined, probability=0.55 + 0.44 * mark[0] / 255)
        first = hash(system) not in self._prompts
        self._prompts.add(hash(system))
        return SimulatedOutcome(200, wire.answer(body, said, first=first), fault, odd), seconds

    def _is_too_fast(self) -> bool:
        if self.config.requests_per_minute is None:
            return False
        a_second = self.config.requests_per_minute / 60
        now = time.monotonic()
        filled = self._allowance + (now - self._counted_at) * a_second
        self._allowance = min(max(1.0, a_second), filled)
        self._counted_at = now
        if self._allowance < 1:
            return True
        self._allowance -= 1
        return False

    def delivered(self, wire: Wire, raw: bytes, outcome: SimulatedOutcome) -> None:
        """Count a delivered answer and its tokens."""
        self.counts.answered[hashlib.sha256(wire.path.encode() + raw).digest()] += 1
        usage: dict[str, Any] = outcome.body.get("usage", {})
        sent = ("prompt_tokens", "input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        self.counts.input_tokens += sum(usage.get(name, 0) for name in sent)
        self.counts.output_tokens += usage.get("completion_tokens", usage.get("output_tokens", 0))

    def _note(self, asked: SimulatedRequest, fault: SimulatorFault | None) -> None:
        if fault is not None:
            self.counts.faults[fault] += 1
        if self.config.keep_requests:
            self.asked.append(asked)
            self.faults.append(fault)

    def _text(self, mark: bytes, wire: Wire, body: Body, model: str, system: str, turns: list[tuple[str, str]]) -> str:
        known = self._good.get(mark)
        if known is not None:
            self._good.move_to_end(mark)
            return known
        code = refusal(task_of(system), mark, self.config.refusals)
        if code is not None:
            return code
        if self.config.answers is Answers.MINIMAL:
            return smallest(system, wire.shape(body))
        text = answered(model, system, turns)
        self._good[mark] = text
        if len(self._good) > MOST_REMEMBERED:
            self._good.popitem(last=False)
        return text

    def _latency_seconds(self, asked: SimulatedRequest) -> float:
        mean = self.config.latency_seconds
        spread = self.config.latency_spread
        if not mean or not spread:
            return mean
        drawn = hashlib.sha256(f"{self.config.seed}|latency|{asked.digest}|{asked.attempt}".encode()).digest()
        share = (int.from_bytes(drawn[:6], "big") + 1) / (2**48 + 2)
        return math.exp(math.log(mean) - spread**2 / 2 + spread * _NORMAL.inv_cdf(share))


_NORMAL: Final = NormalDist()
