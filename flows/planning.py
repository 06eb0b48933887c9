"""What a round will ask, of whom, and what that can cost: ceilings, from the configuration and a sample of prompts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from flows.context import RoundContext
from flows.draw import Draw, draw_order, drawn_rows
from flows.opening import configured
from flows.prompts import ITEM_POLICY, policies, safety_prompts
from flows.round_config import find_round_config
from flows.settings import demur_home, missing_keys
from programs.instances import BaseInstance
from programs.lanes.prices import prices_of
from programs.lanes.spec import ModelSpec, Provider
from programs.sizes import Sizes, prompt_sizes
from warehouse.connection import reading, writing

COLUMNS: Final = ("stage", "role", "model", "units", "calls", "input_tokens", "output_tokens", "cost_usd")
SAMPLED_BASES: Final = 10


@dataclass(frozen=True, slots=True)
class PlannedCalls:
    """Calls to one model in one stage; None where tokens or price are not known or do not matter (rules)."""

    stage: str
    role: str
    model: str
    units: int
    calls: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None

    def cells(self) -> tuple[object, ...]:
        """Return the row as `COLUMNS` names it."""
        return (
            self.stage, self.role, self.model, self.units, self.calls, self.input_tokens, self.output_tokens,
            None if self.cost_usd is None else round(self.cost_usd, 2),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """All calls of a round, and what a reader must know of them."""

    rows: tuple[PlannedCalls, ...]
    notes: tuple[str, ...]


def plan_round(config: str, corpus: str | None, bases: int | None) -> RoundPlan:
    """Return the plan of a round that would start now; nothing is asked and no key is needed.

    Raises:
        ConfigError, CorpusError: the round could not start.
    """
    path = find_round_config(config)
    settings = configured(path, corpus, bases)
    seed = settings.seed if isinstance(settings.seed, int) else 0
    context = RoundContext(demur_home(), settings, path.resolve().parent, "plan", seed)
    with writing(context.home, wait_seconds=60):
        pass  # a first look at a new home makes it
    with reading(context.home, "loader") as con:
        draw = draw_order(context, con)
    sizes = prompt_sizes(_sample(context, draw), context.catalogue, settings.generation.lever_choice == "generator")
    rows = tuple(row for stage in _STAGES for row in stage(context, sizes))
    return RoundPlan(rows, tuple(_notes(context, draw, rows)))


def _sample(context: RoundContext, draw: Draw) -> list[BaseInstance]:
    rows = drawn_rows(context, set(draw.order[:SAMPLED_BASES]))
    return [row.base_instance() for row in rows.values()]


def _calls(
    context: RoundContext, stage: str, role: str, models: Sequence[str], units: int, input_tokens: float
) -> Iterator[PlannedCalls]:
    for spec in context.specs(tuple(models)):
        yield _row(stage, role, spec, units, input_tokens)


def _row(stage: str, role: str, spec: ModelSpec, units: int, input_tokens: float) -> PlannedCalls:
    if spec.provider is Provider.RULES:
        return PlannedCalls(stage, role, spec.name, units, units, None, None, 0.0)
    longest = int(str(spec.parameters.get("max_tokens") or spec.parameters.get("max_completion_tokens")))
    sent, got = round(units * input_tokens), units * longest
    prices = prices_of(spec)
    cost = None
    if prices is not None:
        cost = (sent * prices.input_usd_per_million + got * prices.output_usd_per_million) / 1e6
    return PlannedCalls(stage, role, spec.name, units, units, sent, got, cost)


def _strata(context: RoundContext) -> int:
    generation = context.config.generation
    return len(generation.classes) * len(generation.intensities)


def _screen(context: RoundContext, sizes: Sizes) -> Iterator[PlannedCalls]:
    roles, bases = context.config.roles, context.config.bases
    yield from _calls(context, "screen", "screener", roles.screeners, bases, sizes.respond)
    yield from _calls(context, "screen", "judge", roles.judges[:1], bases * len(roles.screeners), sizes.judge)


def _generated(context: RoundContext) -> int:
    return context.config.bases * _strata(context) * context.config.generation.replicates


def _generate(context: RoundContext, sizes: Sizes) -> Iterator[PlannedCalls]:
    yield from _calls(
        context, "generate", "generator", context.config.roles.generators, _generated(context), sizes.generate
    )


def _verify(context: RoundContext, sizes: Sizes) -> Iterator[PlannedCalls]:
    units = _generated(context) * len(context.config.roles.generators)
    yield from _calls(context, "verify", "verifier", context.config.roles.verifiers, units, sizes.verify)


def _items(context: RoundContext) -> int:
    accepted = _generated(context) * len(context.config.roles.generators)
    return min(context.config.items_per_stratum * _strata(context), accepted) + context.config.bases


def _respond(context: RoundContext, sizes: Sizes) -> Iterator[PlannedCalls]:
    units = _items(context) * context.config.response_replicates
    yield from _calls(context, "respond", "respondent", context.config.roles.respondents, units, sizes.respond)


def _judge(context: RoundContext, sizes: Sizes) -> Iterator[PlannedCalls]:
    responses = _items(context) * context.config.response_replicates * len(context.config.roles.respondents)
    yield from _calls(context, "judge", "judge", context.config.roles.judges, responses, sizes.judge)


def _completions(context: RoundContext) -> int:
    total = 0
    for policy in policies(context):
        if policy.name == ITEM_POLICY:
            most = max(sum(label.variants for label in behaviour.labels) for behaviour in policy.behaviours)
            total += most * min(context.config.fit.items_for_comparisons, _items(context))
        else:
            for prompt in safety_prompts(context, policy):
                total += sum(label.variants for label in policy.behaviour(prompt.behaviour).labels)
    return total


def _write(context: RoundContext, sizes: Sizes) -> Iterator[PlannedCalls]:
    yield from _calls(context, "write", "writer", (context.config.roles.writer,), _completions(context), sizes.write)


def _grade(context: RoundContext, sizes: Sizes) -> Iterator[PlannedCalls]:
    units = _completions(context)
    if ITEM_POLICY in context.config.fit.policies:
        units += _items(context) * context.config.response_replicates * len(context.config.roles.respondents)
    yield from _calls(context, "grade", "grader", (context.config.roles.grader,), units, sizes.grade)


_STAGES: Final[tuple[Callable[[RoundContext, Sizes], Iterator[PlannedCalls]], ...]] = (
    _screen,
    _generate,
    _verify,
    _respond,
    _judge,
    _write,
    _grade,
)


def _notes(context: RoundContext, draw: Draw, rows: Sequence[PlannedCalls]) -> Iterator[str]:
    known = [row.cost_usd for row in rows if row.cost_usd is not None]
    unpriced = sorted({row.model for row in rows if row.cost_usd is None})
    yield f"{sum(row.calls for row in rows):,} calls, at most ${sum(known):,.2f}" + (
        f", without {', '.join(unpriced)}, whose prices are unknown (models.prices)" if unpriced else ""
    )
    fresh = draw.fresh_rounds(context.config.bases)
    yield (
        f"corpus: {len(draw.order)} base instances available, {draw.resting} at rest "
        f"(base_reuse: {context.config.base_reuse.policy}); enough for {fresh} round{'' if fresh == 1 else 's'} of "
        f"{context.config.bases}"
    )
    if missing := missing_keys(context.config.models):
        names = ", ".join(sorted({variable for _, variable in missing}))
        yield f"not set: {names}; the round will not start without them"
