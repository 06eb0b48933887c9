"""Which models are asked how often in each stage of a round, at most or as far as earlier rounds tell."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from demur.flows.context import RoundContext
from demur.flows.fit_config import ITEM_POLICY
from demur.flows.prompts import own_prompts
from demur.flows.respondings import respondings_of
from demur.programs.lanes.spec import ModelSpec
from demur.programs.options import Grading
from demur.programs.prompt_sizes import Sizes


@dataclass(frozen=True, slots=True)
class Asked:
    """One model in one role of one stage: units that it works on, input tokens of one prompt, and prompts per unit."""

    stage: str
    role: str
    spec: ModelSpec
    units: float
    input_tokens: float
    calls_per_unit: float = 1.0


@dataclass(frozen=True, slots=True)
class Shares:
    """What shares go on from stage to stage; where nothing is known everything does.

    `solved` is the share of base instances that pass the screen, `candidates` that of a generator's perturbations
    that go to the verifiers, `accepted` that of these that all verifiers accept.
    """

    solved: float = 1.0
    candidates: Mapping[str, float] = field(default_factory=dict)
    accepted: Mapping[str, float] = field(default_factory=dict)


def asked_in_round(context: RoundContext, sizes: Sizes, shares: Shares) -> Iterator[Asked]:
    """Yield who is asked, stage by stage; the order does not depend on the shares."""
    for stage in _STAGES:
        yield from stage(context, sizes, shares)


def _asked(
    context: RoundContext, stage: str, role: str, models: Sequence[str], units: float, input_tokens: float
) -> Iterator[Asked]:
    for spec in context.specs(tuple(models)):
        yield Asked(stage, role, spec, units, input_tokens)


def _strata(context: RoundContext) -> int:
    generation = context.config.generation
    return len(generation.classes) * len(generation.intensities)


def _screen(context: RoundContext, sizes: Sizes, shares: Shares) -> Iterator[Asked]:
    roles, bases = context.config.roles, context.config.bases / shares.solved
    yield from _asked(context, "screen", "screener", roles.screeners, bases, sizes.respond)
    yield from _asked(context, "screen", "judge", roles.judges[:1], bases * len(roles.screeners), sizes.judge)


def _generated(context: RoundContext) -> int:
    """Perturbations that each generator is asked for."""
    return context.config.bases * _strata(context) * context.config.generation.replicates


def _generate(context: RoundContext, sizes: Sizes, shares: Shares) -> Iterator[Asked]:
    generators = context.config.roles.generators
    yield from _asked(context, "generate", "generator", generators, _generated(context), sizes.generate)


def _verify(context: RoundContext, sizes: Sizes, shares: Shares) -> Iterator[Asked]:
    roles = context.config.roles
    candidates = sum(_generated(context) * shares.candidates.get(name, 1.0) for name in roles.generators)
    yield from _asked(context, "verify", "verifier", roles.verifiers, candidates, sizes.verify)


def _items(context: RoundContext, shares: Shares) -> float:
    accepted = sum(
        _generated(context) * shares.candidates.get(name, 1.0) * shares.accepted.get(name, 1.0)
        for name in context.config.roles.generators
    )
    return min(context.config.items_per_stratum * _strata(context), accepted) + context.config.bases


def _respond(context: RoundContext, sizes: Sizes, shares: Shares) -> Iterator[Asked]:
    units = _items(context, shares) * context.config.response_replicates
    times = Counter(responding.model for responding in respondings_of(context.config).values())
    for asked in _asked(context, "respond", "respondent", context.config.roles.respondents, units, sizes.respond):
        yield replace(asked, units=asked.units * times[asked.spec.name])


def _responses(context: RoundContext, shares: Shares) -> float:
    return _items(context, shares) * context.config.response_replicates * len(respondings_of(context.config))


def _judge(context: RoundContext, sizes: Sizes, shares: Shares) -> Iterator[Asked]:
    judges = context.config.roles.judges
    units = _responses(context, shares) * context.config.judge_replicates
    yield from _asked(context, "judge", "judge", judges, units, sizes.judge)


def _completions(context: RoundContext, shares: Shares) -> float:
    total = 0.0
    for policy in context.policies:
        if policy.name == ITEM_POLICY:
            most = max(sum(label.variants for label in behaviour.labels) for behaviour in policy.behaviours)
            total += most * min(context.config.fit.items_for_comparisons, _items(context, shares))
        else:
            for prompt in own_prompts(context, policy):
                total += sum(label.variants for label in policy.behaviour(prompt.behaviour).labels)
    return total


def _write(context: RoundContext, sizes: Sizes, shares: Shares) -> Iterator[Asked]:
    writer = (context.config.roles.writer,)
    yield from _asked(context, "write", "writer", writer, _completions(context, shares), sizes.write)


def _grade(context: RoundContext, sizes: Sizes, shares: Shares) -> Iterator[Asked]:
    units = _completions(context, shares)
    if ITEM_POLICY in context.config.fit.policies:
        units += _responses(context, shares) * context.config.fit.graded_responses
    grader = (context.config.roles.grader,)
    if context.config.fit.grading is Grading.PROPOSITIONS:
        yield from _asked(context, "grade", "grader", grader, units, sizes.grade)
        return
    features = [len(behaviour.features) for policy in context.policies for behaviour in policy.behaviours]
    for asked in _asked(context, "grade", "grader", grader, units, sizes.grade_one):
        yield replace(asked, calls_per_unit=max(features, default=1))


_STAGES: Final[tuple[Callable[[RoundContext, Sizes, Shares], Iterator[Asked]], ...]] = (
    _screen,
    _generate,
    _verify,
    _respond,
    _judge,
    _write,
    _grade,
)
