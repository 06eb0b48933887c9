"""Probes: small requests that test whether a model answers.

A probe has the parameters of the round, but asks for the fewest output tokens that the model accepts.
"""

import re
from collections.abc import Callable
from typing import Any, Final

from dspy.lm15 import Config, Message, Request

from demur.lanes.chain import Call, Link, error_of
from demur.lanes.spec import Mode, ModelSpec
from demur.lanes.transport import Transport
from demur.programs.adapter.contract import TASK_PREFIX
from demur.programs.adapter.json_adapter import request_digest
from demur.programs.call_scope import current_scope
from demur.programs.errors import ErrorKind, LaneError

PROBE_TASK: Final = "Probe"
FEWEST_TOKENS: Final = 1
FEWEST_REASONING_TOKENS: Final = 16
"""The fewest output tokens that reasoning models accept."""
LONGEST_SECONDS: Final = 30.0
_LIMITS: Final = ("max_tokens", "max_completion_tokens")
_THINKING: Final = "thinking"
"""A parameter left out of probes, since it demands at least 1,024 tokens."""
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
    """Return the request of a probe. The request asks for a reply in JSON if `structured_output` is set."""
    config = Config(response_format=_SHAPE if spec.structured_output else None)
    return Request(model=spec.name, system=_INSTRUCTIONS, messages=(Message.user("Are you there?"),), config=config)


def probe_spec(spec: ModelSpec) -> ModelSpec:
    """Return the model's spec with the fewest output tokens and a timeout of at most 30 s.

    A model of this machine keeps its timeout, since its server starts with the probe and loads the model.
    """
    reasons = "reasoning_effort" in spec.parameters or "max_completion_tokens" in spec.parameters
    fewest = FEWEST_REASONING_TOKENS if reasons else FEWEST_TOKENS
    parameters = {name: value for name, value in spec.parameters.items() if name != _THINKING}
    parameters |= {name: fewest for name in _LIMITS if name in parameters}
    longest = spec.limits.timeout_seconds if spec.lane.local else min(spec.limits.timeout_seconds, LONGEST_SECONDS)
    hasty = spec.limits.model_copy(update={"timeout_seconds": longest})
    return spec.model_copy(update={"parameters": parameters, "limits": hasty, "mode": Mode.LIVE})


class ModelProbe:
    """Sends probes to a model, through chains without the limits of the model."""

    def __init__(self, spec: ModelSpec, own: Link, open_chain: Callable[[ModelSpec], tuple[Link, Transport]]) -> None:
        """Use the chain `own`, which has the model's full spec; `open_chain` opens a chain for another spec."""
        self._spec = spec
        self._own = own
        self._open_chain = open_chain
        self._short: tuple[Link, Transport] | None = None

    def open(self) -> Link:
        """Open and return the chain of `probe_spec`. Opening is slow."""
        self._short = self._short or self._open_chain(probe_spec(self._spec))
        return self._short[0]

    async def ask(self) -> LaneError | None:
        """Send a probe, and return its error; None if the model answered."""
        chain = self.open()
        request = probe_request(self._spec)
        scope = current_scope()
        digest = request_digest(request)
        outcome = await chain.ask(Call(request, digest, scope))
        error = error_of(outcome)
        if error is not None and error.kind is ErrorKind.REQUEST and _TOO_FEW.search(str(error)):
            if self._spec.mode is Mode.BATCH:
                return None  # it has looked at the parameters, so it is there; its own lane would take hours
            error = error_of(await self._own.ask(Call(request, digest, scope, number=2)))
        return None if error is None or error.kind in _ALIVE else error

    async def aclose(self) -> None:
        """Close the connections of probes."""
        if self._short is not None:
            await self._short[1].aclose()
