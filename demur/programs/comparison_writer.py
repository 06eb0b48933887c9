"""The comparison writer: writes a completion that makes certain propositions true and others false."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from demur.levers.policy_models import Behaviour, Fault, Label, Policy
from demur.levers.vocabulary import ENGLISH
from demur.programs.languages import in_language
from demur.programs.model import Model, SingleCall
from demur.programs.prompt_sizes import Prompt, PromptSample
from demur.programs.signatures.comparison import Grounding, WriteCompletion, typical_grounding
from demur.programs.signatures.languages import language_input
from demur.programs.signatures.propositions import TYPICAL_PROPOSITIONS, PropositionAim, codes_of, typical_proposition
from demur.programs.signatures.taxonomy_text import CODE_LINES


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """The request for one completion.

    `label` is the kind of completion, such as perfect or bad. `faults` are the faults to include.
    """

    policy: Policy
    behaviour: Behaviour
    label: Label
    variant: int
    faults: tuple[Fault, ...]
    truth: Mapping[str, bool]

    @property
    def inputs_of_policy(self) -> dict[str, object]:
        """Inputs of the prompt that the policy decides. Other parts of a policy do not decide a completion."""
        return {
            "policy": self.policy.name,
            "refusal_codes": codes_of(self.policy),
            "behaviour": self.behaviour.name,
            "behaviour_description": self.behaviour.description,
            "label": self.label.name,
            "label_description": self.label.description,
            "faults": tuple(fault.instruction for fault in self.faults),
            "variant": self.variant,
            "aims": tuple(
                PropositionAim.aimed(self.policy.proposition(name), holds=holds) for name, holds in self.truth.items()
            ),
        }


class ComparisonWriter(SingleCall):
    """Asks for one completion."""

    def __init__(self) -> None:
        super().__init__("write", WriteCompletion)


def writer_prompts(sample: PromptSample) -> Iterator[Prompt]:
    """Yield a typical prompt."""
    question = typical_proposition()
    aims = (PropositionAim(**question.model_dump(), holds=True),) * TYPICAL_PROPOSITIONS
    yield (
        WriteCompletion,
        {
            "policy": "policy",
            "refusal_codes": CODE_LINES,
            "behaviour": "behaviour",
            "behaviour_description": question.definition,
            "label": "label",
            "label_description": question.definition,
            "faults": (question.example_true,),
            "variant": 0,
            "aims": aims,
            "prompt": sample.base.question,
            "grounding": typical_grounding(sample.base),
            "material": None,
        },
    )


async def write_completion(
    program: ComparisonWriter,
    model: Model,
    wanted: ComparisonRequest,
    *,
    prompt: str,
    grounding: Grounding | None,
    material: Mapping[str, str] | None,
    language: str = ENGLISH,
) -> str:
    """Return a completion written by a model.

    Raises:
        ReplyError, LaneError: as `Model.run`.
    """
    reply = await model.run(
        in_language(program, language),
        **wanted.inputs_of_policy,
        prompt=prompt,
        grounding=grounding,
        material=dict(material) if material else None,
        **language_input(language),
    )
    return str(reply.completion)
