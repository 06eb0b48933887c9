"""Accuracy of a program on judged cases, case by case."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import dspy

from demur.lanes.optimiser_engine import RequestBudget
from demur.programs.adapter.json_adapter import JsonAdapter
from demur.programs.compiled.kinds import CaseScore, JudgedCase, ProgramKind, score
from demur.programs.errors import ProgramError


@dataclass(frozen=True, slots=True)
class CaseScores:
    """What a program got right: each case with its score, None where there was no readable reply.

    A case without a readable reply got nothing right.
    """

    scored: tuple[tuple[JudgedCase, CaseScore | None], ...]

    @property
    def truths(self) -> int:
        """How many truths were asked for."""
        return sum(len(case.truths) for case, _ in self.scored)

    @property
    def right(self) -> int:
        """How many of them the program got right."""
        return sum(one.right for _, one in self.scored if one)

    @property
    def failed(self) -> int:
        """Cases without a readable reply."""
        return sum(one is None for _, one in self.scored)

    @property
    def accuracy(self) -> float | None:
        """The share of truths that are right; None where there are none."""
        return self.right / self.truths if self.truths else None


def measure(
    kind: ProgramKind,
    program: dspy.Module,
    lm: dspy.LM,
    cases: Sequence[JudgedCase],
    threads: int,
    budget: RequestBudget,
) -> CaseScores:
    """Return how often a program is right.

    Raises:
        ProgramError: the budget is spent, or not one case was answered; the last error says why.
    """

    def scored(case: JudgedCase) -> CaseScore | None:
        try:
            with dspy.context(lm=lm, adapter=JsonAdapter(), disable_history=True):
                return score(kind, case, program(**case.inputs))
        except Exception as exc:
            if (spent := budget.refused) is not None:
                raise spent from exc
            if not isinstance(exc, (ProgramError, dspy.utils.exceptions.LMError)):
                raise
            return None

    with ThreadPoolExecutor(max_workers=threads) as pool:
        scores = list(pool.map(scored, cases))
    if cases and all(one is None for one in scores):
        raise ProgramError(f"none of {len(cases)} cases was answered; the last error: {budget.last_error}")
    return CaseScores(tuple(zip(cases, scores, strict=True)))
