"""Lanes without a network: the recorded lane with earlier replies from a file, and the rules lane."""

import hashlib
from dataclasses import replace
from functools import cache
from typing import Final

from dspy.lm15 import Request

from demur.lanes.spec import ModelSpec
from demur.lanes.transport import Access, Transport, no_logprobs
from demur.levers.catalogue import Catalogue, load_catalogue
from demur.programs.adapter.contract import contract
from demur.programs.adapter.json_adapter import EMPTY_REPLY, read_request, request_digest
from demur.programs.call_scope import Reply, current_scope
from demur.programs.errors import ErrorKind, LaneError, ProgramError
from demur.programs.recording import REQUEST_DIGITS, Dialogue, Recorded, read_recording
from demur.programs.signatures.completions import AskProposition
from demur.programs.signatures.registry import SIGNATURES
from demur.rules.rivals import NO_CORPUS
from demur.rules.roles import answer
from demur.rules.trained_grader import load_grader

# The recorded lane: earlier replies of language models, read from a file, without a network.
#
# The lane finds a reply by the inputs of the request, not by the wording of the prompt. If the wording has changed
# since the recording, the reply is used and the change is reported.


ONE_OF_SEVERAL: Final = {AskProposition.__name__: "proposition"}
"""Tasks with several questions in one unit, and the input field whose name distinguishes the questions."""


class RecordedTransport(Transport):
    """Answers with the recorded replies of one model."""

    def __init__(self, spec: ModelSpec, access: Access) -> None:
        assert spec.recording is not None
        path, name = spec.recording
        self._spec = spec
        self._recording = read_recording(path)
        self._model = self._recording.speaker(name).name

    def holds(self, request: Request) -> bool:
        """Return whether the recording has a reply for the current unit, if the unit sends `request` next."""
        return self._found(request, _times_asked(request)) is not None

    async def ask(self, request: Request) -> Reply:
        """Return the recorded reply.

        Raises:
            LaneError: the recording has no reply.
        """
        found = self._found(request, _times_asked(request) - 1)
        if found is None:
            raise LaneError(self._missing(request), kind=ErrorKind.NOT_RECORDED)
        return replace(found.reply, earlier_prompt=found.request != request_digest(request)[:REQUEST_DIGITS])

    def _found(self, request: Request, earlier: int) -> Recorded | None:
        """Return the reply to a request that the unit has sent `earlier` times before; None if there is none.

        A request to repair a reply contains the earlier replies of the dialogue. These replies identify the dialogue.
        """
        said = _replies_before(request)
        dialogues = self._dialogues(request)
        for dialogue in dialogues if said else dialogues[earlier:]:
            if [one.text.strip() or EMPTY_REPLY for one in dialogue[: len(said)]] == said and len(dialogue) > len(said):
                return dialogue[len(said)]
        return None

    def _dialogues(self, request: Request) -> tuple[Dialogue, ...]:
        scope = current_scope()
        if scope is None or scope.decided is None:
            return ()
        task, inputs = read_request(request, SIGNATURES)
        part = inputs[ONE_OF_SEVERAL[task]].name if task in ONE_OF_SEVERAL else ""
        what = scope.decided
        return self._recording.dialogues(scope.stage, self._model, task, what.key, what.drawn, part, scope.unit_id)

    def _missing(self, request: Request) -> str:
        scope = current_scope()
        task, _ = read_request(request, SIGNATURES)
        what = scope.decided.words if scope and scope.decided else "what was asked outside of a round"
        return (
            f"recording {self._recording.path.name} has no reply of '{self._model}' to {task}: {what}. Record it, or "
            f"name a model that answers in its place (models '{self._spec.name}': fallback)"
        )


def _replies_before(request: Request) -> list[str]:
    """Return the replies of the dialogue so far, without the replies in demonstrations."""
    said: list[str] = []
    for message in request.messages:
        text = message.text or ""
        if message.role == "assistant":
            said.append(text)
        elif text.startswith("{"):
            said = []
    return said


def _times_asked(request: Request) -> int:
    scope = current_scope()
    return scope.times_asked(request_digest(request)) if scope else 0


# The rules lane: an embedded model that answers programs by fixed rules, without a network.
#
# The model reads typed inputs from the request, and therefore sees the same inputs as other models. Every row names
# the model as rules.


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
