"""The rules lane: an embedded model that answers the same programs by rule, without a network.

It reads typed inputs from the request, and so sees the same inputs as other models. Every row names it as rules.
"""

import hashlib
from functools import cache
from typing import Final

from dspy.lm15 import Request

from demur.lanes.spec import ModelSpec
from demur.lanes.transport import Access, no_logprobs
from demur.levers.catalogue import Catalogue
from demur.levers.load import load_catalogue
from demur.programs.adapter.contract import contract
from demur.programs.adapter.digests import request_digest
from demur.programs.adapter.json_adapter import read_request
from demur.programs.errors import ErrorKind, LaneError, ProgramError
from demur.programs.journal import Reply, current_scope
from demur.programs.signatures.registry import SIGNATURES
from demur.rules.corpus import NO_CORPUS
from demur.rules.roles import answer
from demur.rules.trained_grader import load_grader

PATTERNS: Final = "grader/patterns"
"""What grades where a trained grader was not trained: another policy, or passages to go by."""


@cache
def _ours() -> Catalogue:
    """Our catalogue, read once: that takes a third of a second, and every shard opens its models anew."""
    return load_catalogue()


class RulesTransport:
    """Answers by rule; the model's name says which rules."""

    def __init__(self, spec: ModelSpec, access: Access) -> None:
        self._spec = spec
        self._catalogue = access.catalogue or _ours()
        self._corpus = access.corpus or NO_CORPUS
        self._grader = load_grader(spec.file) if spec.file else None
        self._rules = PATTERNS if self._grader else spec.model

    async def ask(self, request: Request) -> Reply:
        """Return the reply of the named rules to the request's typed inputs.

        Raises:
            LaneError: the model's rules are not for this task, or have no answer.
        """
        if request.config.logprobs is not None:
            raise no_logprobs(self._spec)
        try:
            task, inputs = read_request(request, SIGNATURES)
            if self._grader is not None and "language" not in inputs and self._grader.knows(task, inputs):
                outputs = self._grader.reply(inputs)
            else:
                outputs = answer(self._rules, task, inputs, self._seed(request), self._catalogue, self._corpus)
            return Reply(text=contract(SIGNATURES[task]).write_reply(outputs))
        except LaneError:
            raise
        except ProgramError as exc:
            raise LaneError(str(exc), kind=ErrorKind.RULES) from exc

    def _seed(self, request: Request) -> int:
        """A seed for each unit: another round, replicate or model draws other numbers, the same unit the same ones.

        Another version of the rules draws the same numbers, so that the effect of its changes is visible.
        """
        scope = current_scope()
        material = scope.seed or scope.unit_id if scope else request_digest(request)
        return int.from_bytes(hashlib.sha256(f"{self._spec.model}|{material}".encode()).digest()[:8], "big")

    async def aclose(self) -> None:
        """Nothing to close."""
