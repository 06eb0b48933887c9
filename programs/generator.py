"""The generator: pulls exactly one lever on an answerable instance."""

from collections.abc import Sequence
from dataclasses import dataclass

import dspy

from demur.levers.models import Lever
from demur.levers.vocabulary import Code, Intensity, LeverClass
from demur.programs.instances import BaseInstance, ChangedPassage, Frozen, Passage, Perturbation
from demur.programs.lanes.factory import Model
from demur.programs.predict import Predict
from demur.programs.strata import StratumBrief


class LeverOption(Frozen):
    """A lever that a generator may choose, with what it must know to pull it."""

    name: str
    instruction: str


class GeneratePerturbation(dspy.Signature):  # type: ignore[misc]
    """Turn an answerable question with its passages into a test case for retrieval-augmented models.

    Choose exactly one of the offered levers and pull it the way its instruction says. A lever plants one defect of
    the named class; the intensity says how much of the question the defect takes away. Change only what the target
    names and leave every other word as it is. Where there are several passages, follow the strategy: signal passages
    (relevant: true) bear on the answer, noise passages do not.

    Before you reply, compare your result with the intensity criterion and with the answer constraint, which says
    what must have become of the accepted answers. Write fluent text in the register of the original. Never mention
    the test, the lever, the class, or a refusal code inside question or passages.

    If none of the offered levers can be pulled on this instance without breaking a rule, say why in `declined` and
    repeat the question unchanged; an honest refusal is better than a broken test case.
    """

    lever_class: LeverClass = dspy.InputField(desc="class of defect to plant")
    class_definition: str = dspy.InputField(desc="what the class means")
    intensity: Intensity = dspy.InputField(desc="LOW stays answerable; MEDIUM and HIGH must be refused")
    intensity_criterion: str = dspy.InputField(desc="what this intensity demands for this class")
    target: str = dspy.InputField(desc="the only part that may change")
    strategy: str | None = dspy.InputField(desc="which of several passages to change; null for a single passage")
    answer_constraint: str = dspy.InputField(desc="how the accepted answers must stand afterwards")
    expected_behaviour: Code = dspy.InputField(desc="what a good respondent does with the finished test case")
    levers: tuple[LeverOption, ...] = dspy.InputField(desc="the levers on offer")
    question: str = dspy.InputField(desc="the original question")
    answers: tuple[str, ...] = dspy.InputField(desc="its accepted answers")
    passages: tuple[Passage, ...] = dspy.InputField(desc="its passages, by index from 0")

    lever: str = dspy.OutputField(desc="exact name of the lever that you pulled; empty if declined")
    perturbed_question: str = dspy.OutputField(desc="the question afterwards, whole, even where it is unchanged")
    changed_passages: tuple[ChangedPassage, ...] = dspy.OutputField(
        desc="every passage that you changed, whole, by index; none that you did not change"
    )
    reasoning: str = dspy.OutputField(desc="one to three sentences: where and how the lever was pulled")
    answer_constraint_met: str = dspy.OutputField(desc="one sentence: why the answer constraint holds")
    intensity_achieved: Intensity = dspy.OutputField(desc="the intensity that you reached")
    expected_response: Code = dspy.OutputField(desc="what a good respondent would do with it")
    declined: str | None = dspy.OutputField(desc="why no lever applies; null where one was pulled")


class Generator(dspy.Module):  # type: ignore[misc]
    """Asks for one perturbation; expected behaviour is derived elsewhere, never taken from what a model echoes."""

    def __init__(self) -> None:
        super().__init__()
        self.perturb = Predict(GeneratePerturbation)

    async def aforward(self, **inputs: object) -> dspy.Prediction:
        """Return the signature's output fields."""
        return await self.perturb.acall(**inputs)

    def forward(self, **inputs: object) -> dspy.Prediction:
        """Return the same for DSPy's synchronous callers."""
        return self.perturb(**inputs)


@dataclass(frozen=True, slots=True)
class Generated:
    """What a generator returned: a perturbation, or None and why it pulled no lever."""

    perturbation: Perturbation | None
    declined: str | None
    reasoning: str
    answer_constraint: str
    intensity_claimed: Intensity
    behaviour_claimed: Code


async def generate(
    program: Generator, model: Model, base: BaseInstance, brief: StratumBrief, levers: Sequence[Lever]
) -> Generated:
    """Return what `model` makes of a base instance with one of the levers on offer.

    Raises:
        ReplyError, LaneError: as `Model.run`.
    """
    reply = await model.run(
        program,
        **brief.prompt(base.layout),
        levers=tuple(LeverOption(name=lever.name, instruction=lever.instruction) for lever in levers),
        question=base.question,
        answers=base.answers,
        passages=base.passages,
    )
    declined = (reply.declined or "").strip() or None
    made = None
    if declined is None:
        made = Perturbation(question=reply.perturbed_question, changed=reply.changed_passages, lever=reply.lever)
    return Generated(
        made,
        declined,
        reply.reasoning,
        reply.answer_constraint_met,
        reply.intensity_achieved,
        reply.expected_response,
    )
