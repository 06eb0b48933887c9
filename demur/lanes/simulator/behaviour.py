"""Answers of the simulator by rule and with faults, its latencies and counts, without network."""

import hashlib
import json
import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, lru_cache
from statistics import NormalDist
from typing import Any, Final

from demur.lanes.registry import RULES_MODELS
from demur.lanes.simulator.asking import SIMULATED
from demur.lanes.simulator.faults import STATUS, UNFINISHED, FaultPlan, OddAnswer, SimulatedRequest, SimulatorFault
from demur.lanes.simulator.wire import BadRequestError, Body, SimulatedReply, Turns, Wire, error_message, error_status
from demur.levers.catalogue import Catalogue, load_catalogue
from demur.levers.vocabulary import Code
from demur.programs.adapter.contract import contract
from demur.programs.adapter.json_adapter import read_turns, task_of
from demur.programs.errors import ProgramError
from demur.programs.signatures.completions import Grade
from demur.programs.signatures.registry import SIGNATURES
from demur.rules.roles import answer

# Replies of the simulator: answers by rule, smallest valid answers, and answers with a fault.


_JSON_FAULTS: Final = frozenset(
    {SimulatorFault.PROSE, SimulatorFault.WRONG_TYPES, SimulatorFault.MISSING_FIELDS, SimulatorFault.EXTRA_TEXT}
)
_PLAIN: Final = "ok"


class Answers(StrEnum):
    """Modes of answering."""

    RULES = "rules"
    MINIMAL = "minimal"


class UnknownModelError(ProgramError):
    """The simulator has no model of this name."""


def is_plain(task: str) -> bool:
    """Return whether replies to a task are plain text. Replies to unknown tasks are plain text."""
    return task not in SIGNATURES or contract(SIGNATURES[task]).plain_text is not None


def answered(model: str, system: str, turns: Turns) -> str:
    """Return the answer of a rules model, or of the simulated asker or prover, to a conversation.

    Random draws depend only on the model and the inputs. If an answer had a fault, the answer to the repair request
    therefore equals the answer without the fault. Unknown tasks, such as probes, get one word.

    Raises:
        UnknownModelError: there is no model of this name.
        ProgramError: the rules have no answer.
    """
    part, _, which = model.partition("/")
    if which not in RULES_MODELS.get(part, ()) and model not in SIMULATED:
        raise UnknownModelError(f"The model `{model}` does not exist: it is none of the rules models")
    if task_of(system) not in SIGNATURES:
        return _PLAIN
    task, inputs = read_turns(system, turns, SIGNATURES)
    codec = contract(SIGNATURES[task])
    if model in SIMULATED:
        return codec.write_reply(SIMULATED[model](task, inputs))
    given = {name: inputs[name] for name in codec.inputs.model_fields}
    drawn = hashlib.sha256(f"{model}|{task}|{codec.write_inputs(given)}".encode()).digest()
    try:
        return codec.write_reply(answer(model, task, inputs, int.from_bytes(drawn[:7], "big"), _catalogue()))
    except ProgramError:
        if task not in _OF_ANY_POLICY:
            raise
        return codec.write_reply(_OF_ANY_POLICY[task](inputs))


def _completion(inputs: Mapping[str, Any]) -> dict[str, Any]:
    return {"completion": f"A completion of the kind {inputs['label']}, for a rehearsal."}


def _grades(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return for each proposition a probability of 0.1 or 0.9, drawn from proposition and completion."""

    def probability(name: str) -> float:
        drawn = hashlib.sha256(f"{name}|{inputs['completion']}".encode()).digest()
        return 0.9 if drawn[0] % 2 else 0.1

    names = [proposition.name for proposition in inputs["propositions"]]
    return {"grades": tuple(Grade(proposition=name, probability=probability(name)) for name in names)}


_OF_ANY_POLICY: Final[Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]]] = {
    "WriteCompletion": _completion,
    "GradePropositions": _grades,
}
"""Replies about policies that the rules do not know, by task."""


def refusal(task: str, mark: bytes, share: float) -> str | None:
    """Return a refusal code for the stated share of questions with passages, drawn by the request's `mark`; else None.

    Codes of missing information are half of all, as they are the commonest of real models.
    """
    drawn = (mark[0] + mark[1] / 256) / 256  # two bytes, as a number from 0 up to 1, exclusive
    if not task.startswith("AnswerFromPassage") or drawn >= share:
        return None
    codes = sorted(code for code in Code if code.is_refusal and code is not Code.OTHER)
    return (Code.MISSING if mark[2] % 2 else codes[mark[3] % len(codes)]).value


def smallest(system: str, shape: Body | None) -> str:
    """Return the smallest valid answer to a known task; for another task, the smallest value that `shape` allows."""
    task = task_of(system)
    if task in SIGNATURES:
        return _smallest_reply(task)
    return _PLAIN if shape is None else json.dumps(_smallest_value(shape))


@lru_cache(maxsize=64)
def _smallest_reply(task: str) -> str:
    codec = contract(SIGNATURES[task])
    wanted = codec.response_format
    return _PLAIN if codec.plain_text or wanted is None else json.dumps(_smallest_value(wanted.sent["schema"]))


def _smallest_value(schema: Body) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return _smallest_value(schema["anyOf"][0])
    kind = schema.get("type")
    if kind == "object":
        return {name: _smallest_value(field) for name, field in schema.get("properties", {}).items()}
    return {"array": [], "string": _PLAIN, "integer": 1, "number": 1, "boolean": True}.get(str(kind))


def spoilt(text: str, fault: SimulatorFault | None, *, plain: bool) -> SimulatedReply:
    """Return an answer with a fault. If `plain` is true, faults in the JSON of an answer do not apply."""
    if fault is SimulatorFault.EMPTY:
        return SimulatedReply("")
    if fault is SimulatorFault.CUT:
        return SimulatedReply(text[: len(text) // 2], "length")
    if fault in UNFINISHED:
        return SimulatedReply(text[: len(text) // 2], UNFINISHED[fault])
    if fault is SimulatorFault.REFUSAL:
        return SimulatedReply("I cannot help with that.", declined=True)
    if fault is SimulatorFault.CONTENT_FILTER:
        return SimulatedReply(text[: len(text) // 3], "content_filter")
    if plain or fault not in _JSON_FAULTS:
        return SimulatedReply(text)
    fields = json.loads(text)
    if fault is SimulatorFault.PROSE:
        return SimulatedReply("Let me think {aloud} about this. All in all it looks fine to me.")
    if fault is SimulatorFault.EXTRA_TEXT:
        return SimulatedReply(
            f"Here is the reply {{as wanted}}:\n```json\n{json.dumps(fields, indent=1)}\n```\nAnything else?"
        )
    if fault is SimulatorFault.MISSING_FIELDS:
        names = list(fields)
        # All fields but the first go: an answer that lacks only its last field may be valid. A single field goes, too.
        missing = names[1:] if len(names) > 1 else names
        for name in missing:
            del fields[name]
    if fault is SimulatorFault.WRONG_TYPES:
        fields = {name: {"value": value} for name, value in fields.items()}
    return SimulatedReply(json.dumps(fields))


@cache
def _catalogue() -> Catalogue:
    return load_catalogue()


# The simulator's answers, faults, latencies and counts, without network.


MOST_REMEMBERED: Final = 20_000
"""The most answers kept for repeated requests."""
_LEAST_PROBABILITY: Final = 0.55
_RANGE_OF_PROBABILITY: Final = 0.44
"""The probability of a reply's tokens is drawn by the request, from 0.55 to 0.99: likelier than any alternative."""


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
        probability = _LEAST_PROBABILITY + _RANGE_OF_PROBABILITY * mark[0] / 255
        said = SimulatedReply(said.text, said.finish, said.declined, probability=probability)
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
        # between 0 and 1, both exclusive, since the normal distribution has no quantile there
        share = (int.from_bytes(drawn[:6], "big") + 1) / (2**48 + 2)
        # the mean of a log-normal distribution lies above its median by half the variance of the logarithm
        return math.exp(math.log(mean) - spread**2 / 2 + spread * _NORMAL.inv_cdf(share))


_NORMAL: Final = NormalDist()
