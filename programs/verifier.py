"""The verifier: checks whether a perturbation is what its stratum and lever promise."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

import dspy

from demur.levers.models import Lever
from demur.levers.vocabulary import Code, Intensity, LeverClass
from demur.programs.errors import ReplyError
from demur.programs.instances import BaseInstance, Passage, Perturbation
from demur.programs.journal import current_scope
from demur.programs.lanes.factory import Model
from demur.programs.predict import Predict
from demur.programs.strata import StratumBrief

ATTEMPTS: Final = 3
"""A verdict that cannot be read is asked for again at most twice; the first readable one counts, for good."""


class VerifyPerturbation(dspy.Signature):  # type: ignore[misc]
    """Decide whether a perturbed instance is a valid test case for retrieval-augmented models.

    Somebody changed an answerable question or its passages by pulling one lever. Read the original and the perturbed
    instance as a careful respondent would, who may use the passages only. Ask yourself two things. First: would I
    answer with confidence, or would I have to refuse? Second: if I refuse, is it for the reason that is expected, or
    for another one?

    Then judge each check on its own: true only where it clearly holds. `overall` is PASS only if every check that
    applies is true; name each fault in `issues`. Judge the texts, not how clever the change is.
    """

    lever_class: LeverClass = dspy.InputField(desc="class of defect that was to be planted")
    class_definition: str = dspy.InputField(desc="what the class means")
    intensity: Intensity = dspy.InputField(desc="intensity that was to be reached")
    intensity_criterion: str = dspy.InputField(desc="what this intensity demands for this class")
    target: str = dspy.InputField(desc="the only part that was allowed to change")
    strategy: str | None = dspy.InputField(desc="which of several passages were to change; null for a single passage")
    answer_constraint: str = dspy.InputField(desc="how the accepted answers must stand")
    expected_behaviour: Code = dspy.InputField(desc="what a good respondent is expected to do")
    lever: str = dspy.InputField(desc="name of the lever that was pulled")
    lever_instruction: str = dspy.InputField(desc="what that lever demands")
    original_question: str = dspy.InputField(desc="the question before")
    answers: tuple[str, ...] = dspy.InputField(desc="accepted answers of the original")
    original_passages: tuple[Passage, ...] = dspy.InputField(desc="the passages before")
    perturbed_question: str = dspy.InputField(desc="the question after")
    perturbed_passages: tuple[Passage, ...] = dspy.InputField(desc="all passages after")

    refusal_analysis: str = dspy.OutputField(desc="one or two sentences: would one refuse, and for which reason")
    constraint_analysis: str = dspy.OutputField(desc="one or two sentences: where the accepted answers stand now")
    lever_fidelity: bool = dspy.OutputField(desc="the change does what the lever's instruction says")
    intensity_achieved: bool = dspy.OutputField(desc="the intensity is the one that was to be reached")
    target_compliance: bool = dspy.OutputField(desc="nothing but the target was changed")
    strategy_compliance: bool | None = dspy.OutputField(desc="the strategy was followed; null for a single passage")
    uncertainty_induced: bool = dspy.OutputField(desc="the defect is really there and of the named class")
    implementation_quality: bool = dspy.OutputField(desc="the changed text is sound, fluent and natural")
    answer_constraint_met: bool = dspy.OutputField(desc="the answer constraint holds")
    behaviour_prediction: bool = dspy.OutputField(desc="a good respondent would do what is expected")
    refusal_class_alignment: bool = dspy.OutputField(desc="who refuses does so for the expected reason")
    predicted_behaviour: Code = dspy.OutputField(desc="what a good respondent would do")
    observed_intensity: Intensity = dspy.OutputField(desc="the intensity that you see")
    issues: tuple[str, ...] = dspy.OutputField(desc="each fault in a few words; empty where there is none")
    overall: Literal["PASS", "FAIL"] = dspy.OutputField(desc="PASS only if every check that applies is true")


CHECKS = (
    "lever_fidelity",
    "intensity_achieved",
    "target_compliance",
    "strategy_compliance",
    "uncertainty_induced",
    "implementation_quality",
    "answer_constraint_met",
    "behaviour_prediction",
    "refusal_class_alignment",
)
"""The boolean checks of a verdict; strategy_compliance is null for single documents."""


class Verifier(dspy.Module):  # type: ignore[misc]
    """Asks for one verdict."""

    def __init__(self) -> None:
        super().__init__()
        self.verify = Predict(VerifyPerturbation)

    async def aforward(self, **inputs: object) -> dspy.Prediction:
        """Return the signature's output fields."""
        return await self.verify.acall(**inputs)

    def forward(self, **inputs: object) -> dspy.Prediction:
        """Return the same for DSPy's synchronous callers."""
        return self.verify(**inputs)


class Outcome(StrEnum):
    """What a verdict amounts to; only PASS accepts."""

    PASS = "pass"
    FAIL = "fail"
    INCONSISTENT = "inconsistent"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One attempt at a verdict; `reply` is None where it could not be read."""

    attempt: int
    outcome: Outcome
    reply: dspy.Prediction | None
    issues: tuple[str, ...]
    call_id: str | None


async def verify(
    program: dspy.Module,
    model: Model,
    base: BaseInstance,
    perturbation: Perturbation,
    brief: StratumBrief,
    lever: Lever,
) -> tuple[Verdict, ...]:
    """Return every attempt, the last one being the verdict that counts, or MISSING.

    Raises:
        LaneError: no reply came.
    """
    attempts: list[Verdict] = []
    while len(attempts) < ATTEMPTS:
        number = len(attempts) + 1
        try:
            reply = await model.run(
                program,
                **brief.prompt(base.layout),
                lever=lever.name,
                lever_instruction=lever.instruction,
                original_question=base.question,
                answers=base.answers,
                original_passages=base.passages,
                perturbed_question=perturbation.question,
                perturbed_passages=perturbation.passages(base),
            )
        except ReplyError as exc:
            attempts.append(Verdict(number, Outcome.MISSING, None, (exc.problem,), _call_id()))
            continue
        attempts.append(
            Verdict(number, outcome_of(reply, several=len(base.passages) > 1), reply, reply.issues, _call_id())
        )
        break
    return tuple(attempts)


def outcome_of(reply: dspy.Prediction, *, several: bool) -> Outcome:
    """Return PASS or FAIL where the overall result agrees with the checks, else INCONSISTENT."""
    checks = [check for check in CHECKS if several or check != "strategy_compliance"]
    all_true = all(getattr(reply, check) is True for check in checks)
    if (reply.overall == "PASS") != all_true:
        return Outcome.INCONSISTENT
    return Outcome.PASS if all_true else Outcome.FAIL


def _call_id() -> str | None:
    scope = current_scope()
    return scope.last_call_id if scope else None
