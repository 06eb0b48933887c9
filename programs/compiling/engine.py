"""The engine behind the optimisers' dspy.LM: every request recorded, asked once, and no more than were allowed."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import dspy
from dspy.lm15 import Request, Response

from programs.adapter import request_digest
from programs.errors import ProgramError
from programs.journal import CallRecord, CallScope, KnownReply, call_scope
from programs.lanes.blocking import BlockingEngine
from programs.lanes.factory import engine_of
from programs.lanes.spec import ModelSpec


class Record(Protocol):
    """Where calls are written down, and looked up by the request they answered."""

    def known(self, request_digest: str) -> KnownReply | None:
        """Return the recorded answer to this very request."""

    async def record(self, call: CallRecord) -> None:
        """Return once the call is durable."""


class BudgetSpent(ProgramError):
    """The optimiser asked for more than was allowed."""


@dataclass(slots=True)
class Budget:
    """How many requests may still be sent; shared by all models of one compilation."""

    most: int
    sent: int = 0
    answered: int = 0
    refused: bool = False
    last_error: ProgramError | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def take(self) -> None:
        """Count one request.

        Raises:
            BudgetSpent: there is none left.
        """
        with self._lock:
            if self.sent >= self.most:
                self.refused = True
                raise self.spent()
            self.sent += 1

    def spent(self) -> BudgetSpent:
        """Return the error of a budget that is spent."""
        return BudgetSpent(f"{self.most} requests were sent, and more are wanted. Allow more with --max-calls")


class RecordingEngine:
    """Answers synchronous callers; what was asked before is answered from the record, in this run and later ones."""

    def __init__(self, engine: BlockingEngine, name: str, record: Record, budget: Budget) -> None:
        self._engine = engine
        self._name = name
        self._record = record
        self._budget = budget

    def __deepcopy__(self, memo: object) -> "RecordingEngine":
        """Copies of a model share record and budget."""
        return self

    def complete(self, request: Request) -> Response:
        """Return the recorded or a new answer.

        Raises:
            BudgetSpent: no more may be asked.
            LaneError: no answer came.
        """
        digest = f"{self._name}:{request_digest(request)}"
        found = self._record.known(digest)
        if found is None:
            self._budget.take()
        known = () if found is None else (KnownReply(found.call_id, request_digest(request), 1, found.reply),)
        try:
            with call_scope(CallScope("compile", "compile", self._name, self._record, known)):
                response = self._engine.complete(request)
        except ProgramError as exc:
            self._budget.last_error = exc
            raise
        self._budget.answered += 1
        return response


def recording_model(spec: ModelSpec, role: str, keys: Mapping[str, str], record: Record, budget: Budget) -> dspy.LM:
    """Return a model for DSPy's optimisers.

    Raises:
        ProgramError: the model's key is missing.
    """
    engine: Any = RecordingEngine(BlockingEngine(engine_of(spec, role, keys, None)), spec.name, record, budget)
    return dspy.LM(f"demur/{spec.name}", engine=engine, cache=False, num_retries=0)
