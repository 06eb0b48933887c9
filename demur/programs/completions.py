"""Programs for completions: comparison writer, grader of propositions, rater of helpfulness."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import dspy

from demur.levers.policy_models import Behaviour, Fault, Label, Policy
from demur.levers.vocabulary import ENGLISH
from demur.programs.call_scope import last_call_id
from demur.programs.errors import ReplyError
from demur.programs.language_variants import in_language
from demur.programs.model import Model, SingleCall
from demur.programs.options import Grading
from demur.programs.prompt_sizes import TYPICAL_RESPONSE, Prompt, PromptSample
from demur.programs.signatures.completions import (
    MOST_HELPFUL,
    TYPICAL_PROPOSITIONS,
    AskProposition,
    GradePropositions,
    Grounding,
    PropositionAim,
    PropositionQuestion,
    RateHelpfulness,
    WriteCompletion,
    codes_of,
    typical_grounding,
    typical_proposition,
)
from demur.programs.signatures.other_languages import language_input
from demur.programs.signatures.response import numbered
from demur.programs.signatures.taxonomy_text import CODE_LINES

# The comparison writer: writes a completion that makes certain propositions true and others false.


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


# The proposition grader: the probability of each proposition of a policy for one completion.
#
# There are two ways of grading. In the first, one call asks for the probabilities of all propositions. In the second,
# each proposition has a call of its own, and the log-probabilities of the reply's first token give the probability of
# a yes.


ATTEMPTS: Final = 2
LEAST_MASS: Final = 0.5
"""The least joint probability of yes and no among first tokens; below it, the reply is something else."""


class Grader(SingleCall):
    """Asks for the grades of all propositions in one call."""

    def __init__(self) -> None:
        super().__init__("grade", GradePropositions)


class OneByOneGrader(SingleCall):
    """Asks for the grade of one proposition in one call."""

    def __init__(self) -> None:
        super().__init__("ask", AskProposition)


def grader_prompts(sample: PromptSample) -> Iterator[Prompt]:
    """Yield a typical prompt for all propositions."""
    propositions = (typical_proposition(),) * TYPICAL_PROPOSITIONS
    yield GradePropositions, {**_typical_inputs(sample), "propositions": propositions}


def one_by_one_prompts(sample: PromptSample) -> Iterator[Prompt]:
    """Yield a typical prompt for one proposition."""
    yield AskProposition, {**_typical_inputs(sample), "proposition": typical_proposition()}


def _typical_inputs(sample: PromptSample) -> dict[str, object]:
    return {
        "policy": "policy",
        "refusal_codes": CODE_LINES,
        "prompt": sample.base.question,
        "grounding": typical_grounding(sample.base),
        "completion": TYPICAL_RESPONSE,
    }


@dataclass(frozen=True, slots=True)
class PropositionGrade:
    """The probability that a proposition holds, and the id of the call that gave the probability."""

    probability: float
    call_id: str | None


def grader_program(grading: Grading) -> dspy.Module:
    """Return the grader program for a way of grading."""
    return OneByOneGrader() if grading is Grading.ONE_BY_ONE else Grader()


async def grade(
    program: dspy.Module,
    model: Model,
    *,
    policy: Policy,
    propositions: Sequence[PropositionQuestion],
    prompt: str,
    grounding: Grounding | None,
    completion: str,
    language: str = ENGLISH,
) -> dict[str, PropositionGrade]:
    """Return the probability of each proposition, in the order of `propositions`.

    If the grades cannot be read, the model is asked once more.

    Raises:
        ReplyError: twice in a row a proposition was missing, unknown, graded twice or without a readable probability.
        LaneError: no reply came.
    """
    shared = {
        "policy": policy.name,
        "refusal_codes": codes_of(policy),
        "prompt": prompt,
        "grounding": grounding,
        "completion": completion,
        **language_input(language),
    }
    program = in_language(program, language)
    if isinstance(program, OneByOneGrader):
        return {each.name: await _asked(program, model, each, shared) for each in propositions}
    wanted = [proposition.name for proposition in propositions]
    problem = ""
    said = ""
    for _ in range(ATTEMPTS):
        reply = await model.run(program, propositions=tuple(propositions), **shared)
        found = {item.proposition: item.probability for item in reply.grades}
        if len(found) == len(reply.grades) and set(found) == set(wanted):
            call_id = last_call_id()
            return {name: PropositionGrade(found[name], call_id) for name in wanted}
        problem = f"graded {sorted(found)}, wanted {sorted(wanted)}, each once"
        said = str(reply.grades)
    raise ReplyError(problem, reply=said)


async def _asked(
    program: OneByOneGrader, model: Model, proposition: PropositionQuestion, shared: Mapping[str, object]
) -> PropositionGrade:
    problem = ReplyError("nothing was asked", reply="")
    for _ in range(ATTEMPTS):
        try:
            heard = await model.yes_probability(program, proposition=proposition, **shared)
        except ReplyError as exc:
            problem = exc
            continue
        if heard.mass >= LEAST_MASS:
            return PropositionGrade(heard.probability, last_call_id())
        problem = ReplyError(
            f"yes and no together have only {heard.mass:.2f} of the first token's probability", reply=""
        )
    raise ReplyError(f"{proposition.name}: {problem.problem}", reply=problem.reply) from problem


# The rater: rates the helpfulness of completions. Ratings are base rewards.


class Rater(SingleCall):
    """Asks for one rating."""

    def __init__(self) -> None:
        super().__init__("rate", RateHelpfulness)


def rater_prompts(sample: PromptSample) -> Iterator[Prompt]:
    """Yield a typical prompt."""
    passages = numbered(passage.text for passage in sample.base.passages)
    yield RateHelpfulness, {"passages": passages, "prompt": sample.base.question, "completion": TYPICAL_RESPONSE}


async def rate(program: dspy.Module, model: Model, prompt: str, passages: Sequence[str], completion: str) -> float:
    """Return a completion's base reward: its rated helpfulness from 0 to 1.

    Raises:
        ReplyError: two replies in a row had no readable rating.
        LaneError: no reply came.
    """
    problem = ReplyError("nothing was asked", reply="")
    for _ in range(ATTEMPTS):
        try:
            reply = await model.run(program, prompt=prompt, passages=numbered(passages), completion=completion)
        except ReplyError as exc:
            problem = exc
            continue
        return int(reply.rating) / MOST_HELPFUL
    raise problem
