"""What a verifier is asked: whether a perturbation is what its stratum and lever promise."""

from typing import Final, Literal

import dspy
from pydantic import Field

from demur.levers.instances import Frozen
from demur.levers.vocabulary import Code, Intensity, LeverClass, Target
from demur.programs.signatures.taxonomy_text import CODES, ORDER, TARGETS


class ShownPassage(Frozen):
    """A passage of the perturbed instance; `before` is its text before the change, null where it did not change."""

    index: int = Field(ge=0)
    relevant: bool
    text: str
    before: str | None


class PerturbedInstance(dspy.Signature):  # type: ignore[misc]
    """A perturbed instance beside its original, with what was demanded: what verifiers are shown."""

    lever_class: LeverClass = dspy.InputField(desc="class of defect that was to be planted")
    class_definition: str = dspy.InputField(desc="what the class means, and where other classes begin")
    intensity: Intensity = dspy.InputField(desc="intensity that was to be reached; LOW stays answerable")
    intensity_criterion: str = dspy.InputField(desc="what this intensity demands for this class")
    answer_constraint: str = dspy.InputField(desc="how the accepted answers must stand")
    may_change: str = dspy.InputField(desc="how far the change may go: what may be added, invented or taken out")
    strategy: str | None = dspy.InputField(
        desc="which passages were to change; null for a single passage or where the question alone is changed"
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


class VerifyPerturbation(PerturbedInstance):
    """Decide whether a perturbed instance is a valid test case for retrieval-augmented models.

    Somebody changed an answerable question or its passages by pulling one lever. First forget what was to come of it.
    Read the perturbed question and the passages as they are now, as a careful respondent would who may use the
    passages only, and say what such a respondent would do: answer, or refuse with one of these codes.
    {codes}
    {order} What follows or can be inferred is decided by the passages alone.

    Then compare with the original and with what was demanded, and judge each check on its own: true only where it
    clearly holds, null where it does not apply. The lever's target is the only part that may change:
    {targets}

    `overall` is PASS only if every check that applies is true; name in `issues` each fault for which a check is false,
    and no lesser blemish. What was odd or unsupported in the original is no fault. If this instance cannot carry the
    lever, lever_fidelity is false. Judge the texts, not how clever the change is.
    """

    refusal_analysis: str = dspy.OutputField(
        desc="one or two sentences, as if nothing were expected: would one answer or refuse now, and for which reason"
    )
    predicted_behaviour: Code = dspy.OutputField(desc="what a careful respondent would do, by that analysis")
    constraint_analysis: str = dspy.OutputField(desc="one or two sentences: where the accepted answers stand now")
    observed_intensity: Intensity | None = dspy.OutputField(
        desc="the intensity of the defect as it stands there now, whether or not it is the one that was wanted: LOW "
        "where an accepted answer can still be given, MEDIUM where none can and one more fact or word could mend that, "
        "HIGH where nothing of the kind could; null where you see no defect of the named class"
    )
    lever_fidelity: bool = dspy.OutputField(desc="the change is there and does what the lever's instruction says")
    intensity_achieved: bool = dspy.OutputField(desc="the intensity is the one that was to be reached")
    target_compliance: bool = dspy.OutputField(desc="nothing but the lever's target was changed")
    strategy_compliance: bool | None = dspy.OutputField(desc="the strategy was followed; null where it is null")
    uncertainty_induced: bool | None = dspy.OutputField(
        desc="what is asked can no longer be answered, by a defect of the named class; null at LOW"
    )
    implementation_quality: bool = dspy.OutputField(
        desc="somebody could have asked or published this: what the lever itself demands (a garden path, a torn text, "
        "a heap of keywords) is no fault, nor is clumsy wording that an editor would let pass; nonsense, broken "
        "grammar, words that do not belong where they stand, two opposite sentences side by side, a near copy of a "
        "sentence and text that announces itself as a plant are"
    )
    answer_constraint_met: bool = dspy.OutputField(desc="the answer constraint holds")
    behaviour_prediction: bool = dspy.OutputField(desc="predicted_behaviour is the expected behaviour")
    refusal_class_alignment: bool | None = dspy.OutputField(
        desc="the reason for refusing that stands there now is the expected one, by the codes and their order; false "
        "where it is another one or there is none; null at LOW"
    )
    issues: tuple[str, ...] = dspy.OutputField(desc="each fault that makes a check false; empty at PASS")
    overall: Literal["PASS", "FAIL"] = dspy.OutputField(desc="PASS only if every check that applies is true")


VerifyPerturbation.instructions = (
    VerifyPerturbation.instructions.replace("{codes}", CODES).replace("{order}", ORDER).replace("{targets}", TARGETS)
)

CHECKS: Final = tuple(
    name for name, field in VerifyPerturbation.output_fields.items() if field.annotation in (bool, bool | None)
)
"""The boolean checks of a verdict."""
OF_REFUSALS: Final = ("uncertainty_induced", "refusal_class_alignment")
"""The checks that say something only of what is to be refused; null at LOW."""


def checks_that_apply(intensity: Intensity, *, strategy: bool) -> tuple[str, ...]:
    """Return the checks that decide at an intensity, with and without a strategy."""
    left_out = (*(OF_REFUSALS if intensity is Intensity.LOW else ()), *(() if strategy else ("strategy_compliance",)))
    return tuple(check for check in CHECKS if check not in left_out)


TASKS: Final = (VerifyPerturbation,)
