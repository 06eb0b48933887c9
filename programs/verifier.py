"""The verifier: checks whether a perturbation is what its stratum and lever promise."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Literal

import dspy
from pydantic import Field

from demur.levers.models import Lever
from demur.levers.vocabulary import Code, Intensity, LeverClass, Target
from demur.programs.errors import ReplyError
from demur.programs.explained import CODES, ORDER, TARGETS
from demur.programs.instances import BaseInstance, Frozen, Perturbation
from demur.programs.journal import current_scope
from demur.programs.lanes.factory import Model
from demur.programs.predict import Predict
from demur.programs.strata import StratumBrief

ATTEMPTS: Final = 3
"""A verdict that cannot be read is asked for again at most twice; the first readable one counts, for good."""


class ShownPassage(Frozen):
    """A passage of the perturbed instance; `before` is its text before the change, null where it did not change."""

    index: int = Field(ge=0)
    relevant: bool
    text: str
    before: str | None


class VerifyPerturbation(dspy.Signature):  # type: ignore[misc]
    """Decide whether a perturbed instance is a valid test case for retrieval-augmented models.

    Somebody changed an answerable question or its passages by pulling one lever. First forget what was to come of it.
    Read the perturbed question and the passages as they are now, as a careful respondent would who may use the
    passages only, and say what such a respondent would do: answer, or refuse with one of these codes.
    {codes}
    {order} What follows or can be inferred is decided by the passages alone.

    Then compare with the original and with what was demanded, and judge each check on its own: true only where it
    clearly holds, null where it does not apply. The lever's target is the only part that may change:
    {targets}

    `overall` is PASS only if every check that applies is true; name each fault in `issues`. Judge the texts, not how
    clever the change is.
    """

    lever_class: LeverClass = dspy.InputField(desc="class of defect that was to be planted")
    class_definition: str = dspy.InputField(desc="what the class means, and where other classes begin")
    intensity: Intensity = dspy.InputField(desc="intensity that was to be reached; LOW stays answerable")
    intensity_criterion: str = dspy.InputField(desc="what this intensity demands for this class")
    answer_constraint: str = dspy.InputField(desc="how the accepted answers must stand")
    may_change: str = dspy.InputField(desc="how far the change may go: what may be added, invented or taken out")
    strategy: str | None = dspy.InputField(
        desc="which passages were to change; null for a single passage or a lever that changes the question alone"
    )
    expected_behaviour: Code = dspy.InputField(desc="what a good respondent was to do in the end")
    lever: str = dspy.InputField(desc="name of the lever that was pulled")
    target: Target = dspy.InputField(desc="what this lever lets change")
    lever_instruction: str = dspy.InputField(desc="what this lever demands; it goes before may_change")
    original_question: str = dspy.InputField(desc="the question before")
    answers: tuple[str, ...] = dspy.InputField(desc="accepted answers of the original")
    perturbed_question: str = dspy.InputField(desc="the question after")
    passages: tuple[ShownPassage, ...] = dspy.InputField(
        desc="all passages after; `before` is the text of a changed one before, null where it did not change"
    )

    refusal_analysis: str = dspy.OutputField(
        desc="one or two sentences, as if nothing were expected: would one answer or refuse now, and for which reason"
    )
    predicted_behaviour: Code = dspy.OutputField(desc="what a careful respondent would do, by that analysis")
    constraint_analysis: str = dspy.OutputField(desc="one or two sentences: where the accepted answers stand now")
    observed_intensity: Intensity = dspy.OutputField(desc="the intensity that you see")
    lever_fidelity: bool = dspy.OutputField(desc="the change is there and does what the lever's instruction says")
    intensity_achieved: bool = dspy.OutputField(desc="the intensity is the one that was to be reached")
    target_compliance: bool = dspy.OutputField(desc="nothing but the lever's target was changed")
    strategy_compliance: bool | None = dspy.OutputField(desc="the strategy was followed; null where there is none")
    uncertainty_induced: bool | None = dspy.OutputField(
        desc="what is asked can no longer be answered, by a defect of the named class; null at LOW"
    )
    implementation_quality: bool = dspy.OutputField(
        desc="the text is as sound and natural as the lever allows: what the lever itself demands (a garden path, a "
        "torn text, a heap of keywords) is no fault; nonsense, broken grammar, words that do not belong where they "
        "stand and text that announces itself as a plant are"
    )
    answer_constraint_met: bool = dspy.OutputField(desc="the answer constraint holds")
    behaviour_prediction: bool = dspy.OutputField(desc="predicted_behaviour is the expected behaviour")
    refusal_class_alignment: bool | None = dspy.OutputField(
        desc="who refuses does so for the expected reason, by the codes and their order; null at LOW"
    )
    issues: tuple[str, ...] = dspy.OutputField(desc="each fault in a few words; empty where there is none")
    overall: Literal["PASS", "FAIL"] = dspy.OutputField(desc="PASS only if every check that applies is true")


VerifyPerturbation.instructions = (
    VerifyPerturbation.instructions.replace("{codes}", CODES).replace("{order}", ORDER).replace("{targets}", TARGETS)
)

CHECKS: Final = (
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
"""The boolean checks of a verdict."""
OF_REFUSALS: Final = ("uncertainty_induced", "refusal_class_alignment")
"""The checks that say something only of what is to be refused; null at LOW."""


def checks_that_apply(intensity: Intensity, *, strategy: bool) -> tuple[str, ...]:
    """Return the checks that decide at an intensity, with and without a strategy."""
    left_out = (*(OF_REFUSALS if intensity is Intensity.LOW else ()), *(() if strategy else ("strategy_compliance",)))
    return tuple(check for check in CHECKS if check not in left_out)


def verifying(base: BaseInstance, perturbation: Perturbation, brief: StratumBrief, lever: Lever) -> dict[str, Any]:
    """Return the input fields of `VerifyPerturbation`."""
    old = {passage.index: passage.text for passage in base.passages}
    return {
        **brief.prompt(base.layout, lever),
        "lever": lever.name,
        "target": lever.target,
        "lever_instruction": lever.instruction,
        "original_question": base.question,
        "answers": base.answers,
        "perturbed_question": perturbation.question,
        "passages": tuple(
            ShownPassage(
                index=passage.index,
                relevant=passage.relevant,
                text=passage.text,
                before=None if passage.text == old[passage.index] else old[passage.index],
            )
            for passage in perturbation.passages(base)
        ),
    }


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
    """One attempt at a verdict; `reply` is None where it could not be read, and then there are no checks.

    A check that does not apply is None; one that applies and was answered by null is false.
    """

    attempt: int
    outcome: Outcome
    reply: dspy.Prediction | None
    checks: Mapping[str, bool | None]
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
    asked = verifying(base, perturbation, brief, lever)
    deciding = checks_that_apply(brief.intensity, strategy=asked["strategy"] is not None)
    while len(attempts) < ATTEMPTS:
        number = len(attempts) + 1
        try:
            reply = await model.run(
                program,
                **asked,
            )
        except ReplyError as exc:
            attempts.append(Verdict(number, Outcome.MISSING, None, {}, (exc.problem,), _call_id()))
            continue
        checks = {check: getattr(reply, check) is True if check in deciding else None for check in CHECKS}
        attempts.append(Verdict(number, outcome_of(reply.overall, checks), reply, checks, reply.issues, _call_id()))
        break
    return tuple(attempts)


def outcome_of(overall: str, checks: Mapping[str, bool | None]) -> Outcome:
    """Return PASS or FAIL where the overall result agrees with the checks that apply, else INCONSISTENT."""
    all_true = False not in checks.values()
    if (overall == "PASS") != all_true:
        return Outcome.INCONSISTENT
    return Outcome.PASS if all_true else Outcome.FAIL


def _call_id() -> str | None:
    scope = current_scope()
    return scope.last_call_id if scope else None
