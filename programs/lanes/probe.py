"""The smallest request that tells whether a model answers: one token, with the parameters that it will be sent."""

import re
from typing import Any, Final

from dspy.lm15 import Config, Message, Request

from demur.programs.adapter.contract import TASK_PREFIX
from demur.programs.errors import ErrorKind, LaneError
from demur.programs.journal import Reply
from demur.programs.lanes.spec import Mode, ModelSpec

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


def wants_more_tokens(outcome: Reply | LaneError) -> bool:
    """Return whether a model did not like being asked for so few tokens; then its own number is tried."""
    if isinstance(outcome, Reply):
        return False
    return outcome.kind is ErrorKind.REQUEST and _TOO_FEW.search(str(outcome)) is not None


def probe_error(outcome: Reply | LaneError) -> LaneError | None:
    """Return what is wrong with a model, None where it answered, be it that it declined to."""
    return None if isinstance(outcome, Reply) or outcome.kind in _ALIVE else outcome
