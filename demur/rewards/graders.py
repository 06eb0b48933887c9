"""Graders of completions of a policy; rules grade in this process, without a round."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, Protocol

from demur.configuration.settings import keys_of
from demur.errors import ConfigError
from demur.lanes.factory import open_models
from demur.lanes.registry import lanes_with
from demur.lanes.spec import ModelSpec
from demur.levers.policy_models import Policy
from demur.programs.errors import ProgramError
from demur.programs.grader import grade, grader_program
from demur.programs.model import Model
from demur.programs.options import Grading
from demur.programs.signatures.comparison import Grounding
from demur.programs.signatures.propositions import PropositionQuestion

ROLE: Final = "grader"
Grades = dict[str, float]
"""The probability of each proposition."""


@dataclass(frozen=True, slots=True)
class GradedText:
    """A completion to grade on the features of a behaviour, or on `propositions` if given.

    `grounding` has the passages and answers against which a completion about a benchmark item is graded.
    """

    behaviour: str
    prompt: str
    completion: str
    propositions: tuple[str, ...] | None = None
    grounding: Grounding | None = None


@dataclass(frozen=True, slots=True)
class GradingModel:
    """The grader of completions of a policy, and its mode: all propositions in one call, or one by one.

    `named` is the policy's name, or the path of its file.
    """

    policy: Policy
    named: str
    spec: ModelSpec
    grading: Grading = Grading.PROPOSITIONS


class CompletionGrader(Protocol):
    """Grades completions in the running event loop."""

    async def grades(self, subjects: Sequence[GradedText]) -> list[Grades | ProgramError]:
        """Return the grades of each completion, in their order, or why there are none."""


@dataclass(frozen=True, slots=True)
class RulesGrader:
    """Grades by rule: free and reproducible, so no grades are stored."""

    by: GradingModel
    model: Model

    async def grades(self, subjects: Sequence[GradedText]) -> list[Grades | ProgramError]:
        """Return the grades of each completion, in their order, or why there are none."""
        found: list[Grades | ProgramError] = []
        for subject in subjects:
            try:
                found.append(await self._graded(subject))
            except ProgramError as exc:
                found.append(exc)
        return found

    async def _graded(self, subject: GradedText) -> Grades:
        policy = self.by.policy
        names = subject.propositions or policy.behaviour(subject.behaviour).features
        found = await grade(
            grader_program(self.by.grading),
            self.model,
            policy=policy,
            propositions=[PropositionQuestion.of(policy.proposition(name)) for name in names],
            prompt=subject.prompt,
            grounding=subject.grounding,
            completion=subject.completion,
        )
        return {name: each.probability for name, each in found.items()}


def check_grading(spec: ModelSpec, grading: Grading) -> None:
    """Return if a model can grade in this way.

    Raises:
        ConfigError: it gives no log-probabilities.
    """
    if grading is Grading.ONE_BY_ONE and not spec.lane.log_probabilities:
        others = " or ".join(lanes_with("log_probabilities"))
        raise ConfigError(
            f"--grading {grading} needs log-probabilities, and model '{spec.name}' is of provider {spec.provider}, "
            f"which gives none. Name one of provider {others}, or leave --grading out"
        )


@asynccontextmanager
async def open_rules(by: GradingModel) -> AsyncIterator[RulesGrader]:
    """Yield a grader by rule, for use in the running event loop."""
    async with open_models([by.spec], ROLE, keys_of([by.spec])) as models:
        yield RulesGrader(by, models[by.spec.name])


def graded_by_rule(by: GradingModel, subjects: Sequence[GradedText]) -> list[Grades | ProgramError]:
    """Return the rules' grades of completions, in order, or the reason for missing ones.

    Raises:
        ConfigError: the rules cannot grade in this way.
    """
    check_grading(by.spec, by.grading)

    async def run() -> list[Grades | ProgramError]:
        async with open_rules(by) as grader:
            return await grader.grades(subjects)

    return asyncio.run(run())
