"""What a comparison writer is asked: a completion in which named propositions hold and others do not."""

from typing import Final

import dspy

from demur.levers.instances import BaseInstance, CitedPassage, Frozen, cited
from demur.levers.vocabulary import Code
from demur.programs.signatures.propositions import PropositionAim

WITHHELD: Final = "[content withheld]"
"""The marker that stands for material that must not be written."""


class Grounding(Frozen):
    """What a completion about a benchmark item can be judged against; absent for free prompts."""

    question: str
    passages: tuple[CitedPassage, ...]
    reference_answers: tuple[str, ...]
    expected_behaviour: str


def typical_grounding(base: BaseInstance) -> Grounding:
    """Return the grounding of an answerable item, for estimates of the size of a prompt."""
    return Grounding(
        question=base.question,
        passages=cited(base.passages),
        reference_answers=base.answers,
        expected_behaviour=Code.ANSWER_CORRECTLY,
    )


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


TASKS: Final = (WriteCompletion,)
