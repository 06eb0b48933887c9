"""The models of a stage, and the preflight that asks every networked model for one token."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from demur.configuration.settings import keys_of
from demur.engine.budget import ShardBudget, reset_budget, shard_budget
from demur.engine.context import RoundContext, digest_of, loader_writing
from demur.engine.loading import load_round_calls
from demur.engine.recordings import ReplyKey
from demur.engine.state.calls import ShardCalls
from demur.engine.state.shared import shared_state
from demur.engine.units import UnitWork
from demur.errors import ConfigError, ModelsDoNotAnswerError
from demur.lanes.engine import open_models, open_probe
from demur.lanes.spec import ModelSpec
from demur.lanes.throttle.circuit_breaker import remedy
from demur.programs.call_scope import CallScope, call_scope
from demur.programs.errors import Halted, LaneError, ModelUnavailable, ProgramError
from demur.programs.prompt_sizes import TypicalPrompts

# The models of a stage: their roles, how they are opened, and their expected loads for estimates.


@dataclass(frozen=True, slots=True)
class ModelLoad:
    """The expected load of one model in one role of a stage.

    Attributes:
        role: The role.
        spec: The model.
        units: The number of units.
        prompts: Typical prompts of a unit.
        calls_per_unit: The number of requests per unit.
    """

    role: str
    spec: ModelSpec
    units: float
    prompts: TypicalPrompts
    calls_per_unit: float = 1.0


@dataclass(frozen=True, slots=True)
class YieldRates:
    """Shares of units that go on to later stages; 1 if unknown.

    Attributes:
        solved: Share of base instances that pass the screen.
        candidates: By generator, the share of perturbations that go to the verifiers.
        accepted: By generator, the share of candidates that the verifiers accept.
        repaired: By generator, the share of perturbations that go back to the generator.
        repaired_at_most: The assumed share for generators that `repaired` does not list.
        asked: Accepted questions per passage; None if unknown. Estimates then assume that the asker gets as many
            passages as the configuration allows.
        mended: Share of passages whose questions go back to the asker.
        doubted: Share of proofs that a judge decides.
        codes: Share of responses that are exactly one refusal code.
    """

    solved: float = 1.0
    candidates: Mapping[str, float] = field(default_factory=dict)
    accepted: Mapping[str, float] = field(default_factory=dict)
    repaired: Mapping[str, float] = field(default_factory=dict)
    repaired_at_most: float = 1.0
    asked: float | None = None
    mended: float = 1.0
    doubted: float = 1.0
    codes: float = 0.0


Models: TypeAlias = Callable[[RoundContext], tuple[str, ...]]
"""Returns the names of the models that a stage asks in a round."""

Loads: TypeAlias = Callable[[RoundContext, YieldRates], Iterator[ModelLoad]]
"""Yields the load of each model in a round. Models and their order do not depend on the yield rates."""


@dataclass(frozen=True, slots=True)
class ModelUse:
    """The models that a stage asks, their expected loads, and the key of their replies."""

    models: Models
    loads: Loads
    reply_key: ReplyKey


@dataclass(frozen=True, slots=True)
class InRole:
    """The models of one role in a stage, as the configuration names them.

    Attributes:
        role: The role.
        most: How many models are used, counted from the first; None means all models of the role.
    """

    role: str
    most: int | None = None

    def names(self, context: RoundContext) -> tuple[str, ...]:
        """Return the names of the models."""
        named = context.config.named()
        return (named.get(self.role) or named.get(f"{self.role}s", ()))[: self.most]

    def specs(self, context: RoundContext) -> tuple[ModelSpec, ...]:
        """Return the specs of the models."""
        return context.specs(self.names(context))

    def loads(self, context: RoundContext, units: float, prompts: TypicalPrompts) -> Iterator[ModelLoad]:
        """Yield a load of `units` for every model."""
        for spec in self.specs(context):
            yield ModelLoad(self.role, spec, units, prompts)


FIRST_JUDGE: Final = InRole("judge", 1)


@dataclass(frozen=True, slots=True)
class WithModels:
    """Opens the models of the roles in `roles`, for the work on units.

    Attributes:
        work: Takes the round and, for each role, the opened models by name. Returns the function that works on a unit.
        roles: The roles.
    """

    work: Callable[..., UnitWork]
    roles: tuple[InRole, ...]

    @asynccontextmanager
    async def __call__(self, context: RoundContext) -> AsyncIterator[UnitWork]:
        """Yield the function that works on a unit."""
        async with AsyncExitStack() as stack:
            opened = []
            for role in self.roles:
                specs = role.specs(context)
                opened.append(await stack.enter_async_context(open_models(specs, role.role, keys_of(specs))))
            yield self.work(context, *opened)

    def models(self, context: RoundContext) -> tuple[str, ...]:
        """Return the names of the models of all roles."""
        return tuple(name for role in self.roles for name in role.names(context))


# The preflight of a round: asks every networked model for one token before the work on units begins.


PROBE: Final = "probe"
"""The value of `stage` for the calls of the preflight."""
_done: Final[set[tuple[Path, str]]] = set()


def skip_preflight(context: RoundContext) -> None:
    """Skip the preflight of a round in this process."""
    _done.add((context.home.root, context.round_id))


def preflight_models(context: RoundContext) -> None:
    """Ask every networked model of the round for one token, unless this process has passed the preflight before.

    The calls are rows of the table `calls` with stage 'probe'.

    Raises:
        ModelsDoNotAnswerError: a model does not answer; the message has the reason and the remedy for each.
    """
    place = (context.home.root, context.round_id)
    specs = _remote_models(context)
    if place in _done or not specs:
        return
    reset_budget(context, PROBE)
    with ThreadPoolExecutor(1) as thread:
        problems = thread.submit(asyncio.run, _probe_all(context, specs)).result()
    with loader_writing(context) as con:
        load_round_calls(con, shared_state(context.home), context.round_id, [(PROBE, PROBE)])
    if problems:
        raise ModelsDoNotAnswerError(
            f"{len(problems)} of {len(specs)} models do not answer, so no work was sent to any model:\n"
            + "\n".join(f"  {problem}" for problem in problems)
            + "\nCorrect this and run the same command again, or skip this check: --no-probe"
        )
    _done.add(place)


def _remote_models(context: RoundContext) -> tuple[ModelSpec, ...]:
    """Return the networked models with a role, in the order of the configuration."""
    named = {name for names in context.config.named().values() for name in names}
    return tuple(spec for spec in context.config.models if spec.name in named and not spec.lane.embedded)


async def _probe_all(context: RoundContext, specs: Sequence[ModelSpec]) -> list[str]:
    """Return the problems of models that do not answer. All lanes are opened before the first request."""
    recorded = shared_state(context.home).calls(context.round_id, PROBE, PROBE)
    async with recorded as calls:
        budget = shard_budget(context, PROBE, calls)
        opened = [(spec, _open_lane(spec)) for spec in specs]
        found = await asyncio.gather(*(_probe(context, spec, probe, calls, budget) for spec, probe in opened))
    return [_problem(spec, error) for spec, error in zip(specs, found, strict=True) if error is not None]


def _open_lane(spec: ModelSpec) -> Callable[[], Awaitable[None]] | ProgramError | ConfigError:
    try:
        return open_probe(spec, keys_of([spec]))
    except (ConfigError, ProgramError) as exc:
        return exc


async def _probe(
    context: RoundContext,
    spec: ModelSpec,
    probe: Callable[[], Awaitable[None]] | ProgramError | ConfigError,
    calls: ShardCalls,
    budget: ShardBudget | None,
) -> ProgramError | ConfigError | None:
    if isinstance(probe, Exception):
        return probe
    unit_id = digest_of(PROBE, context.round_id, spec.name)
    try:
        with call_scope(CallScope(context.round_id, PROBE, unit_id, calls, budget=budget)):
            await probe()
    except ModelUnavailable as exc:
        return exc
    except Halted:
        return None  # a cap leaves too little money; the stage reports this
    except ProgramError as exc:
        return exc
    return None


def _problem(spec: ModelSpec, error: Exception) -> str:
    help_ = f". {remedy(spec, error)}" if isinstance(error, LaneError) else ""
    return f"models {spec.name} ({spec.provider} {spec.model}): {error}{help_}"
