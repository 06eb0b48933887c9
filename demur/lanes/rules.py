"""The rules lane: an embedded model that answers programs by fixed rules, without a network.

The model reads typed inputs from the request, and therefore sees the same inputs as other models. Every row names the
model as rules.
"""

import hashlib
from functools import cache
from typing import Final

from dspy.lm15 import Request

from demur.lanes.spec import ModelSpec
from demur.lanes.transport import Access, Transport, no_logprobs
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
"""The grader for requests that a trained grader was not trained for: another policy, or passages."""


@cache
def _ours() -> Catalogue:
    """Return demur's catalogue, cached for the process, since reading the catalogue takes a third of a second."""
    return load_catalogue()


class RulesTransport(Transport):
    """Answers by the rules that the model's name selects."""

    def __init__(self, spec: ModelSpec, access: Access) -> None:
        self._spec = spec
        self._catalogue = access.catalogue or _ours()
        self._corpus = access.corpus or NO_CORPUS
        self._grader = load_grader(spec.file) if spec.file else None
        self._rules = PATTERNS if self._grader else spec.model

    async def ask(self, request: Request) -> Reply:
        """Return the rules' reply to the request's typed inputs.

        Raises:
            LaneError: the rules are not for this task, or have no answer.
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
        """Return a seed from the model's name and the unit's seed.

        The seed does not depend on the version of the rules, so that a changed result comes from changed rules.
        """
        scope = current_scope()
        material = scope.seed or scope.unit_id if scope else request_digest(request)
        return int.from_bytes(hashlib.sha256(f"{self._spec.model}|{material}".encode()).digest()[:8], "big")
