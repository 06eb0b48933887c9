"""The smallest request that tests a model: one token, with the parameters of the round's requests."""

import re
from collections.abc import Callable
from typing import Any, Final

from dspy.lm15 import Config, Message, Request

from demur.lanes.call import Call, Outcome
from demur.lanes.chain import Link
from demur.lanes.spec import Mode, ModelSpec
from demur.lanes.transport import Transport
from demur.programs.adapter.contract import TASK_PREFIX
from demur.programs.adapter.digests import request_digest
from demur.programs.errors import ErrorKind, LaneError
from demur.programs.journal import Reply, current_scope

PROBE_TASK: Final = "Probe"
FEWEST_TOKENS: Final = 1
FEWEST_REASONING_TOKENS: Final = 16
"""Reasoning models refuse less."""
LONGEST_SECONDS: Final = 30.0
_LIMITS: Final = ("max_tokens", "max_completion_tokens")
_THINKING: Final = "thinking"
"""It asks for a thousand tokens at least; whether it is taken shows with the first real request."""
_INSTRUCTIONS: Final = f"{TASK_PREFIX}{PROBE_TASK}\n\nThis asks whether you are there. Reply with the word ok."
_SHAPE: Final[dict[str, Any]] = {
    "type": "json_schema",
    "name": PROBE_TASK,
    "schema": {
        "type": "object",
        "properties": {"answer": {"type": "string"}},
        "required": ["answer"],
        "additionalProperties": False,
    },
    "strict": True,
}
_TOO_FEW: Final = re.compile(r"max_(completion_|output_)?tokens|output limit", re.IGNORECASE)
_ALIVE: Final = frozenset({ErrorKind.REFUSAL, ErrorKind.CONTENT_FILTER})


def probe_request(spec: ModelSpec) -> Request:
    """Return the request, in the shape that the model's other replies are wanted in."""
    config = Config(response_format=_SHAPE if spec.structured_output else None)
    return Request(model=spec.name, system=_INSTRUCTIONS, messages=(Message.user("Are you there?"),), config=config)


def probe_spec(spec: ModelSpec) -> ModelSpec:
    """Return the spec with the fewest tokens that the model can be asked for."""
    reasons = "reasoning_effort" in spec.parameters or "max_completion_tokens" in spec.parameters
    fewest = FEWEST_REASONING_TOKENS if reasons else FEWEST_TOKENS
    parameters = {name: value for name, value in spec.parameters.items() if name != _THINKING}
    parameters |= {name: fewest for name in _LIMITS if name in parameters}
    hasty = spec.limits.model_copy(update={"timeout_seconds": min(spec.limits.timeout_seconds, LONGEST_SECONDS)})
    return spec.model_copy(update={"parameters": parameters, "limits": hasty, "mode": Mode.LIVE})


class ModelProbe:
    """Asks a model for one token, regardless of its limits, through chains of its own."""

    def __init__(self, spec: ModelSpec, own: Link, open_chain: Callable[[ModelSpec], tuple[Link, Transport]]) -> None:
        """`own` asks the model as it is asked otherwise, past its limits; `open_chain` opens one with fewer tokens."""
        self._spec = spec
        self._own = own
        self._open_chain = open_chain
        self._short: tuple[Link, Transport] | None = None

    def open(self) -> Link:
        """Open the lane for probes; slow steps are done here, before anything is sent."""
        self._short = self._short or self._open_chain(probe_spec(self._spec))
        return self._short[0]

    async def ask(self) -> LaneError | None:
        """Return the error that came instead of an answer, None where one came."""
        chain = self.open()
        request = probe_request(self._spec)
        scope = current_scope()
        digest = request_digest(request)
        outcome = await chain.ask(Call(request, digest, scope))
        if wants_more_tokens(outcome):
            if self._spec.mode is Mode.BATCH:
                return None  # it has looked at the parameters, so it is there; its own lane would take hours
            outcome = await self._own.ask(Call(request, digest, scope, number=2))
        return probe_error(outcome)

    async def aclose(self) -> None:
        """Close the connections of probes."""
        if self._short is not None:
            await self._short[1].aclose()


def wants_more_tokens(outcome: Outcome) -> bool:
    """Return whether a model did not like being asked for so few tokens; then its own number is tried."""
    if isinstance(outcome, Reply):
        return False
    return outcome.kind is ErrorKind.REQUEST and _TOO_FEW.search(str(outcome)) is not None


def probe_error(outcome: Outcome) -> LaneError | None:
    """Return a model's fault; None if it answered, also by declining."""
    return None if isinstance(outcome, Reply) or outcome.kind in _ALIVE else outcome
