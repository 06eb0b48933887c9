"""The comparison writer: writes a completion in which named propositions hold and others do not."""

from collections.abc import Mapping
from dataclasses import dataclass

from demur.lanes.factory import Model
from demur.levers.policies import Behaviour, Fault, Label, Policy
from demur.programs.adapter.predict import SingleCall
from demur.programs.signatures.comparison import Grounding, WriteCompletion
from demur.programs.signatures.propositions import PropositionAim, codes_of


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """What one completion is to be: the behaviour, the label of the comparison, and the faults that spoil it."""

    policy: Policy
    behaviour: Behaviour
    label: Label
    variant: int
    faults: tuple[Fault, ...]
    truth: Mapping[str, bool]


class ComparisonWriter(SingleCall):
    """Asks for one completion."""

    def __init__(self) -> None:
        super().__init__("write", WriteCompletion)


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
