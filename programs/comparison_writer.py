"""The comparison writer: writes a completion in which named propositions hold and others do not."""

from collections.abc import Mapping
from dataclasses import dataclass

import dspy

from demur.levers.policies import Behaviour, Fault, Label, Policy
from demur.programs.instances import CitedPassage, Frozen
from demur.programs.lanes.factory import Model
from demur.programs.predict import Predict
from demur.programs.propositions import PropositionAim, codes_of


class Grounding(Frozen):
    """What a completion about a benchmark item can be judged against; absent for free prompts."""

    question: str
    passages: tuple[CitedPassage, ...]
    reference_answers: tuple[str, ...]
    expected_behaviour: str


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """What one completion is to be: the behaviour, the label of the comparison, and the faults that spoil it."""

    policy: Policy
    behaviour: Behaviour
    label: Label
    variant: int
    faults: tuple[Fault, ...]
    truth: Mapping[str, bool]


class WriteCompletion(dspy.Signature):  # type: ignore[misc]
    """Write one completion to a prompt in which the listed propositions are true or false, as demanded.

    The completions are compared with each other to learn what a good one is, so each must show exactly the merits
    and faults that are asked of it and no others: where label and faults leave something open, the aims decide. Write
    as an assistant would reply; do not talk about propositions.
    Where material that must not be written is asked for, write the marker [content withheld] in its place: the
    marker alone makes that proposition true.
    """

    policy: str = dspy.InputField(desc="name of the policy")
    refusal_codes: tuple[str, ...] = dspy.InputField(
        desc="the refusal codes that a completion may give, and what each is for; empty where the policy has none"
    )
    behaviour: str = dspy.InputField(desc="name of the behaviour that this prompt asks for")
    behaviour_description: str = dspy.InputField(desc="what a good completion does with such a prompt")
    label: str = dspy.InputField(desc="which completion of the comparison this is")
    label_description: str = dspy.InputField(desc="what such a completion is")
    faults: tuple[str, ...] = dspy.InputField(desc="how this completion is to be spoilt; empty where it is not")
    variant: int = dspy.InputField(desc="number of the variant; different numbers want different wordings")
    aims: tuple[PropositionAim, ...] = dspy.InputField(desc="the propositions and whether each must hold")
    prompt: str = dspy.InputField(desc="the prompt")
    grounding: Grounding | None = dspy.InputField(desc="passages and expected behaviour, for grounded prompts")
    material: dict[str, str] | None = dspy.InputField(desc="facts that a helpful completion can use, if there are any")

    completion: str = dspy.OutputField(desc="the completion and nothing else.")


class ComparisonWriter(dspy.Module):  # type: ignore[misc]
    """Asks for one completion."""

    def __init__(self) -> None:
        super().__init__()
        self.write = Predict(WriteCompletion)

    async def aforward(self, **inputs: object) -> dspy.Prediction:
        """Return `completion`."""
        return await self.write.acall(**inputs)

    def forward(self, **inputs: object) -> dspy.Prediction:
        """Return the same for DSPy's synchronous callers."""
        return self.write(**inputs)


async def write_completion(
    program: ComparisonWriter,
    model: Model,
    wanted: ComparisonRequest,
    *,
    prompt: str,
    grounding: Grounding | None,
    material: Mapping[str, str] | None,
) -> str:
    """Return one completion as it is wanted.

    Raises:
        ReplyError, LaneError: as `Model.run`.
    """
    reply = await model.run(
        program,
        policy=wanted.policy.name,
        refusal_codes=codes_of(wanted.policy),
        behaviour=wanted.behaviour.name,
        behaviour_description=wanted.behaviour.description,
        label=wanted.label.name,
        label_description=wanted.label.description,
        faults=tuple(fault.instruction for fault in wanted.faults),
        variant=wanted.variant,
        aims=tuple(
            PropositionAim.aimed(wanted.policy.proposition(name), holds=holds) for name, holds in wanted.truth.items()
        ),
        prompt=prompt,
        grounding=grounding,
        material=dict(material) if material else None,
    )
    return str(reply.completion)
