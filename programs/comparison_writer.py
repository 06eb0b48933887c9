"""The comparison writer: writes a completion in which named propositions hold and others do not."""

from collections.abc import Mapping, Sequence

import dspy

from demur.programs.instances import Frozen, Passage
from demur.programs.lanes.factory import Model
from demur.programs.predict import Predict


class PropositionAim(Frozen):
    """A proposition that a completion must make true or false."""

    name: str
    question: str
    definition: str
    holds: bool


class Grounding(Frozen):
    """What a completion about a benchmark item can be judged against; absent for free prompts."""

    question: str
    passages: tuple[Passage, ...]
    reference_answers: tuple[str, ...]
    expected_behaviour: str


class WriteCompletion(dspy.Signature):  # type: ignore[misc]
    """Write one completion to a prompt in which the listed propositions are true or false, as demanded.

    The completions are compared with each other to learn what a good one is, so each must show exactly the merits
    and faults that are asked of it and no others. Write as an assistant would reply; do not talk about propositions.
    Where material that must not be written is asked for, write the marker [content withheld] in its place: the
    marker alone makes that proposition true.
    """

    policy: str = dspy.InputField(desc="name of the policy")
    behaviour: str = dspy.InputField(desc="what a good completion does with this prompt")
    label: str = dspy.InputField(desc="which completion of the comparison this is")
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
    *,
    policy: str,
    behaviour: str,
    label: str,
    variant: int,
    aims: Sequence[PropositionAim],
    prompt: str,
    grounding: Grounding | None,
    material: Mapping[str, str] | None,
) -> str:
    """Return one completion in which the aims hold.

    Raises:
        ReplyError, LaneError: as `Model.run`.
    """
    reply = await model.run(
        program,
        policy=policy,
        behaviour=behaviour,
        label=label,
        variant=variant,
        aims=tuple(aims),
        prompt=prompt,
        grounding=grounding,
        material=dict(material) if material else None,
    )
    return str(reply.completion)
