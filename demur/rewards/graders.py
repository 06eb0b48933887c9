"""The interface of graders of completions, and a grader by rule. Grading by rule needs no round."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, Protocol

from demur.configuration.settings import keys_of
from demur.errors import ConfigError
from demur.lanes.engine import open_models
from demur.lanes.registry import lanes_with
from demur.lanes.spec import ModelSpec
from demur.levers.policy_models import Policy
from demur.programs.completions import grade, grader_program
from demur.programs.errors import ProgramError
from demur.programs.model import Model
from demur.programs.options import Grading
from demur.programs.signatures.completions import Grounding, PropositionQuestion

ROLE: Final = "grader"
Grades = dict[str, float]
"""The probability of each proposition."""


@dataclass(frozen=True, slots=True)
class GradedText:
    """A completion to grade.

    `propositions` are the propositions to grade; if None, the features of the behaviour are graded. `grounding` has
    passages and answers of the item that the completion is about.
    """

    behaviour: str
    prompt: str
    completion: str
    propositions: tuple[str, ...] | None = None
    grounding: Grounding | None = None


@dataclass(frozen=True, slots=True)
class GradingModel:
    """A grading model for a policy.

    `named` is the policy's name, or the path of its file. `grading` is the way of grading: one call for all
    propositions, or one call for each proposition.
    """

    policy: Policy
    named: str
    spec: ModelSpec
    grading: Grading = Grading.PROPOSITIONS


class CompletionGrader(Protocol):
    """Interface of asynchronous graders of completions."""

    async def grades(self, subjects: Sequence[GradedText]) -> list[Grades | ProgramError]:
        """Return the grades of each subject, in order. For a subject without grades, the list has an error."""


@dataclass(frozen=True, slots=True)
class RulesGrader:
    """A grader by rule. Its grades are reproducible, so they are not stored."""

    by: GradingModel
    model: Model

    async def grades(self, subjects: Sequence[GradedText]) -> list[Grades | ProgramError]:
        """Return the grades of each subject, in order. For a subject without grades, the list has an error."""
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
    """Check that a model supports a way of grading.

    Raises:
        ConfigError: the way of grading needs log-probabilities, and the model's lane has none.
    """
    if grading is Grading.ONE_BY_ONE and not spec.lane.log_probabilities:
        others = " or ".join(lanes_with("log_probabilities"))
        raise ConfigError(
            f"--grading {grading} needs log-probabilities, but the provider {spec.provider} of model '{spec.name}' "
            f"gives none. Name a model of provider {others}, or leave --grading out"
        )


@asynccontextmanager
async def open_rules(by: GradingModel) -> AsyncIterator[RulesGrader]:
    """Yield a grader by rule for the running event loop."""
    async with open_models([by.spec], ROLE, keys_of([by.spec])) as models:
        yield RulesGrader(by, models[by.spec.name])


def graded_by_rule(by: GradingModel, subjects: Sequence[GradedText]) -> list[Grades | ProgramError]:
    """Return the grades of each subject by rule, in order. For a subject without grades, the list has an error.

    Raises:
        ConfigError: rules do not support the way of grading.
    """
    check_grading(by.spec, by.grading)

    async def run() -> list[Grades | ProgramError]:
        async with open_rules(by) as grader:
            return await grader.grades(subjects)

    return asyncio.run(run())
