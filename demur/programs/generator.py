"""The generator: pulls one lever on a base instance."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from demur.levers.instances import BaseInstance, Perturbation
from demur.levers.models import Lever
from demur.levers.vocabulary import STRATA
from demur.programs.languages import in_language
from demur.programs.model import Model, SingleCall
from demur.programs.prompt_sizes import Prompt, PromptSample
from demur.programs.signatures.generation import FailedAttempt, GeneratePerturbation, LeverOption, RepairPerturbation
from demur.programs.signatures.languages import language_input
from demur.programs.signatures.strata import StratumBrief, stratum_brief


class Generator(SingleCall):
    """Asks for one perturbation."""

    def __init__(self) -> None:
        super().__init__("perturb", GeneratePerturbation)


class Repairer(SingleCall):
    """Asks for the correction of a failed perturbation."""

    def __init__(self) -> None:
        super().__init__("repair", RepairPerturbation)


@dataclass(frozen=True, slots=True)
class Generated:
    """A generator's reply: a perturbation, or None and the reason for declining."""

    perturbation: Perturbation | None
    declined: str | None
    reasoning: str
    answer_constraint: str


def generating(base: BaseInstance, brief: StratumBrief, levers: Sequence[Lever]) -> dict[str, Any]:
    """Return the input fields of `GeneratePerturbation`."""
    return {
        **brief.prompt(base.layout, *(lever.target for lever in levers)),
        "levers": tuple(LeverOption.of(lever, base.layout) for lever in levers),
        "question": base.question,
        "answers": base.answers,
        "passages": base.passages,
        **language_input(base.language),
    }


def generator_prompts(sample: PromptSample) -> Iterator[Prompt]:
    """Yield a typical prompt for each stratum."""
    for lever_class, intensity in STRATA:
        if levers := sample.catalogue.stratum(lever_class, intensity):
            brief = stratum_brief(lever_class, intensity)
            yield GeneratePerturbation, generating(sample.base, brief, levers[: sample.offered_at_once])


async def generate(
    program: Generator | Repairer,
    model: Model,
    base: BaseInstance,
    brief: StratumBrief,
    levers: Sequence[Lever],
    earlier: FailedAttempt | None = None,
) -> Generated:
    """Return a model's perturbation of a base instance with one of the offered levers.

    If `program` is a `Repairer`, it corrects the failed attempt `earlier`.

    Raises:
        ReplyError, LaneError: as `Model.run`.
    """
    known = {} if earlier is None else {"earlier": earlier}
    reply = await model.run(in_language(program, base.language), **generating(base, brief, levers), **known)
    declined = (reply.declined or "").strip() or None
    if declined is None and not (reply.lever or "").strip():
        declined = "no lever was named, and no reason given"
    made = None
    if declined is None:
        made = Perturbation(question=reply.perturbed_question, changed=reply.changed_passages, lever=reply.lever)
    return Generated(made, declined, reply.reasoning, reply.answer_constraint_met)
