"""Completions graded outside a round through a model's lane: many at a time, every call recorded, none repeated."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

from demur.configuration.settings import keys_of
from demur.engine.call_file import CallFile
from demur.engine.concurrency import UnitQueue, as_completed
from demur.engine.context import digest_of
from demur.errors import CapReachedError
from demur.lanes.factory import open_models
from demur.lanes.optimiser_engine import BudgetSpent, RequestBudget
from demur.lanes.spec import ModelSpec
from demur.levers.policies import Policy
from demur.programs.errors import ProgramError
from demur.programs.grader import grade, grader_program
from demur.programs.journal import CallScope, call_scope
from demur.programs.model import Model
from demur.programs.options import Grading
from demur.programs.signatures.comparison import Grounding
from demur.programs.signatures.propositions import PropositionQuestion
from demur.warehouse.home import Home

ROLE: Final = "grader"
MOST_CONCURRENT: Final = 256
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Subject:
    """A completion to grade on these propositions; `grounding` is what one about a benchmark item is held against."""

    prompt: str
    completion: str
    propositions: tuple[str, ...]
    grounding: Grounding | None = None


@dataclass(frozen=True, slots=True)
class GradingModel:
    """Who grades completions of a policy, and how: all propositions in one call, or one by one."""

    policy: Policy
    spec: ModelSpec
    grading: Grading = Grading.PROPOSITIONS

    @property
    def digest(self) -> str:
        """What decides the grades of a completion, beside its text and the prompt."""
        return digest_of(self.policy.fingerprint, self.spec.fingerprint, self.grading)


@dataclass(slots=True)
class LaneGrader:
    """Grades completions in the running event loop; calls are recorded in `calls`, and paid from `budget`."""

    by: GradingModel
    model: Model
    calls: CallFile | None = None
    budget: RequestBudget | None = None

    async def grades(self, subjects: Sequence[Subject]) -> list[dict[str, float] | ProgramError]:
        """Return the probability of each proposition for each completion, in their order, or why there is none.

        Raises:
            BudgetSpent: the cap was reached; what was graded is in the record.
        """
        return await answers_of(self.by.spec, [partial(self._graded, subject) for subject in subjects])

    async def _graded(self, subject: Subject) -> dict[str, float]:
        policy = self.by.policy
        grounding = subject.grounding.model_dump() if subject.grounding else None
        unit = digest_of(self.by.digest, subject.prompt, subject.completion, subject.propositions, grounding)
        known = self.calls.of_unit(unit) if self.calls else ()
        with call_scope(CallScope("rbr", "grade", unit, self.calls, known, budget=self.budget)):
            found = await grade(
                grader_program(self.by.grading),
                self.model,
                policy=policy,
                propositions=[PropositionQuestion.of(policy.proposition(name)) for name in subject.propositions],
                prompt=subject.prompt,
                grounding=subject.grounding,
                completion=subject.completion,
            )
        return {name: each.probability for name, each in found.items()}


async def answers_of(spec: ModelSpec, asked: Sequence[Callable[[], Awaitable[Answer]]]) -> list[Answer | ProgramError]:
    """Return what a model answers, many at a time and in the order of what is asked, or why there is nothing.

    Another error than a program's ends all: what is under way is cancelled, and has ended when the error is raised.

    Raises:
        BudgetSpent: the cap was reached; what was under way then has been paid, and has ended.
    """

    async def one(at: int) -> Answer | ProgramError:
        try:
            return await asked[at]()
        except ProgramError as exc:
            return exc

    found: dict[int, Answer | ProgramError] = {}
    spent: BudgetSpent | None = None
    queue = UnitQueue(iter(range(len(asked))))
    async with aclosing(as_completed(one, queue, min(MOST_CONCURRENT, spec.limits.concurrency))) as ended:
        async for at, answer in ended:
            found[at] = answer
            if isinstance(answer, BudgetSpent):
                queue.stopped = True
                spent = answer
    if spent is not None:
        raise spent
    return [found[at] for at in range(len(asked))]


@asynccontextmanager
async def open_grader(
    by: GradingModel, calls: CallFile | None = None, most_usd: float | None = None
) -> AsyncIterator[LaneGrader]:
    """Yield a grader for use in the running event loop.

    Raises:
        ProgramError: the model's key is missing.
    """
    budget = None if most_usd is None else RequestBudget(2**62, most_usd)
    async with open_models([by.spec], ROLE, keys_of([by.spec])) as models:
        yield LaneGrader(by, models[by.spec.name], calls, budget)


def recorded_grades(
    home: Home, subjects: Sequence[Subject], by: GradingModel, most_usd: float | None
) -> list[dict[str, float] | ProgramError]:
    """Return the grades of completions, or why there are none; what an earlier run asked is not asked again.

    Raises:
        CapReachedError: `most_usd` was spent; the same call with more goes on.
    """

    async def run(calls: CallFile) -> list[dict[str, float] | ProgramError]:
        async with open_grader(by, calls, most_usd) as grader:
            return await grader.grades(subjects)

    try:
        with call_file(home, by) as calls:
            return asyncio.run(run(calls))
    except BudgetSpent as exc:
        raise CapReachedError(f"{exc}; what was graded is kept: the same command with more goes on", 0.0) from exc


def call_file(home: Home, by: GradingModel) -> CallFile:
    """Return the record of what a grader said, which no other process has until it is closed."""
    return CallFile(home.root / "graded" / f"{by.policy.name}-{by.digest[:12]}.calls.jsonl")
