"""The engine behind the optimisers' dspy.LM: every request recorded, asked once, and no more than was allowed."""

import asyncio
import threading
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import dspy
from dspy.lm15 import Request, Response

from demur.lanes.engine import BlockingEngine
from demur.lanes.factory import engine_of
from demur.lanes.prices import prices_of
from demur.lanes.spec import Mode, ModelSpec
from demur.programs.adapter.digests import request_digest
from demur.programs.errors import ProgramError
from demur.programs.journal import CallRecord, CallScope, KnownReply, call_scope

WAIT_SECONDS: Final = 0.05
"""How often who waits for money looks whether some has come back."""


class Record(Protocol):
    """Where calls are written down, and looked up by the request they answered."""

    def known(self, request_digest: str) -> KnownReply | None:
        """Return the recorded answer to this very request."""

    async def record(self, call: CallRecord) -> None:
        """Return once the call is durable."""


class BudgetSpent(ProgramError):
    """The optimiser asked for more than was allowed."""


@dataclass(slots=True)
class RequestBudget:
    """How many requests may still be sent, and how many dollars spent; shared by all models of one compilation.

    What counts as spent is what a call cost, or could have cost at most where that is not known.
    """

    most: int
    most_usd: float | None = None
    sent: int = 0
    spent_usd: float = 0.0
    refused: BudgetSpent | None = None
    last_error: ProgramError | None = None
    lease_id: str = "compile"
    _reserved_usd: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def take(self) -> None:
        """Count one request.

        Raises:
            BudgetSpent: there is none left.
        """
        with self._lock:
            if self.sent >= self.most:
                self.refused = BudgetSpent(
                    f"{self.most} requests were sent, and more are wanted. Allow more with --max-calls"
                )
                raise self.refused
            self.sent += 1

    async def reserve(self, usd: float) -> None:
        """Set aside what a request can cost at most, as soon as what is under way leaves so much.

        Raises:
            BudgetSpent: it never will.
        """
        while not self._reserved(usd):
            await asyncio.sleep(WAIT_SECONDS)

    def settle(self, reserved_usd: float, counted_usd: float) -> None:
        """Give back what was set aside, less what counts as spent."""
        with self._lock:
            self._reserved_usd -= reserved_usd
            self.spent_usd += counted_usd

    def _reserved(self, usd: float) -> bool:
        with self._lock:
            most = float("inf") if self.most_usd is None else self.most_usd
            if self.spent_usd + self._reserved_usd + usd <= most:
                self._reserved_usd += usd
                return True
            if self.spent_usd + usd <= most:
                return False
            self.refused = BudgetSpent(
                f"${self.spent_usd:.2f} were spent, the next request can cost ${usd:.2f}, and --max-usd allows "
                f"${most:.2f}. Allow more"
            )
            raise self.refused


class RecordingEngine:
    """Answers synchronous callers; what was asked before is answered from the record, in this run and later ones."""

    def __init__(self, engine: BlockingEngine, name: str, record: Record, budget: RequestBudget, priced: bool) -> None:
        self._engine = engine
        self._name = name
        self._record = record
        self._budget = budget
        self._spend_guard = budget if priced else None
        self._turns: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._lock = threading.Lock()

    def __deepcopy__(self, memo: object) -> "RecordingEngine":
        """Copies of a model share record and budget."""
        return self

    def complete(self, request: Request) -> Response:
        """Return the recorded or a new answer; who asks the same at the same time waits for that answer.

        Raises:
            BudgetSpent: no more may be asked.
            LaneError: no answer came.
        """
        digest = request_digest(request)
        with self._lock:
            turn = self._turns[digest]
        try:
            with turn:
                return self._answered(request, digest)
        except ProgramError as exc:
            self._budget.last_error = exc
            raise

    def _answered(self, request: Request, digest: str) -> Response:
        found = self._record.known(f"{self._name}:{digest}")
        if found is None:
            self._budget.take()
        known = () if found is None else (KnownReply(found.call_id, digest, 1, found.reply),)
        scope = CallScope("compile", "compile", self._name, self._record, known, budget=self._spend_guard)
        with call_scope(scope):
            return self._engine.complete(request)


def recording_model(
    spec: ModelSpec, role: str, keys: Mapping[str, str], record: Record, budget: RequestBudget
) -> dspy.LM:
    """Return a model for DSPy's optimisers.

    Raises:
        ProgramError: the model's key is missing.
    """
    live = spec.model_copy(update={"mode": Mode.LIVE})  # one question at a time makes no batch
    asking = BlockingEngine(engine_of(live, role, keys, None))
    engine: Any = RecordingEngine(asking, spec.name, record, budget, prices_of(spec) is not None)
    return dspy.LM(f"demur/{spec.name}", engine=engine, cache=False, num_retries=0)
